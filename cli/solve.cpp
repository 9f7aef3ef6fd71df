#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "model_output.hpp"
#include "puzzle_options.hpp"
#include "report_output.hpp"
#include "telling.hpp"

namespace humpty::cli {
namespace {

struct SolveCommand {
  PuzzleOptions puzzle;
  SolveOptions solve;
  ModelOutput model;
  ReportOutput report;
  std::string json, expected_sha256, command_line;

  void add_to(CLI::App& command);
  int run();
  int run_salvage(const Puzzle& heap, Terminal& terminal);
  ReportOptions about() const { return {command_line, puzzle.paths, puzzle.read.threads}; }
};

void SolveCommand::add_to(CLI::App& command) {
  puzzle.add_to(command);
  command
      .add_option(
          "--json", json,
          "Write the whole solution as JSON to FILE ('-': standard output, instead of the line)")
      ->type_name("FILE");
  command
      .add_option("--model", model.file,
                  "Write the reassembled net to FILE: .safetensors, .pth, .onnx or .npz")
      ->type_name("FILE");
  model.add_names_to(command);
  report.add_to(command);
  command
      .add_option("--expect-sha256", expected_sha256,
                  "Fail (exit 1) unless the permutation's SHA-256 is this")
      ->type_name("HEX");
  command
      .add_option("--method", solve.method,
                  "best: whatever solves best; paper: exactly the paper's steps")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Method>{{"best", Method::best}, {"paper", Method::paper}}))
      ->default_str("best");
  const char* group = "With --method paper";
  command
      .add_option("--seed", solve.seed,
                  "Starting order: delta (movement of the raw input) or wout (norm of W_out)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Seed>{{"delta", Seed::delta}, {"wout", Seed::wout}}))
      ->default_str("delta")
      ->group(group);
  command.add_flag("--descending", solve.descending, "Sort the seed the other way round")
      ->group(group);
  command
      .add_flag("--bradley-terry", solve.bradley_terry,
                "Re-rank the seed by all pairwise swaps before the repair")
      ->group(group);
  command
      .add_option("--temperature", solve.temperature, "Temperature of Bradley-Terry's soft wins")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  command.add_option("--rows", solve.rows, "How many rows decide (0: all)")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--time-limit", solve.time_limit,
                  "Seconds for pairing and ordering; the best so far is still checked (0: none)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_scope(command, solve.certificate);
  add_noise(command, solve.noise);
  command.add_flag("--no-data", puzzle.read.no_data,
                   "Weights only: a guess at pairs and order, never exact");
  command.add_flag("--salvage", puzzle.read.heap,
                   "The set is damaged (decoys, copies, pieces missing or of another net): put "
                   "together what belongs together, name the rest (exit 1)");
  command.add_option("--rng", solve.rng, "Random number for whatever is drawn at random")
      ->capture_default_str();
}

int SolveCommand::run() {
  Terminal terminal;
  if (!model.file.empty()) model.check();
  report.check();
  const Puzzle loaded = puzzle.load(terminal);
  solve.threads = puzzle.read.threads;
  solve.progress = terminal.progress();
  if (puzzle.read.heap) return run_salvage(loaded, terminal);
  Solution solution = humpty::solve(loaded, solve);
  solution.timings.insert(solution.timings.begin(), {"read", puzzle.read_ms});
  tell(solution, terminal);
  if (!json.empty()) write_output(json, to_json(solution, loaded));
  if (json != "-") write_output("-", solution.permutation_text() + "\n");
  if (!report.file.empty()) report.write(report_page(solution, loaded, about()), terminal);
  if (!model.file.empty())
    model.write(arranged(loaded.pieces, solution.permutation),
                {.activation = solution.activation,
                 .metadata = {{"verdict", std::string(name(solution.verdict))}}},
                terminal);
  std::transform(expected_sha256.begin(), expected_sha256.end(), expected_sha256.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (!expected_sha256.empty() && expected_sha256 != solution.sha256()) {
    terminal.say("sha256", yellow("is not the expected " + expected_sha256));
    return 1;
  }
  return solution.verdict == Verdict::exact ? 0 : 1;
}

int SolveCommand::run_salvage(const Puzzle& heap, Terminal& terminal) {
  Salvaged salvaged = salvage(heap, solve);
  salvaged.solution.timings.insert(salvaged.solution.timings.begin(), {"read", puzzle.read_ms});
  tell(salvaged, terminal);
  if (!json.empty()) write_output(json, to_json(salvaged));
  if (json != "-") write_output("-", salvaged.solution.permutation_text() + "\n");
  if (!report.file.empty()) report.write(report_page(salvaged, about()), terminal);
  return 1;
}

}  // namespace

void add_solve(CLI::App& app, int& exit_code, const std::string& command_line) {
  CLI::App* command =
      app.add_subcommand("solve", "Pair the pieces, order the blocks, verify the answer");
  command->footer(R"(
Standard output is the permutation alone: piece ids in the order in which they are applied (in, out,
in, out, …, head), comma-joined. What was found on the way goes to standard error.

Examples:
  humpty solve historical_data_and_pieces
  humpty solve pieces/ --data rows.csv --json - | jq .verdict
  humpty solve scrambled.safetensors --data rows.npz --model model.pth
  humpty solve FOLDER --report solution.html
  humpty solve FOLDER --method paper --seed delta --bradley-terry)");
  auto state = std::make_shared<SolveCommand>();
  state->command_line = command_line;
  state->add_to(*command);
  command->callback([state, &exit_code] { exit_code = state->run(); });
}

}  // namespace humpty::cli
