#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "humpty/humpty.hpp"
#include "order.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"
#include "report_output.hpp"
#include "telling.hpp"

namespace humpty::cli {
namespace {

struct DemoCommand {
  std::string folder = "humpty-demo";
  bool force = false;
  unsigned threads = 0;
  std::uint64_t rng = 1;
  std::string command_line = {};

  int run();
  lab::Dropped make_puzzle(Terminal& terminal) const;
};

constexpr std::size_t kRows = 2000, kDim = 24, kBlocks = 16;

lab::Dropped DemoCommand::make_puzzle(Terminal& terminal) const {
  const Rows rows = lab::make_task(lab::Task::regression, kRows, kDim, 1, rng);
  lab::TrainOptions options = lab::demo_regime(kBlocks, kDim);
  options.threads = threads;
  options.rng = rng;
  options.progress = terminal.progress();
  lab::TrainedNet net = lab::train(options, rows.features, rows.target);
  terminal.say(
      "trained",
      fmt::format("{} blocks of width {} with {} hidden units on {} rows: loss {:.2g} in {:.1f} s",
                  options.blocks, kDim, options.hidden[0], kRows, net.loss, net.seconds));
  return lab::drop(std::move(net.pieces), rows, options.activation, rng, threads);
}

// A file of that name that an earlier demo did not write is not replaced.
void check_own(const std::string& file, const char* mark) {
  if (std::filesystem::exists(file) && read_text(file).find(mark) == std::string::npos)
    throw Error(ErrorCode::not_writable,
                "was not written by humpty, so it is not replaced; move it away or name another "
                "folder",
                {.file = file});
}

int DemoCommand::run() {
  Terminal terminal;
  const ReportOutput report{folder + "/report.html"};
  lab::check_output_folder(folder, force);
  check_own(folder + "/solution.json", "\"verdict\"");
  check_own(report.file, "id=\"humpty-data\"");
  const lab::Dropped dropped = make_puzzle(terminal);
  lab::write_puzzle(folder, dropped, "{}", force);
  terminal.say("dropped", fmt::format("into {} shuffled pieces and {} rows: {}/pieces, {}/data.csv",
                                      dropped.permutation.size(), dropped.puzzle.rows.features.rows,
                                      folder, folder));
  SolveOptions options;
  options.threads = threads;
  options.rng = rng;
  options.progress = terminal.progress();
  const Puzzle puzzle = read_puzzle({folder});
  const Solution solution = solve(puzzle, options);
  tell(solution, terminal);
  const bool right = solution.permutation == dropped.permutation;
  terminal.say("answer", right ? green("the same as the one kept in " + folder + "/answer.json")
                               : yellow("differs from the one kept"));
  do_all(
      {[&] { write_output("-", solution.permutation_text() + "\n"); },
       [&] {
         write_output(folder + "/solution.json", to_json(solution, puzzle));
         terminal.say("report", folder + "/solution.json");
       },
       [&] {
         report.write(report_page(solution, puzzle, {command_line, {folder}, threads}), terminal);
       }});
  return right && solution.verdict == Verdict::exact ? 0 : 1;
}

}  // namespace

void add_demo(CLI::App& app, int& exit_code, const std::string& command_line) {
  CLI::App* command =
      app.add_subcommand("demo", "Train a small net, drop it, put it back together");
  command->footer(R"(
Needs no input. Trains a small residual net in a few seconds, takes it apart into shuffled pieces,
solves that puzzle from the files alone, compares with the answer that was kept, and writes a page
to look at: report.html.)");
  auto state = std::make_shared<DemoCommand>();
  state->command_line = command_line;
  command->add_option("-o,--output", state->folder, "Folder for the puzzle and the solution")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_flag("--force", state->force, "Replace a puzzle that is there already");
  add_threads(*command, state->threads);
  add_rng(*command, state->rng, "Random number for weights, data and shuffling");
  command->callback([state, &exit_code] { exit_code = state->run(); });
}

}  // namespace humpty::cli
