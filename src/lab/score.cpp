// Solves a puzzle whose answer is known, and compares.
#include <algorithm>
#include <chrono>
#include <map>

#include "humpty/humpty.hpp"

namespace humpty::lab {
namespace {

std::size_t common_pairs(const std::vector<int>& found, const std::vector<int>& answer) {
  std::map<int, int> partner;
  for (std::size_t i = first_block(answer.size()); i + 2 < answer.size(); i += 2)
    partner[answer[i]] = answer[i + 1];
  std::size_t common = 0;
  for (std::size_t i = first_block(found.size()); i + 2 < found.size(); i += 2) {
    const auto own = partner.find(found[i]);
    common += own != partner.end() && own->second == found[i + 1];
  }
  return common;
}

// Over the expand pieces that both have as such.
double kendall_tau(const std::vector<int>& found, const std::vector<int>& answer) {
  std::map<int, std::size_t> place;
  for (std::size_t i = first_block(answer.size()); i + 2 < answer.size(); i += 2)
    place[answer[i]] = i;
  std::vector<std::size_t> places;
  for (std::size_t i = first_block(found.size()); i + 2 < found.size(); i += 2)
    if (place.contains(found[i])) places.push_back(place[found[i]]);
  double sum = 0, count = 0;
  for (std::size_t a = 0; a < places.size(); ++a)
    for (std::size_t b = a + 1; b < places.size(); ++b, ++count)
      sum += places[a] < places[b] ? 1 : -1;
  return count > 0 ? sum / count : 1;
}

}  // namespace

SolveScore solve_and_score(const std::string& folder, const SolveOptions& options) {
  SolveScore score;
  score.net = folder;
  try {
    const std::vector<int> answer = read_answer(folder).value();
    const Puzzle puzzle = read_puzzle({folder}, {.threads = options.threads});
    const auto start = std::chrono::steady_clock::now();
    const Solution solution = solve(puzzle, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    score.blocks = puzzle.blocks();
    score.verdict = solution.verdict;
    score.right = solution.permutation == answer;
    score.pairs_right = common_pairs(solution.permutation, answer);
    score.tau = kendall_tau(solution.permutation, answer);
    score.mse = solution.certificate.mse;
    score.seconds = took.count();
  } catch (const Error& error) {
    score.error = error.what();
  }
  return score;
}

}  // namespace humpty::lab
