// What a person at a terminal sees: progress on long work, colours, a clean stop on ctrl-C.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "humpty/humpty.hpp"

namespace humpty::cli {

// Draws one line of progress on standard error, with the time that has passed and may be left, from
// the second second on, and only on a terminal.
// The first ctrl-C asks the library to stop with what it has, the second ends the program.
class Terminal {
 public:
  Terminal();
  ~Terminal();

  OnProgress progress();
  // One line "label    text" on standard error, after wiping the line of progress.
  void say(std::string_view label, std::string_view text);
  bool interrupted() const;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const Progress& now, Clock::time_point time);
  void wipe();

  bool drawn_ = false;
  std::string stage_;
  Clock::time_point start_ = Clock::now(), last_ = start_, stage_start_ = start_;
};

// Wraps text in a colour if standard error is a terminal (and NO_COLOR is not set).
std::string green(std::string_view text);
std::string yellow(std::string_view text);

}  // namespace humpty::cli
