// verdicts COUNT [FIRST]: makes COUNT nets and looks for a wrong "exact". See verify/many_nets.hpp.
#include <cstdio>
#include <cstdlib>

#include "verify/many_nets.hpp"

int main(int argc, char** argv) {
  const unsigned count = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 500,
                 first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  humpty::test::Tally tally;
  for (unsigned seed = first; seed < first + count; ++seed) {
    humpty::test::study_one(seed, tally, true);
    if (tally.nets % 50 == 0 || tally.nets == count)
      std::printf(
          "%zu nets, %zu other orders: wrong exact %zu; truths exact %zu, ambiguous %zu, "
          "refused %zu; solved exactly %zu, ambiguously %zu\n",
          tally.nets, tally.orders, tally.wrong_exact, tally.exact, tally.ambiguous, tally.refused,
          tally.solved, tally.solved_ambiguously),
          std::fflush(stdout);
  }
  if (!tally.first_failure.empty()) std::printf("first failure: %s\n", tally.first_failure.c_str());
  return tally.wrong_exact + tally.refused > 0;
}
