#include "puzzle/natural.hpp"

#include <algorithm>
#include <charconv>

namespace humpty::puzzle {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && digit(text[length])) ++length;
  const std::string_view run = text.substr(0, length);
  text.remove_prefix(length);
  return run;
}

std::string_view without_zeros(std::string_view run) {
  run.remove_prefix(std::min(run.find_first_not_of('0'), run.size()));
  return run;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (digit(a[0]) && digit(b[0])) {
      const std::string_view x = without_zeros(take_digits(a)), y = without_zeros(take_digits(b));
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

std::optional<int> last_number(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && !digit(name[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && digit(name[begin - 1])) --begin;
  int number = 0;
  const auto parsed = std::from_chars(name.data() + begin, name.data() + end, number);
  if (begin == end || parsed.ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace humpty::puzzle
