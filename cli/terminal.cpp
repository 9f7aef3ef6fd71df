#include "terminal.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.hpp"
#include "layout.hpp"

namespace humpty::cli {
namespace {

std::atomic<bool> interrupt_wanted{false};

extern "C" void on_interrupt(int) {
  if (interrupt_wanted.exchange(true)) std::_Exit(130);
}

bool on_terminal() {
  static const bool answer = isatty(STDERR_FILENO) != 0;
  return answer;
}

std::string coloured(std::string_view text, int code) {
  static const bool colours = on_terminal() && std::getenv("NO_COLOR") == nullptr;
  return colours ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::string clock_text(std::chrono::duration<double> time) {
  const auto seconds = static_cast<long long>(time.count());
  return seconds < 3600
             ? fmt::format("{}:{:02}", seconds / 60, seconds % 60)
             : fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace

Terminal::Terminal() { std::signal(SIGINT, on_interrupt); }

Terminal::~Terminal() {
  wipe();
  std::signal(SIGINT, SIG_DFL);
}

bool Terminal::interrupted() const { return interrupt_wanted.load(); }

void Terminal::wipe() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

// "order     43 %  0:12, about 0:16 left  round 3: 12 swaps", cut to the terminal's width: what
// wraps cannot be wiped. What is left is told of the stage at hand, by its share so far.
void Terminal::draw(const Progress& now, Clock::time_point time) {
  constexpr double kTelling = 0.05;
  constexpr std::size_t kMargin = 3;  // for the ^C that a terminal echoes
  std::string line = fmt::format("{:<8} ", now.stage);
  if (now.done >= 0) line += fmt::format("{:3.0f} %  ", 100 * now.done);
  line += clock_text(time - start_);
  if (now.done > kTelling && now.done <= 1)
    line += fmt::format(", about {} left",
                        clock_text((time - stage_start_) * ((1 - now.done) / now.done)));
  line = for_locale(fmt::format("{}  {}", line, now.note));
  fmt::print(stderr, "\r\033[K{}", cut_to(one_line(line), columns(STDERR_FILENO) - kMargin));
  std::fflush(stderr);
  drawn_ = true;
  last_ = time;
}

OnProgress Terminal::progress() {
  return [this](const Progress& now) {
    const auto time = Clock::now();
    if (now.stage != stage_) stage_ = now.stage, stage_start_ = time;
    const bool due =
        time - start_ > std::chrono::seconds(1) && time - last_ > std::chrono::milliseconds(100);
    if (on_terminal() && due) draw(now, time);
    return !interrupted();
  };
}

void Terminal::say(std::string_view label, std::string_view text) {
  wipe();
  fmt::print(stderr, "{:<8} {}\n", label, for_locale(text));
}

std::string green(std::string_view text) { return coloured(text, 32); }
std::string yellow(std::string_view text) { return coloured(text, 33); }

}  // namespace humpty::cli
