#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "io/file.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"
#include "report_output.hpp"
#include "telling.hpp"

namespace humpty::cli {
namespace {

struct PaperCommand {
  PuzzleOptions puzzle;
  lab::PaperOptions options;
  std::string folder, command;

  int run();

 private:
  Matrix truth() const;
  void check_folder() const;
  void write(const lab::Paper& paper, const Puzzle& loaded) const;
};

// The column `true`, where the data has one.
Matrix PaperCommand::truth() const {
  ReadOptions reading = puzzle.read;
  reading.target = "true";
  try {
    return read_puzzle(puzzle.paths, reading).rows.target;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_data) throw;
    return {};
  }
}

void PaperCommand::check_folder() const {
  io::check_writable_folder(folder);
  if (std::filesystem::is_directory(folder))
    for (const char* file : {"/paper.json", "/paper.md", "/paper.html"})
      io::check_writable(folder + file);
}

void PaperCommand::write(const lab::Paper& paper, const Puzzle& loaded) const {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(ErrorCode::not_writable, failed.message(), {.file = folder});
  ReportOptions page;
  page.command = command;
  page.inputs = puzzle.paths;
  page.threads = options.threads;
  do_all({[&] { write_output(folder + "/paper.json", to_json(paper)); },
          [&] { write_output(folder + "/paper.md", to_markdown(paper)); },
          [&] { write_output(folder + "/paper.html", paper_page(paper, loaded, page)); }});
}

std::string counts(const lab::Paper& paper) {
  std::size_t same = 0, differs = 0;
  for (const lab::PaperEntry& entry : paper.entries) {
    same += entry.status == lab::PaperEntry::Status::same;
    differs += entry.status == lab::PaperEntry::Status::differs;
  }
  return paper.published ? fmt::format(
                               "{} values as printed, {} otherwise, {} more that it does "
                               "not print",
                               same, differs, paper.entries.size() - same - differs)
                         : fmt::format(
                               "{} values; not the published puzzle, so nothing is "
                               "compared",
                               paper.entries.size());
}

int PaperCommand::run() {
  Terminal terminal;
  check_folder();
  const Puzzle loaded = puzzle.load(terminal);
  options.truth = truth();
  options.threads = puzzle.read.threads;
  options.progress = terminal.progress();
  const lab::Paper paper = lab::study_paper(loaded, options);
  tell(paper.solution, terminal);
  write(paper, loaded);
  for (const auto& [why, ids] : lab::reasons(paper))
    terminal.say("differs", fmt::format("{}: {}", fmt::join(ids, ", "), why));
  if (paper.stopped) terminal.say("stopped", "early (ctrl-C): sections are missing");
  terminal.say("paper", counts(paper));
  terminal.say("written", fmt::format("{0}/paper.html, {0}/paper.md, {0}/paper.json", folder));
  return !paper.stopped && paper.solution.verdict == Verdict::exact ? 0 : 1;
}

}  // namespace

void add_paper(CLI::App& app, int& exit_code, const std::string& command_line) {
  CLI::App* command = app.add_subcommand(
      "paper", "Reproduce \"I Dropped a Neural Net\", number by number, beside what it prints");
  command->footer(R"(
Solves the puzzle, then goes through the paper: its tables, numbers, figures and theory, and answers
to the questions that it leaves open. Writes DIR/paper.html, DIR/paper.md and DIR/paper.json, an array
of {id, section, what, ours, paper, status, why}. On any other net the same values come out with
nothing beside them. Takes minutes on two cores, a quarter of one with --quick. Exit code 0: all
there, of an order that is exact; 1: the order is not, or the study was stopped (what there is is
written all the same).

Example:
  humpty paper historical_data_and_pieces -o paper --quick)");
  auto state = std::make_shared<PaperCommand>();
  state->puzzle.add_to(*command);
  command->add_option("-o,--output", state->folder, "Folder for what is written")
      ->required()
      ->type_name("DIR");
  command->add_flag("--quick", state->options.quick,
                    "Small samples, and hardly a climb but those of the paper's tables");
  command->add_flag("--train", state->options.train,
                    "Also train the appendix's model, four times over: minutes each");
  add_time_limit(*command, state->options.time_limit, "Seconds for solving the puzzle (0: none)");
  add_rng(*command, state->options.rng, "Random number for starts, samples and weights");
  state->command = command_line;
  command->callback([state, command, &exit_code] {
    state->puzzle.check(*command);
    exit_code = state->run();
  });
}

}  // namespace humpty::cli
