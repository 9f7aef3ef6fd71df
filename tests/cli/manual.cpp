// The manual page and the completions are made from the option table; here they are read back by
// the programs that they are for.
#include <algorithm>

#include <gtest/gtest.h>

#include "program.hpp"

namespace humpty {
namespace {

using test::expect_refused;
using test::Folder;
using test::Outcome;
using test::read_text;
using test::run_program;

bool there_is(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// Runs a shell command in the folder; gives its exit code.
int shell(const Folder& folder, const std::string& command) {
  const int status = std::system(fmt::format("cd '{}' && {}", folder.path(), command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What the help shows: each line of commands or options starts with two blanks and a name.
std::vector<std::string> names_in_help(const Folder& folder, const std::string& command,
                                       bool options) {
  std::istringstream help(run_program(folder, command + " --help").out);
  std::vector<std::string> found;
  bool listing = false;
  for (std::string line; std::getline(help, line);) {
    if (line.empty()) listing = false;
    if (listing && line.starts_with("  -") == options && line.starts_with("  ") && line[2] != ' ') {
      std::istringstream names(line.substr(2, line.find(' ', 2) - 2));
      for (std::string name; std::getline(names, name, ',');) found.push_back(name);
    }
    if (line == "Subcommands:" || (options && line.ends_with(':'))) listing = true;
  }
  return found;
}

std::vector<std::string> commands(const Folder& folder) {
  const std::vector<std::string> all = names_in_help(folder, "", false);
  EXPECT_GE(all.size(), 6u);
  return all;
}

std::vector<std::string> options_of(const Folder& folder, const std::string& command) {
  const std::vector<std::string> all = names_in_help(folder, command, true);
  EXPECT_GE(all.size(), 2u) << command;  // -h and --help
  return all;
}

std::string with_copyable_minus(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '-' ? "\\-" : std::string(1, c);
  return escaped;
}

TEST(Manual, HasAllCommandsAndTheirOptions) {
  const Folder folder;
  const Outcome run = run_program(folder, "manual");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.out.starts_with(".TH humpty 1 "));
  for (const std::string& command : commands(folder)) {
    const std::size_t start = run.out.find(fmt::format("\n.SS humpty {} [OPTIONS]", command));
    ASSERT_NE(start, std::string::npos) << command;
    const std::string section = run.out.substr(start, run.out.find("\n.S", start + 1) - start);
    for (const std::string& option : options_of(folder, command))
      EXPECT_NE(section.find(fmt::format("\\fB{}\\fR", with_copyable_minus(option))),
                std::string::npos)
          << command << ' ' << option;
  }
  for (const char* line : {"\\fB\\-\\-method\\fR \\fBbest|paper\\fR",
                           "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIDIR\\fR", "\\fIPATH\\fR ..."})
    EXPECT_NE(run.out.find(fmt::format(".TP\n{}\n", line)), std::string::npos) << line;
}

TEST(Manual, IsAsciiSoThatNoReaderGuessesTheEncoding) {
  const Outcome run = run_program(Folder(), "manual");
  for (const unsigned char c : run.out) ASSERT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << int{c};
}

TEST(Manual, ManReadsItWithoutAWarning) {
  if (!there_is("man")) GTEST_SKIP() << "there is no man here";
  const Folder folder;
  test::write_text(folder / "humpty.1", run_program(folder, "manual").out);
  for (const char* encoding : {"UTF-8", "ascii"}) {
    EXPECT_EQ(shell(folder, fmt::format("MANWIDTH=90 man --warnings -E {} -l humpty.1 >page 2>said",
                                        encoding)),
              0);
    EXPECT_EQ(read_text(folder / "said"), "");
    const std::string page = read_text(folder / "page");
    for (const char* text : {"\nDESCRIPTION\n", "\nCOMMANDS\n", "humpty - puts dropped",
                             "humpty solve [OPTIONS] PATH...", "--method best|paper",
                             "  humpty solve FOLDER --method paper"})
      EXPECT_NE(page.find(text), std::string::npos) << "no '" << text << "' in\n" << page;
  }
}

class BashCompletion : public testing::Test {
 protected:
  void SetUp() override {
    if (!there_is("bash")) GTEST_SKIP() << "there is no bash here";
    test::write_text(folder_ / "humpty.bash", run_program(folder_, "completion bash").out);
  }

  // What bash offers when tab is pressed at the end of these words, the last of them unfinished.
  std::vector<std::string> offered(const std::string& words) {
    EXPECT_EQ(shell(folder_, fmt::format("bash -uc 'source ./humpty.bash; COMP_WORDS=({}); "
                                         "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _humpty; "
                                         "printf \"%s\\n\" \"${{COMPREPLY[@]}}\"' >offered 2>said",
                                         words)),
              0);
    EXPECT_EQ(read_text(folder_ / "said"), "");
    std::istringstream lines(read_text(folder_ / "offered"));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) all.push_back(line);
    return all;
  }

  using Words = std::vector<std::string>;
  Folder folder_;
};

TEST_F(BashCompletion, Commands) {
  EXPECT_EQ(offered("humpty so"), Words{"solve"});
  const Words all = offered("humpty \"\"");
  for (const std::string& command : commands(folder_))
    EXPECT_EQ(std::count(all.begin(), all.end(), command), 1) << command;
}

TEST_F(BashCompletion, OptionsAreThoseOfTheHelp) {
  for (const std::string& command : commands(folder_)) {
    Words expected = options_of(folder_, command), all = offered("humpty " + command + " -");
    std::sort(expected.begin(), expected.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, expected) << command;
  }
  EXPECT_EQ(offered("humpty solve . --bra"), Words{"--bradley-terry"});
}

TEST_F(BashCompletion, WordsThatAnOptionTakes) {
  EXPECT_EQ(offered("humpty solve --method \"\""), (Words{"best", "paper"}));
  EXPECT_EQ(offered("humpty solve . --method = p"), Words{"paper"});
  EXPECT_EQ(offered("humpty solve . --seed ="), (Words{"delta", "wout"}));
  EXPECT_EQ(offered("humpty solve --activation ge"), (Words{"gelu", "gelu-tanh"}));
  EXPECT_EQ(offered("humpty completion \"\""), (Words{"bash", "zsh", "fish"}));
}

TEST_F(BashCompletion, FilesAreLeftToTheShell) {
  for (const char* words : {"humpty solve --json s", "humpty solve s", "humpty demo -o s"})
    EXPECT_EQ(offered(words), Words{}) << words;
}

TEST(Completion, OtherShellsAcceptTheirScripts) {
  const Folder folder;
  std::string absent;
  for (const std::string name : {"zsh", "fish"}) {
    const Outcome run = run_program(folder, "completion " + name);
    EXPECT_EQ(run.exit_code, 0);
    for (const std::string& command : commands(folder))
      EXPECT_NE(run.out.find(command), std::string::npos) << command;
    test::write_text(folder / "script", run.out);
    if (there_is(name))
      EXPECT_EQ(shell(folder, name + " -n script"), 0);
    else
      absent += " " + name;
  }
  if (!absent.empty()) GTEST_SKIP() << "not checked, for they are not here:" << absent;
}

TEST(Completion, UnknownShellsAreRefused) {
  const Folder folder;
  expect_refused(run_program(folder, "completion csh"), {"csh", "bash", "zsh", "fish"});
  expect_refused(run_program(folder, "completion"), {"SHELL"});
  expect_refused(run_program(folder, "manual --pages 3"), {"--pages", "humpty manual --help"});
}

}  // namespace
}  // namespace humpty
