// The instruction set that the kernels run on, chosen when the program runs.
//
// Highway compiles every kernel once per instruction set. Its own run-time half, which picks one,
// comes in a shared library that calibrates a timer for 4 ms whenever a process starts, more than
// all else put together. Picking takes a page, so it is done here, and Highway is headers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Scalable vectors cannot stand in an array, which the register tile is; NEON serves those
// machines. To be included before Highway's own headers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#ifdef HUMPTY_ONE_TARGET  // only what the compiler is told to assume; for make bench-guard
#define HWY_COMPILE_ONLY_STATIC
#endif

namespace humpty::net {

struct Target {
  std::int64_t bit;  // Highway's: HWY_AVX2 and so on
  const char* name;
};

std::vector<Target> targets();      // compiled in and fit for this machine, the best first
void choose_target(Target target);  // for tests; until then it is the best
std::size_t target_place();         // of the chosen one in the tables below

}  // namespace humpty::net

// After the last target, where HWY_ONCE is set: HUMPTY_EXPORT(Function) makes the table of
// Function's versions, HUMPTY_DISPATCH(Function)(…) calls the one chosen.
#define HUMPTY_EXPORT(function)                                             \
  static decltype(&HWY_STATIC_DISPATCH(function)) const function##Table[] { \
    HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)         \
  }
#define HUMPTY_DISPATCH(function) (*function##Table[::humpty::net::target_place()])
