#include "usage_error.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace humpty::cli {
namespace {

// How many letters to change, add, leave out or exchange with their neighbour (Damerau's distance,
// in the form that touches no letter twice): most slips of the fingers are one of these.
std::size_t slips(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// The nearest of the words, where one is near: within two slips, and a third of its letters.
std::string nearest(const std::string& typed, const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 40;
  std::string best;
  std::size_t least = 3;
  for (const std::string& word : words) {
    if (typed.size() > kLongest) break;
    const std::size_t distance = slips(typed, word);
    if (distance < least && 3 * distance <= word.size()) least = distance, best = word;
  }
  return best;
}

std::string unknown(const char* what, const std::string& typed,
                    const std::vector<std::string>& words) {
  const std::string meant = nearest(typed, words);
  return fmt::format("unknown {} '{}'{}", what, one_line(typed),
                     meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant));
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(each->get_name());
  return names;
}

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// "--json: 1 required FILE missing", "--rng: At Most 1 required but received 2".
std::string mismatch(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  return text.ends_with("missing") ? fmt::format("{} needs a value", option)
                                   : fmt::format("{} takes one value, once", option);
}

std::string in_our_words(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::vector<std::string> extras = command.remaining();
  if (!extras.empty() && extras[0].starts_with('-'))
    return unknown("option", extras[0].substr(0, extras[0].find('=')), long_names(command));
  if (!extras.empty() && chosen.empty()) return unknown("command", extras[0], command_names(app));
  if (!extras.empty()) return fmt::format("unexpected '{}'", one_line(extras[0]));
  if (chosen.empty() && error.get_name() == "RequiredError") return "no command is given";
  const std::string text = one_line(error.what());
  if (error.get_name() == "ArgumentMismatch") return mismatch(text);
  if (error.get_name() == "ConversionError")  // numbers are checked before: a flag, then
    return "not understood: " + text.substr(text.find(": ") + 2);
  return text;
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "humpty";
  for (const CLI::App* chosen : app.get_subcommands()) command += " " + chosen->get_name();
  return fmt::format("{}; see '{} --help'", in_our_words(app, error), command);
}

}  // namespace humpty::cli
