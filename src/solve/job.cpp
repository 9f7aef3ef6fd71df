// The paired blocks as a net.
#include "solve/job.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "verify/floor.hpp"

namespace humpty::strategy {
namespace {

std::vector<net::Net::Pair> pairs(const std::vector<const Piece*>& expand,
                                  const std::vector<const Piece*>& contract) {
  std::vector<net::Net::Pair> blocks;
  for (std::size_t k = 0; k < expand.size(); ++k) blocks.push_back({expand[k], contract[k]});
  return blocks;
}

std::vector<const Piece*> pieces_of(const Puzzle& puzzle, const std::vector<int>& ids) {
  std::vector<const Piece*> pieces;
  for (int id : ids) pieces.push_back(&puzzle.piece(id));
  return pieces;
}

std::vector<int> matched(const Pairing& pairing) {
  std::vector<int> ids;
  for (std::size_t column : pairing.match) ids.push_back(pairing.contract[column]);
  return ids;
}

// Sixteen roundings' worth of the target's size, and what its digits and the noise declared leave
// open: generous, for the search only. What counts as exact is the verifier's to say.
double search_floor(const Matrix& target, double noise) {
  double square = 0;
  for (float y : target.values) square += double{y} * double{y};
  constexpr double kRelative = 16 * 0x1p-24, kMargin = 1.1;
  return kRelative * kRelative * square / static_cast<double>(target.values.size()) +
         kMargin * (verifier::rounding_of(target.values) + noise * noise);
}

}  // namespace

const Piece& head_of(const Puzzle& puzzle) {
  return puzzle.pieces[puzzle.with_role(Role::head)[0]];
}

Job::Job(const Puzzle& puzzle_, const Pairing& pairing_, double noise_, Threads& threads_,
         Watch& watch_, Clock& clock_, net::Net::Passes passes)
    : puzzle(puzzle_),
      pairing(pairing_),
      threads(threads_),
      watch(watch_),
      clock(clock_),
      expand(pieces_of(puzzle, pairing.expand)),
      contract(pieces_of(puzzle, matched(pairing))),
      net(pairs(expand, contract), head_of(puzzle), puzzle.activation, passes, &threads),
      noise(noise_),
      floor(search_floor(puzzle.rows.target, noise)) {}

net::Batch Job::rows(std::size_t count) const {
  const std::size_t all = puzzle.rows.features.rows;
  return net::Batch(puzzle.rows, 0, count == 0 ? all : std::min(count, all));
}

std::vector<int> Job::expand_ids(const order::Order& order) const {
  std::vector<int> ids;
  for (std::size_t block : order) ids.push_back(expand[block]->id);
  return ids;
}

Pairing Job::pairing_now() const {
  Pairing now = pairing;
  for (std::size_t k = 0; k < now.match.size(); ++k)
    now.match[k] = static_cast<std::size_t>(
        std::find(now.contract.begin(), now.contract.end(), contract[k]->id) -
        now.contract.begin());
  return now;
}

bool Job::exchange(std::size_t a, std::size_t b) {
  if (expand[a]->weight.rows != expand[b]->weight.rows) return false;
  std::swap(contract[a], contract[b]);
  net.exchange(a, b);
  return true;
}

std::optional<order::Order> stated_start(const Job& job, const SolveOptions& options) {
  if (options.start.empty()) return std::nullopt;
  order::Order order;
  std::vector<char> seen(job.expand.size());
  for (int id : options.start) {
    const auto found = std::find_if(job.expand.begin(), job.expand.end(),
                                    [id](const Piece* piece) { return piece->id == id; });
    const auto block = static_cast<std::size_t>(found - job.expand.begin());
    if (found == job.expand.end() || std::exchange(seen[block], 1))
      throw Error(
          ErrorCode::usage,
          fmt::format("the order to start from names {} {}; give every expand piece once", id,
                      found == job.expand.end() ? "which is no expand piece" : "twice"));
    order.push_back(block);
  }
  if (order.size() != job.expand.size())
    throw Error(ErrorCode::usage, fmt::format("the order to start from names {} of {} blocks",
                                              order.size(), job.expand.size()));
  return order;
}

std::vector<int> Job::permutation(const order::Order& order) const {
  std::vector<int> ids;
  for (std::size_t k : order) ids.insert(ids.end(), {expand[k]->id, contract[k]->id});
  ids.push_back(head_of(puzzle).id);
  return ids;
}

}  // namespace humpty::strategy
