#include "terminal.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

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

OnProgress Terminal::progress() {
  return [this](const Progress& now) {
    const auto time = Clock::now();
    const bool due =
        time - start_ > std::chrono::seconds(1) && time - last_ > std::chrono::milliseconds(100);
    if (on_terminal() && due) {
      const std::string share = now.done >= 0 ? fmt::format("{:3.0f} %  ", 100 * now.done) : "";
      fmt::print(stderr, "\r\033[K{:<8} {}{}", now.stage, share, now.note);
      std::fflush(stderr);
      drawn_ = true;
      last_ = time;
    }
    return !interrupted();
  };
}

void Terminal::say(std::string_view label, std::string_view text) {
  wipe();
  fmt::print(stderr, "{:<8} {}\n", label, text);
}

std::string green(std::string_view text) { return coloured(text, 32); }
std::string yellow(std::string_view text) { return coloured(text, 33); }

}  // namespace humpty::cli
