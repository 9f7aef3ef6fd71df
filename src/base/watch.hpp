// Progress outwards, the wish to stop inwards.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "humpty/humpty.hpp"

namespace humpty {

// Why a search ended before it was done.
enum class Stop { no, asked, out_of_time };

// Thrown by check(), and by threads that heed a watch. Whoever knows the best so far catches it.
struct Stopped {};

// Asked in two ways. go_on() is for the one who can end his work in good order. check() is for the
// small pieces that all work is made of, on any thread: what was half done is then dropped by an
// exception, so nobody goes on with numbers that were never computed, and no function between has
// to know. A few tens of milliseconds between two calls keep any stop prompt.
class Watch {
 public:
  // `seconds`: how long the work may take (0: as long as it wants).
  explicit Watch(OnProgress report, double seconds = 0)
      : report_(std::move(report)), deadline_(Clock::now() + duration(seconds)) {}

  // Reports, and asks whether to go on. Once the answer was no, it stays no.
  bool go_on(std::string_view stage, double done, std::string note = "") {
    now_ = {stage, done, std::move(note)};
    report();
    look_at_clock();
    return !stopped();
  }
  // Throws Stopped where the answer is no. The thread that made the watch reports anew by this,
  // now and then, in case somebody has come to ask for a stop.
  void check() {
    const Clock::time_point time = look_at_clock();
    if (time - reported_.load(std::memory_order_relaxed) > kSilence &&
        std::this_thread::get_id() == owner_)
      report();
    if (stopped()) throw Stopped{};
  }
  // The first reason counts.
  void stop(Stop why) {
    Stop none = Stop::no;
    stop_.compare_exchange_strong(none, why, std::memory_order_relaxed);
  }
  bool stopped() const { return why() != Stop::no; }
  Stop why() const { return stop_.load(std::memory_order_relaxed); }
  double seconds_left() const {
    return std::chrono::duration<double>(deadline_ - Clock::now()).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kSilence{200};

  static Clock::duration duration(double seconds) {
    constexpr double kForever = 1e9;
    const double limit = seconds > 0 && seconds < kForever ? seconds : kForever;
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit));
  }
  void report() {
    if (!stopped() && report_ && !report_(now_)) stop(Stop::asked);
    reported_.store(Clock::now(), std::memory_order_relaxed);
  }
  Clock::time_point look_at_clock() {
    const Clock::time_point time = Clock::now();
    if (time > deadline_) stop(Stop::out_of_time);
    return time;
  }

  OnProgress report_;
  Clock::time_point deadline_;
  std::thread::id owner_ = std::this_thread::get_id();
  Progress now_;
  std::atomic<Clock::time_point> reported_{Clock::now()};
  std::atomic<Stop> stop_ = Stop::no;
};

}  // namespace humpty
