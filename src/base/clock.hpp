// How long each stage of a job took.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "humpty/humpty.hpp"

namespace humpty {

class Clock {
 public:
  explicit Clock(std::vector<Timing>& timings) : timings_(timings) {}

  // Adds the time since the last lap to a stage.
  void lap(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    for (Timing& timing : timings_)
      if (timing.stage == stage) return void(timing.ms += ms);
    timings_.push_back({stage, ms});
  }

 private:
  std::vector<Timing>& timings_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace humpty
