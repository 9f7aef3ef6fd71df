// The program: parses, calls the library, prints.
#include "main.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <new>

#include <fmt/format.h>

#include "base/text.hpp"
#include "commands.hpp"
#include "humpty/humpty.hpp"
#include "layout.hpp"
#include "option_table.hpp"
#include "outputs.hpp"
#include "report_output.hpp"
#include "usage_error.hpp"

namespace {

constexpr const char* kAbout = R"(humpty puts dropped neural nets back together.

Given the linear layers of a trained residual network as shuffled files, and rows of data with the
original net's outputs, it finds which input projection belongs to which output projection and in
what order the blocks run, and checks the answer independently.)";

constexpr const char* kFooter = R"(
Try it:
  humpty demo                         train a net, drop it, put it back together
  humpty solve FOLDER                 FOLDER holds pieces/*.pth and one .csv
  humpty solve pieces/ --data rows.csv --json solution.json

Exit codes: 0 exact and verified, 1 not exact (the best found is printed all the same),
2 bad input or usage, or a file that could not be written.)";

int fail(std::string_view message) {
  fmt::print(stderr, "humpty: error: {}\n", humpty::cli::for_locale(message));
  return 2;
}

// Help and version go to standard output; everything else is one line of ours.
int parse_failed(const CLI::App& app, const CLI::ParseError& error) {
  using namespace humpty::cli;
  if (error.get_exit_code() != 0) return fail(usage_error(app, error));
  const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
  write_output("-", version ? error.what() + std::string("\n") : app.help());
  return 0;
}

// Commands say their exit code; what they throw is for the caller.
int carry_out(int argc, char** argv) {
  CLI::App app{kAbout, "humpty"};
  app.footer(kFooter);
  app.formatter(std::make_shared<humpty::cli::HelpFormatter>(
      humpty::cli::columns(STDOUT_FILENO)));  // the commands inherit it
  app.set_version_flag("--version", std::string(humpty::version()));
  app.require_subcommand(1);
  int exit_code = 0;
  const std::string command_line = humpty::cli::command_text(argc, argv);
  humpty::cli::add_solve(app, exit_code, command_line);
  humpty::cli::add_pair(app, exit_code);
  humpty::cli::add_verify(app, exit_code);
  humpty::cli::add_rename(app, exit_code);
  humpty::cli::add_demo(app, exit_code, command_line);
  humpty::cli::add_train(app, exit_code);
  humpty::cli::add_drop(app, exit_code);
  humpty::cli::add_inspect(app, exit_code);
  humpty::cli::add_study(app, exit_code);
  humpty::cli::add_paper(app, exit_code, command_line);
  humpty::cli::add_manual(app, exit_code);
  humpty::cli::add_completion(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error);
  }
  return exit_code;
}

}  // namespace

int humpty::cli::run(int argc, char** argv) {
  try {
    return carry_out(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = humpty::one_line(humpty::cli::cut_to(error.path1().string(), 80));
    return fail(fmt::format("{}: {}", path, error.code().message()));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

// Only what tells of an exception can throw one here.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) { return humpty::cli::run(argc, argv); }
