// verdicts COUNT [FIRST]: makes COUNT nets and ten times as many tiny ones and looks for a wrong
// "exact". See verify/many_nets.hpp and verify/tiny_nets.hpp.
#include <cstdio>
#include <cstdlib>

#include "verify/many_nets.hpp"
#include "verify/tiny_nets.hpp"

namespace {

using namespace humpty::test;

void print(const Tally& tally) {
  std::printf(
      "%zu nets, %zu other orders: wrong exact %zu; truths exact %zu, ambiguous %zu, "
      "refused %zu; solved exactly %zu, ambiguously %zu\n",
      tally.nets, tally.orders, tally.wrong_exact, tally.exact, tally.ambiguous, tally.refused,
      tally.solved, tally.solved_ambiguously);
  std::fflush(stdout);
}

std::size_t print(const char* title, const std::map<std::string, TinyTally::Count>& by_kind) {
  std::printf("\n%s\n%-28s %6s %7s %6s %12s %12s %8s %8s\n", title, "", "nets", "unique", "exact",
              "wrong exact", "wrong count", "refused", "skipped");
  TinyTally::Count sum;
  const auto line = [](const char* kind, const TinyTally::Count& c) {
    std::printf("%-28s %6zu %7zu %6zu %12zu %12zu %8zu %8zu\n", kind, c.nets, c.unique, c.exact,
                c.wrong_exact, c.wrong_count, c.refused, c.skipped);
  };
  for (const auto& [kind, c] : by_kind) {
    line(kind.c_str(), c);
    sum.nets += c.nets, sum.unique += c.unique, sum.exact += c.exact;
    sum.wrong_exact += c.wrong_exact, sum.wrong_count += c.wrong_count;
    sum.refused += c.refused, sum.skipped += c.skipped;
  }
  line("all", sum);
  return sum.wrong_exact + sum.wrong_count + sum.refused;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned count = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 500,
                 first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  TinyTally tiny;
  for (unsigned seed = first; seed < first + 10 * count; ++seed) {
    study_tiny(seed, tiny);
    if ((seed + 1 - first) % 500 == 0)
      std::printf("%u tiny nets against all arrangements\n", seed + 1 - first), std::fflush(stdout);
  }
  std::size_t failures =
      print("all arrangements tried (the default for so few blocks)", tiny.by_kind);
  print("rivals only (--certificate full)", tiny.of_rivals);
  if (!tiny.first_failure.empty()) std::printf("first failure: %s\n", tiny.first_failure.c_str());
  std::printf("\n");

  Tally tally;
  for (unsigned seed = first; seed < first + count; ++seed) {
    study_one(seed, tally, true);
    if (tally.nets % 50 == 0 || tally.nets == count) print(tally);
  }
  if (!tally.first_failure.empty()) std::printf("first failure: %s\n", tally.first_failure.c_str());
  return failures + tally.wrong_exact + tally.refused > 0;
}
