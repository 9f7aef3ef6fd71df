#include "report_output.hpp"

#include <fmt/format.h>

#include "outputs.hpp"

namespace humpty::cli {

void ReportOutput::add_to(CLI::App& command) {
  command
      .add_option("--report", file,
                  "Write a page with everything there is to see to FILE: one HTML file that opens "
                  "in any browser, without a network ('-': standard output, instead of the line)")
      ->type_name("FILE");
}

void ReportOutput::write(const std::string& page, Terminal& terminal) const {
  write_output(file, page);
  if (file != "-") terminal.say("page", file + ": open it in a browser");
}

namespace {

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`&|;<>()*?[]#~") == word.npos;
  if (plain) return word;
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string command_text(int argc, const char* const* argv) {
  std::string text = "humpty";
  for (int i = 1; i < argc; ++i) text += " " + quoted(argv[i]);
  return text;
}

}  // namespace humpty::cli
