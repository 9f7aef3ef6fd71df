// Progress outwards, the wish to stop inwards.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "humpty/humpty.hpp"

namespace humpty {

// Why a search ended before it was done.
enum class Stop { no, asked, out_of_time };

class Watch {
 public:
  // `seconds`: how long the work may take (0: as long as it wants). `news` shows what was found.
  explicit Watch(OnProgress report, double seconds = 0, std::function<void()> news = {})
      : report_(std::move(report)),
        news_(std::move(news)),
        deadline_(Clock::now() + duration(seconds)) {}

  // Reports, and asks whether to go on. Once the answer was no, it stays no.
  bool go_on(std::string_view stage, double done, std::string note = "") {
    if (stop_ == Stop::no && report_ && !report_({stage, done, std::move(note)}))
      stop_ = Stop::asked;
    if (stop_ == Stop::no && Clock::now() > deadline_) stop_ = Stop::out_of_time;
    return stop_ == Stop::no;
  }
  // There is more to show than before.
  void found_more() const {
    if (news_) news_();
  }
  bool stopped() const { return stop_ != Stop::no; }
  Stop why() const { return stop_; }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::duration duration(double seconds) {
    constexpr double kForever = 1e9;
    const double limit = seconds > 0 && seconds < kForever ? seconds : kForever;
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit));
  }

  OnProgress report_;
  std::function<void()> news_;
  Clock::time_point deadline_;
  Stop stop_ = Stop::no;
};

}  // namespace humpty
