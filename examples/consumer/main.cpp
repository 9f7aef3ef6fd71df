// Solves the puzzle in a folder (pieces/ and one .csv) and prints the permutation.
#include <cstdio>
#include <exception>

#include <humpty/humpty.hpp>

int main(int argc, char** argv) try {
  const auto puzzle = humpty::read_puzzle({argc > 1 ? argv[1] : "."});
  const auto solution = humpty::solve(puzzle);
  std::puts(solution.permutation_text().c_str());
  return solution.verdict == humpty::Verdict::exact ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
