// What the program says to a hurried user: of slips, of values that cannot be, of options that
// would do nothing; and how it looks on his terminal.
#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include "made_puzzle.hpp"

namespace humpty {
namespace {

using test::expect_refused;
using test::Folder;
using test::MadePuzzle;
using test::Outcome;
using test::run;
using test::run_program;

// The program in an environment of its own: "LC_ALL=C COLUMNS=40".
Outcome run_with(const Folder& folder, const std::string& environment,
                 const std::string& arguments) {
  return run(folder, "env", fmt::format("{} '{}' {}", environment, HUMPTY_PROGRAM, arguments));
}

TEST(Words, ASlipIsAnsweredWithTheWordMeant) {
  const Folder folder;
  expect_refused(run_program(folder, "sovle x"), {"'sovle'", "did you mean solve?"});
  expect_refused(run_program(folder, "inspct x"), {"did you mean inspect?"});
  expect_refused(run_program(folder, "solve . --jsn x"), {"'--jsn'", "did you mean --json?"});
  const Outcome far = run_program(folder, "reassemble x");
  expect_refused(far, {"unknown command 'reassemble'"});
  EXPECT_EQ(far.err.find("did you mean"), std::string::npos) << far.err;
}

TEST(Words, ValuesThatCannotBeAreRefusedInPlainWords) {
  const Folder folder;
  const std::string long_number(309, '9');
  for (const std::string& option :
       {std::string("solve . --time-limit nan"),
        std::string("solve . --noise inf"),
        std::string("solve . --noise -1"),
        std::string("solve . --rng -1"),
        std::string("solve . --rng 1.5"),
        std::string("solve . --threads 0"),
        std::string("solve . --time-limit 1e999"),
        "solve . --threads " + long_number,
        std::string("solve . --method paper --bradley-terry --temperature nan"),
        std::string("solve . --method fast"),
        std::string("solve . --certificate most"),
        std::string("train -o x --lr nan"),
        std::string("train -o x --lr 1e300"),
        std::string("train -o x --weight-decay -1"),
        std::string("train -o x --init none"),
        std::string("train -o x --rows 1000000 --dim 1000000"),
        std::string("train -o x --rows 1 --dim 1000000 --outputs 1000000"),
        std::string("study solve . --time-limit -1"),
        std::string("paper . -o x --time-limit nan"),
        std::string("solve . --json"),
        std::string("solve . --rng 1 --rng 2"),
        std::string("train -o x --force=maybe")}) {
    const Outcome run = run_program(folder, option);
    expect_refused(run, {});
    EXPECT_LT(run.err.size(), 200u) << run.err;
    for (const char* raw : {"->", "UINT", "FLOAT", "Value ", "required "})
      EXPECT_EQ(run.err.find(raw), std::string::npos) << run.err;
  }
  expect_refused(run_program(folder, "solve . --threads 0"), {"--threads", "1 to 1024", "'0'"});
  expect_refused(run_program(folder, "train -o x --lr 0"), {"--lr", "above 0", "'0'"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Words, NamesThatNoSystemTakesAreSaidInOneLine) {
  const MadePuzzle made;
  const std::string name(300, 'x');
  for (const char* command : {"solve", "inspect", "study solve", "solve . --json", "train -o",
                              "demo -o", "paper . -o", "rename --order 0 -o m.pth"}) {
    const Outcome run = run_program(made.folder, fmt::format("{} {}", command, name));
    expect_refused(run, {"xxx", "too long"});
    EXPECT_EQ(run.err.find("filesystem"), std::string::npos) << run.err;
  }
}

TEST(Words, ALeadingZeroMakesNoOctalNumber) {
  const Folder folder;
  const char* small = "--blocks 1 --dim 2 --hidden 2 --epochs 0 --rows 10";
  ASSERT_EQ(run_program(folder, fmt::format("train -o a --rng 010 {}", small)).exit_code, 0);
  ASSERT_EQ(run_program(folder, fmt::format("train -o b --rng 10 {}", small)).exit_code, 0);
  EXPECT_EQ(test::read_text(folder / "a/data.csv"), test::read_text(folder / "b/data.csv"));
}

TEST(Words, OptionsWithoutEffectAreRefused) {
  const Folder folder;
  for (const auto& [arguments, option] : std::vector<std::pair<const char*, const char*>>{
           {"solve . --seed wout", "--seed"},
           {"solve . --bradley-terry", "--bradley-terry"},
           {"solve . --descending", "--descending"},
           {"solve . --rows 10", "--rows"},
           {"solve . --method paper --temperature 1", "--temperature"},
           {"solve . --names a,b,c", "--names"},
           {"solve . --no-data --noise 1", "--noise"},
           {"solve . --no-data --data x.csv", "--data"},
           {"solve . --no-data --target y", "--target"},
           {"solve . --no-data --certificate full", "--certificate"},
           {"solve . --no-data --method paper", "--method"},
           {"solve . --salvage --method paper", "--method"},
           {"solve . --salvage --model m.npz", "--model"},
           {"solve . --salvage --roles r", "--roles"},
           {"solve . --salvage --expect-sha256 0", "--expect-sha256"},
           {"solve . --target true --probabilities", "--probabilities"},
           {"pair . --activation relu", "--activation"},
           {"pair . --probabilities", "--probabilities"},
           {"rename x.pth --order 0 -o m.pth --activation gelu", "--activation"},
           {"train -o x --target y", "--target"},
           {"train -o x --data d.csv --task regression", "--task"},
           {"train -o x --data d.csv --rows 10", "--rows"},
           {"train -o x --data d.csv --outputs 3", "--outputs"},
           {"train -o x --momentum 0.9", "--momentum"},
           {"drop m.pth -o x --data d.csv --rows 10", "--rows"},
           {"study signals . --time-limit 1", "--time-limit"}})
    expect_refused(run_program(folder, arguments), {fmt::format("{} has no effect", option)});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

TEST(Words, AreAsciiWhereTheLocaleHasNothingElse) {
  const MadePuzzle made;
  for (const char* arguments :
       {"solve .", "inspect .", "solve --help", "train --help", "drop --help",
        "solve . --target true --model m.pth", "solve . --data pieces/piece_0.pth"}) {
    const Outcome run = run_with(made.folder, "LC_ALL=C", arguments);
    EXPECT_TRUE(is_ascii(run.out)) << run.out;
    EXPECT_TRUE(is_ascii(run.err)) << run.err;
  }
  EXPECT_NE(run_with(made.folder, "LC_ALL=C", "inspect .").out.find("8x5"), std::string::npos);
  EXPECT_NE(run_with(made.folder, "LC_ALL=C.UTF-8", "inspect .").out.find("8×5"),
            std::string::npos);
}

std::size_t widest_line(const std::string& text) {
  std::istringstream in(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(in, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Words, HelpFitsTheTerminal) {
  const Folder folder;
  for (const char* command : {"", "solve", "pair", "verify", "rename", "demo", "train", "drop",
                              "inspect", "study", "paper", "manual"})
    for (std::size_t width : {80u, 100u, 120u}) {
      const Outcome run = run_with(folder, fmt::format("LC_ALL=C COLUMNS={}", width),
                                   fmt::format("{} --help", command));
      EXPECT_EQ(run.exit_code, 0);
      EXPECT_LE(widest_line(run.out), width) << run.out;
    }
}

// ---------------------------------------------------------------------------------- on a terminal

// What the program writes to a terminal of so many columns until it has drawn a few lines of
// progress; then ctrl-C.
std::string drawn_at(const Folder& folder, unsigned short columns) {
  winsize size{24, columns, 0, 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    unsetenv("COLUMNS");
    if (chdir(folder.path().c_str()) == 0)
      execl(HUMPTY_PROGRAM, "humpty", "train", "-o", "net", "--epochs", "1000000", "--rows", "200",
            "--blocks", "2", "--dim", "4", "--hidden", "4", static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string seen;
  char buffer[4096];
  bool asked = false;
  for (ssize_t got; (got = read(terminal, buffer, sizeof buffer)) > 0;) {
    seen.append(buffer, static_cast<std::size_t>(got));
    if (!asked && std::count(seen.begin(), seen.end(), '\r') > 3)
      asked = write(terminal, "\x03", 1) == 1;
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  EXPECT_EQ(WEXITSTATUS(status), 0) << seen;
  return seen;
}

TEST(Progress, StaysOnOneLineOfANarrowTerminalAndTellsTheTime) {
  const std::string wipe = "\r\033[K";
  for (unsigned short columns : {30, 100}) {
    const Folder folder;
    const std::string seen = drawn_at(folder, columns);
    const std::size_t first = seen.find(wipe + "train"), second = seen.find(wipe, first + 1);
    ASSERT_NE(second, std::string::npos) << seen;
    const std::string line = seen.substr(first + wipe.size(), second - first - wipe.size());
    EXPECT_LT(line.size() + 2, columns) << line;  // and an echoed ^C
    EXPECT_NE(line.find(" 0:0"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace humpty
