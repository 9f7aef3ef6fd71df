// Completion scripts for the shells, made from the option table. Each knows the commands, their
// options, the words that an option takes where these are few, and leaves files to the shell. They
// need nothing but the shell itself.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "option_table.hpp"
#include "outputs.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

std::string words_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// For shells' single quotes: a quote ends the text, stands by itself, and the text goes on.
std::string in_quotes(const std::string& text) {
  return "'" + CLI::detail::find_and_replace(text, "'", "'\\''") + "'";
}

// ------------------------------------------------------------------------------------------ bash

std::vector<std::string> option_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// What may follow an option: one branch of the script's outer case.
std::string bash_value(const CommandEntry& command, const OptionEntry& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names)
    patterns.push_back(fmt::format("'{} {}'", command.word(), name));
  const std::string action = !option.choices.empty()
                                 ? fmt::format("words='{}'", words_of(option.choices))
                             : option.takes_file() ? "return"
                                                   : "compopt +o default 2>/dev/null; return";
  return fmt::format("    {}) {} ;;\n", fmt::join(patterns, "|"), action);
}

// What may follow a command: its options after a dash, else its own words or, by default, files.
std::string bash_command(const CommandEntry& command, const std::vector<std::string>& own_words) {
  return fmt::format("      {}) [[ $cur == -* ]] && words='{}' || words='{}' ;;\n", command.word(),
                     words_of(option_names(command)), words_of(own_words));
}

std::vector<std::string> positional_choices(const CommandEntry& command) {
  for (const OptionEntry& option : command.options)
    if (option.positional) return option.choices;
  return {};
}

std::string bash_script(const Program& program) {
  std::vector<std::string> names;
  std::string values, commands;
  for (const CommandEntry& command : program.commands) {
    names.push_back(command.word());
    for (const OptionEntry& option : command.options)
      if (!option.positional && !option.value.empty()) values += bash_value(command, option);
    commands += bash_command(command, positional_choices(command));
  }
  const std::string& name = program.whole.name;
  return fmt::format(R"(# bash completion for {0}, made by '{0} completion bash'.
_{0}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command={0} words= i
  COMPREPLY=()
  # readline splits --name=value into three words
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=${{COMP_WORDS[COMP_CWORD - 2]}}
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ' {1} ' == *" ${{COMP_WORDS[i]}} "* ]] && command=${{COMP_WORDS[i]}} && break
  done
  case "$command $prev" in
{2}    *) case "$command" in
{3}{4}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _{0} {0}
)",
                     name, words_of(names), values, bash_command(program.whole, names), commands);
}

// ------------------------------------------------------------------------------------------- zsh

// Descriptions stand in brackets, fields end with colons.
std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"})
    text = CLI::detail::find_and_replace(text, special, std::string("\\") + special);
  return text;
}

std::string zsh_action(const OptionEntry& option) {
  if (!option.choices.empty()) return fmt::format("({})", words_of(option.choices));
  return option.takes_file() ? "_files" : " ";
}

std::string zsh_argument(const OptionEntry& option) {
  if (option.positional)
    return in_quotes(
        fmt::format("{}:{}:{}", option.several ? "*" : "1", option.names[0], zsh_action(option)));
  std::string text = fmt::format("[{}]", zsh_text(option.description));
  if (!option.value.empty())
    text += fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
  std::vector<std::string> names = option.names;
  for (std::string& name : names)
    if (!option.value.empty() && name.starts_with("--")) name += '=';  // --name=value as well
  if (names.size() == 1) return in_quotes(names[0] + text);
  return fmt::format("'({})'{{{}}}{}", words_of(option.names), fmt::join(names, ","),
                     in_quotes(text));
}

std::string zsh_arguments(const CommandEntry& command) {
  std::vector<std::string> arguments;
  for (const OptionEntry& option : command.options) arguments.push_back(zsh_argument(option));
  return fmt::format("{}", fmt::join(arguments, " \\\n        "));
}

std::string zsh_script(const Program& program) {
  std::string list, branches;
  for (const CommandEntry& command : program.commands) {
    list += fmt::format(
        "    {}\n", in_quotes(fmt::format("{}:{}", command.word(), zsh_text(command.description))));
    branches += fmt::format("    {})\n      _arguments \\\n        {} ;;\n", command.word(),
                            zsh_arguments(command));
  }
  return fmt::format(R"(#compdef {0}
# zsh completion for {0}, made by '{0} completion zsh'.
_{0}() {{
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
{1}  )
  _arguments -C \
        {2} \
        '1:command:->command' \
        '*::argument:->argument' && return
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $words[1] in
{3}  esac
}}
if [[ $funcstack[1] == _{0} ]]; then _{0} "$@"; else compdef _{0} {0}; fi
)",
                     program.whole.name, list, zsh_arguments(program.whole), branches);
}

// ------------------------------------------------------------------------------------------ fish

std::string fish_text(std::string text) {
  for (const char* special : {"\\", "'"})
    text = CLI::detail::find_and_replace(text, special, std::string("\\") + special);
  return "'" + text + "'";
}

std::string fish_option(const std::string& program, const std::string& when,
                        const OptionEntry& option) {
  std::string line = fmt::format("complete -c {} -n {}", program, when);
  if (!option.positional)
    for (const std::string& name : option.names)
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    line += fmt::format("{} -a '{}'", option.positional ? "" : " -x", words_of(option.choices));
  else if (option.takes_file())
    line += option.positional ? " -F" : " -r -F";
  else if (!option.value.empty())
    line += " -x";
  return line + " -d " + fish_text(option.description) + "\n";
}

std::string fish_script(const Program& program) {
  const std::string& name = program.whole.name;
  std::string out = fmt::format(
      "# fish completion for {0}, made by '{0} completion fish'.\ncomplete -c {0} -f\n", name);
  for (const OptionEntry& option : program.whole.options)
    out += fish_option(name, "__fish_use_subcommand", option);
  for (const CommandEntry& command : program.commands) {
    out += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", name,
                       command.word(), fish_text(command.description));
    const std::string when = fmt::format("'__fish_seen_subcommand_from {}'", command.word());
    for (const OptionEntry& option : command.options) out += fish_option(name, when, option);
  }
  return out;
}

std::string script(const std::string& shell, const Program& program) {
  if (shell == "bash") return bash_script(program);
  return shell == "zsh" ? zsh_script(program) : fish_script(program);
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->footer(R"(
To try it in this shell, or to keep it (an installed package has them in place already):
  source <(humpty completion bash)
  humpty completion bash > ~/.local/share/bash-completion/completions/humpty
  humpty completion zsh > ~/.zfunc/_humpty          (a folder in $fpath)
  humpty completion fish > ~/.config/fish/completions/humpty.fish)");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "Which shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  command->callback([shell, &app, &exit_code] {
    write_output("-", script(*shell, describe(app)));
    exit_code = 0;
  });
}

}  // namespace humpty::cli
