#include "values.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "humpty/humpty.hpp"
#include "layout.hpp"

namespace humpty::cli {
namespace {

template <class Number>
bool parse_all(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string shown(const std::string& text) {
  constexpr std::size_t kMost = 40;
  return one_line(width_of(text) > kMost ? cut_to(text, kMost) + "..." : text);
}

// NaN is in no range.
template <class Number>
CLI::Validator in_range(const std::string& kind, const std::string& limits,
                        std::function<bool(Number)> allowed) {
  const auto check = [=](std::string& text) -> std::string {
    Number number{};
    if (!parse_all(text, number) || !allowed(number))
      return fmt::format("must be {}{}{}, not '{}'", kind, limits.empty() ? "" : ", ", limits,
                         shown(text));
    text = fmt::format("{}", number);
    return "";
  };
  return CLI::Validator(check, limits);
}

std::string limits_text(const std::string& least, const std::string& most) {
  return most.empty() ? least + " or more" : fmt::format("{} to {}", least, most);
}

}  // namespace

CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  const bool open = most == UINT64_MAX;
  const std::string limits =
      open && least == 0 ? ""
                         : limits_text(std::to_string(least), open ? "" : std::to_string(most));
  return in_range<std::uint64_t>("a whole number", limits, [=](std::uint64_t value) {
    return value >= least && value <= most;
  });
}

CLI::Validator number(double least, double most) {
  const std::string limits =
      limits_text(fmt::format("{}", least), most == kLargest ? "" : fmt::format("{}", most));
  return in_range<double>("a number", limits,
                          [=](double value) { return value >= least && value <= most; });
}

CLI::Validator above(double bound, double most) {
  const std::string limits =
      fmt::format("above {}", bound) + (most == kLargest ? "" : fmt::format(" and up to {}", most));
  return in_range<double>("a number", limits,
                          [=](double value) { return value > bound && value <= most; });
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    return fmt::format("must be one of {}, not '{}'", fmt::join(words, ", "), shown(text));
  };
  return CLI::Validator(check, fmt::format("{{{}}}", fmt::join(words, ",")));
}

void refuse_without_effect(const CLI::App& command, const std::string& why,
                           const std::vector<std::string>& options) {
  for (const std::string& option : options)
    if (command.count(option) > 0)
      throw Error(ErrorCode::usage, fmt::format("{} has no effect {}; see 'humpty {} --help'",
                                                option, why, command.get_name()));
}

}  // namespace humpty::cli
