#include "layout.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

namespace humpty::cli {
namespace {

bool locale_has_utf8() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (!locale) return false;
  const std::string charset = nl_langinfo_l(CODESET, locale);
  freelocale(locale);
  return charset == "UTF-8" || charset == "utf8";
}

constexpr std::pair<std::string_view, std::string_view> kInAscii[] = {
    {"…", "..."}, {"×", "x"},     {"≥", ">="},  {"≤", "<="},     {"→", "->"}, {"−", "-"},
    {"–", "-"},   {"·", "*"},     {"²", "^2"},  {"½", "1/2"},    {"‖", "||"}, {"√", "sqrt "},
    {"∘", "o"},   {"σ", "sigma"}, {"ε", "eps"}, {"λ", "lambda"}, {"π", "pi"}, {"Σ", "sum "},
    {"≈", "~"},   {"±", "+-"},    {"°", " deg"}};

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Breaks before options only, where no quotes can be.
std::string folded_command(std::string line, std::size_t width) {
  std::string out;
  while (width_of(line) > width) {
    const std::size_t stop = line.rfind(" -", width - 2);
    if (stop == std::string::npos || line.find_first_not_of(' ') > stop) break;
    out += line.substr(0, stop) + " \\\n";
    line = std::string(6, ' ') + line.substr(stop + 1);
  }
  return out + line + "\n";
}

}  // namespace

std::size_t columns(int descriptor) {
  constexpr std::size_t kUsual = 80, kLeast = 10, kMost = 1000;
  winsize size{};
  std::size_t width = ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  const char* stated = std::getenv("COLUMNS");
  if (width == 0 && stated) width = std::strtoul(stated, nullptr, 10);
  return width == 0 ? kUsual : std::clamp(width, kLeast, kMost);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut_to(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (begins_character(text[end]) && characters-- == 0) break;
  return std::string(text.substr(0, end));
}

std::string wrapped(std::string_view words, std::size_t indent, std::size_t width) {
  std::istringstream in{std::string(words)};
  std::string out;
  std::size_t column = indent;
  for (std::string word; in >> word;) {
    const bool first = column == indent;
    if (!first && column + 1 + width_of(word) > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width_of(word);
  }
  return out + "\n";
}

std::string entry_text(const std::string& name, std::string_view meaning, std::size_t width) {
  constexpr std::size_t kRoomy = 70;
  const std::size_t column = width < kRoomy ? 8 : 28;
  std::string line = "  " + name;
  if (meaning.empty()) return line + "\n";
  if (width_of(line) + 1 > column)
    line = wrapped(line, 4, width).insert(0, "  ") + std::string(column, ' ');
  else
    line += std::string(column - width_of(line), ' ');
  return line + wrapped(for_locale(meaning), column, width);
}

std::string filled(std::string_view text, std::size_t width) {
  std::istringstream in{for_locale(text)};
  std::string out, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += wrapped(paragraph, 0, width);
    paragraph.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != ' ') {
      paragraph += line + "\n";
      continue;
    }
    end_paragraph();
    const std::size_t gap = line.find("   ", line.find_first_not_of(' '));
    if (width_of(line) > width && gap != std::string::npos)
      out += entry_text(line.substr(2, gap - 2), std::string_view(line).substr(gap), width);
    else
      out += folded_command(line, width);
  }
  end_paragraph();
  return out;
}

std::string for_locale(std::string_view text) {
  static const bool as_it_is = locale_has_utf8();
  std::string out(text);
  if (as_it_is) return out;
  for (const auto& [character, ascii] : kInAscii)
    for (std::size_t at = 0; (at = out.find(character, at)) != std::string::npos;)
      out.replace(at, character.size(), ascii);
  return out;
}

}  // namespace humpty::cli
