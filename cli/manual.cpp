// The manual page, in roff's man macros, made from the option table.
#include <fmt/format.h>

#include "commands.hpp"
#include "humpty/humpty.hpp"
#include "option_table.hpp"
#include "outputs.hpp"

namespace humpty::cli {
namespace {

// One character from UTF-8. The texts are our own, so they are valid.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  char32_t character = length == 1 ? byte(0) : byte(0) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3fu);
  text.remove_prefix(length);
  return character;
}

// Text as roff prints it unchanged: a minus that can be copied, no escapes, no line that begins
// like a request, and nothing beyond ASCII, so that no reader has to guess the encoding.
std::string roff(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '"')
      out += "\\(dq";
    else if (c == U'…')
      out += "...";
    else if (c < 0x80)
      out += static_cast<char>(c);
    else
      out += fmt::format("\\[u{:04X}]", static_cast<unsigned>(c));
  }
  return out;
}

// Paragraphs as the help has them: indented lines stay as they are, the others are filled.
std::string prose(std::string_view text) {
  std::string out;
  bool filling = true, fresh = true;
  for (const std::string& line : CLI::detail::split(std::string(text), '\n')) {
    const bool fill = !line.starts_with("  ");
    if (line.empty()) {
      fresh = true;
      continue;
    }
    if (fill != filling) out += fill ? ".fi\n" : ".nf\n";
    if (fresh) out += ".PP\n";
    out += roff(line) + "\n";
    filling = fill;
    fresh = false;
  }
  return out + (filling ? "" : ".fi\n");
}

std::string option_text(const OptionEntry& option) {
  std::string tag;
  for (const std::string& name : option.names)
    tag += fmt::format("{}\\f{}{}\\fR", tag.empty() ? "" : ", ", option.positional ? 'I' : 'B',
                       roff(name));
  if (!option.value.empty() && !(option.positional && option.choices.empty()))
    tag += fmt::format(" \\f{}{}\\fR", option.choices.empty() ? 'I' : 'B', roff(option.value));
  return fmt::format(".TP\n{}{}\n{}\n", tag, option.several ? " ..." : "",
                     roff(option.description));
}

// Positionals first, then the options group by group, CLI11's own group without a heading.
std::string options_text(const CommandEntry& command) {
  std::string positionals, out, group = "Options";
  for (const OptionEntry& option : command.options) {
    if (option.positional) {
      positionals += option_text(option);
      continue;
    }
    if (option.group != group) out += fmt::format(".PP\n{}:\n", roff(option.group));
    group = option.group;
    out += option_text(option);
  }
  return positionals + out;
}

std::string synopsis(const CommandEntry& command) {
  return fmt::format(".B {}\n{}\n", roff(command.name), roff(command.usage()));
}

std::string command_text(const CommandEntry& command) {
  return fmt::format(".SS {} {}\n{}.\n{}{}", roff(command.name), roff(command.usage()),
                     roff(command.description), options_text(command), prose(command.footer));
}

// The program's description is "NAME does this." and then paragraphs.
std::string manual(const Program& program) {
  const std::string &name = program.whole.name, &about = program.whole.description;
  const std::size_t stop = about.find(".\n");
  const std::string purpose = about.substr(name.size() + 1, stop - name.size() - 1);
  std::string page =
      fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
                  name, name, version(), name, roff(purpose));
  for (const CommandEntry& command : program.commands)
    page += synopsis(command) + (&command == &program.commands.back() ? "" : ".br\n");
  page += ".SH DESCRIPTION\n" + prose(about.substr(stop + 1)) + ".SH OPTIONS\n" +
          options_text(program.whole) + ".SH COMMANDS\n";
  for (const CommandEntry& command : program.commands) page += command_text(command);
  return page + ".SH NOTES\n" + prose(program.whole.footer);
}

}  // namespace

void add_manual(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("manual", "Print the manual page, for man");
  command->footer(R"(
The page is in roff, as man reads it, and is made from the same table as the help.

Example:
  humpty manual > humpty.1;  man ./humpty.1)");
  command->callback([&app, &exit_code] {
    write_output("-", manual(describe(app)));
    exit_code = 0;
  });
}

}  // namespace humpty::cli
