// What the values of options may be, and what is said where they are not. Each of these checks a
// value before CLI11 converts it and leaves it as plain digits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace humpty::cli {

CLI::Validator whole(std::uint64_t least, std::uint64_t most = UINT64_MAX);

constexpr double kLargest = 1e30;  // of any number given: its square is still finite
CLI::Validator number(double least, double most = kLargest);  // both included
CLI::Validator above(double bound, double most = kLargest);

CLI::Validator one_of(const std::vector<std::string>& words);

// An option that takes one of some words, each of which means a value.
template <class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Value& value,
                        const std::string& about,
                        const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  const auto take = [&value, choices](const std::string& text) {
    for (const auto& [word, meaning] : choices)
      if (word == text) value = meaning;
  };
  CLI::Option* option =
      command.add_option_function<std::string>(name, take, about)->check(one_of(words));
  for (const auto& [word, meaning] : choices)
    if (meaning == value) option->default_str(word);
  return option;
}

// Throws where one of the options was given: it has no effect, and this is why.
void refuse_without_effect(const CLI::App& command, const std::string& why,
                           const std::vector<std::string>& options);

}  // namespace humpty::cli
