#include "base/parallel.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
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

// Rounds follow each other at once, after a moment in which the workers look on, and after one in
// which they fall asleep; more threads than cores, too.
TEST(Threads, RoundsOfAnySpacingLoseNoJob) {
  for (unsigned count : {2u, 3u, 16u}) {
    Threads threads(count);
    std::size_t done = 0;
    for (int round = 0; round < 600; ++round) {
      std::vector<std::size_t> results(1 + round % 7);
      threads.run(results.size(), [&](std::size_t job, unsigned) { results[job] = job + 1; });
      for (std::size_t job = 0; job < results.size(); ++job) done += results[job] == job + 1;
      if (round % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(10 * round));
    }
    std::size_t expected = 0;
    for (int round = 0; round < 600; ++round) expected += 1 + round % 7;
    EXPECT_EQ(done, expected);
  }
}

}  // namespace
}  // namespace humpty
