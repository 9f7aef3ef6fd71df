// Best and median of several runs: the machines are shared, and the best run had least company.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace humpty::bench {

struct Times {
  double best, median;  // seconds
};

inline Times summary(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[0], seconds[seconds.size() / 2]};
}

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline Times time_of(const std::function<void()>& work, int runs) {
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) seconds.push_back(seconds_of(work));
  return summary(std::move(seconds));
}

}  // namespace humpty::bench
