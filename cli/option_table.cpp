#include "option_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "layout.hpp"

namespace humpty::cli {
namespace {

// "TEXT:{bash,zsh}": a list of words, as cli/values.cpp describes it.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::string value_named(const std::string& type) {
  const std::string kind = type.substr(0, type.find(':'));
  if (kind == "UINT" || kind == "INT") return "N";
  return kind == "FLOAT" ? "X" : kind;
}

// "UINT:1 to 1024".
std::string limits_in(const std::string& type) {
  const std::size_t colon = type.find(':');
  if (colon == std::string::npos || type.find('{') != std::string::npos) return "";
  return type.substr(colon + 1);
}

std::string description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::string limits = limits_in(option.get_type_name());
  if (!limits.empty()) text += "; " + limits;
  if (!option.get_default_str().empty()) text += fmt::format(" [{}]", option.get_default_str());
  return text;
}

CommandEntry describe_command(const CLI::App& app, const std::string& name) {
  CommandEntry entry{name, app.get_description(), app.get_footer(), {}};
  for (const std::string& group : app.get_groups())
    for (const CLI::Option* option : app.get_options())
      if (option->get_group() == group && !group.empty())
        entry.options.push_back(describe(*option));
  return entry;
}

}  // namespace

bool OptionEntry::takes_file() const {
  if (!choices.empty()) return false;
  const std::string& what = positional ? names[0] : value;
  for (const char* word : {"FILE", "DIR", "PATH", "MODEL", "CHECKPOINT"})
    if (what.find(word) != std::string::npos) return true;
  return false;
}

std::string CommandEntry::word() const { return name.substr(name.rfind(' ') + 1); }

std::string CommandEntry::usage() const {
  std::string text = "[OPTIONS]";
  for (const OptionEntry& option : options)
    if (option.required && !option.positional)
      text += fmt::format(" {} {}", option.names.back(), option.value);
  for (const OptionEntry& option : options) {
    if (!option.positional) continue;
    const std::string word =
        (option.choices.empty() ? option.names[0] : option.value) + (option.several ? "..." : "");
    text += option.required ? " " + word : " [" + word + "]";
  }
  return text;
}

OptionEntry describe(const CLI::Option& option) {
  OptionEntry entry;
  entry.positional = !option.nonpositional();
  entry.names = CLI::detail::split(option.get_name(entry.positional, true), ',');
  entry.choices = choices_in(option.get_type_name());
  if (option.get_type_size() != 0)
    entry.value = entry.choices.empty() ? value_named(option.get_type_name())
                                        : fmt::format("{}", fmt::join(entry.choices, "|"));
  entry.description = description_of(option);
  entry.group = option.get_group();
  entry.required = option.get_required();
  entry.several = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return entry;
}

Program describe(const CLI::App& app) {
  Program program{describe_command(app, app.get_name()), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    program.commands.push_back(
        describe_command(*command, app.get_name() + " " + command->get_name()));
  return program;
}

namespace {

std::string left_column(const OptionEntry& entry) {
  std::string text = fmt::format("{}", fmt::join(entry.names, ","));
  if (!entry.value.empty() && !(entry.positional && entry.choices.empty()))
    text += " " + entry.value;
  if (entry.several) text += " ...";
  if (entry.required && !entry.positional) text += " REQUIRED";
  return text;
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool) const {
  return entry_text(left_column(describe(*option)), description_of(*option), width_);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry_text(command->get_name(), command->get_description(), width_);
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return filled(app->get_description(), width_);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return filled(app->get_footer(), width_);
}

}  // namespace humpty::cli
