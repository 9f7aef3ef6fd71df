#include "base/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace humpty {
namespace {

TEST(Threads, EveryJobRunsOnce) {
  for (unsigned count : {1u, 2u, 5u}) {
    Threads threads(count);
    EXPECT_EQ(threads.count(), count);
    for (std::size_t jobs : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> seen(jobs);
      threads.run(jobs, [&](std::size_t job, unsigned worker) {
        ASSERT_LT(worker, count);
        ++seen[job];
      });
      for (auto& times : seen) EXPECT_EQ(times.load(), 1);
    }
  }
}

TEST(Threads, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  Threads threads(3);
  const auto fail = [](std::size_t job, unsigned) {
    if (job == 17) throw std::runtime_error("seventeen");
  };
  EXPECT_THROW(threads.run(100, fail), std::runtime_error);
  std::atomic<int> done = 0;
  threads.run(100, [&](std::size_t, unsigned) { ++done; });
  EXPECT_EQ(done.load(), 100);
}

}  // namespace
}  // namespace humpty
