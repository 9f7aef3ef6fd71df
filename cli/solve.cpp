#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "model_output.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"
#include "report_output.hpp"
#include "telling.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

struct SolveCommand {
  PuzzleOptions puzzle;
  SolveOptions solve;
  ModelOutput model;
  ReportOutput report;
  std::string json, expected_sha256, command_line;

  void add_to(CLI::App& command);
  void check(const CLI::App& command) const;
  int run();

 private:
  int run_salvage(const Puzzle& heap, Terminal& terminal);
  void write_line(const Solution& solution) const;
  bool is_expected(const Solution& solution, Terminal& terminal) const;
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
  add_choice<Method>(command, "--method", solve.method,
                     "best: whatever solves best; paper: exactly the paper's steps",
                     {{"best", Method::best}, {"paper", Method::paper}});
  const char* group = "With --method paper";
  add_choice<Seed>(command, "--seed", solve.seed,
                   "Starting order: delta (movement of the raw input) or wout (norm of W_out)",
                   {{"delta", Seed::delta}, {"wout", Seed::wout}})
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
      ->transform(above(0))
      ->capture_default_str()
      ->group(group);
  command.add_option("--rows", solve.rows, "How many rows decide (0: all)")
      ->transform(whole(0))
      ->capture_default_str()
      ->group(group);
  add_time_limit(command, solve.time_limit,
                 "Seconds for everything, reading and checking included; then the best so far, "
                 "checked as far as a moment allows (0: none)");
  add_scope(command, solve.certificate);
  add_noise(command, solve.noise);
  command.add_flag("--no-data", puzzle.read.no_data,
                   "Weights only: a guess at pairs and order, never exact");
  command.add_flag("--salvage", puzzle.read.heap,
                   "The set is damaged (decoys, copies, pieces missing or of another net): put "
                   "together what belongs together, name the rest (exit 1)");
  add_rng(command, solve.rng, "Random number for whatever is drawn at random");
}

// Before anything is read: long work must not end in a file that cannot be written, nor may an
// option be passed over in silence.
void SolveCommand::check(const CLI::App& command) const {
  puzzle.check(command);
  if (solve.method != Method::paper)
    refuse_without_effect(command, "without --method paper",
                          {"--seed", "--descending", "--bradley-terry", "--temperature", "--rows"});
  if (!solve.bradley_terry)
    refuse_without_effect(command, "without --bradley-terry", {"--temperature"});
  if (puzzle.read.heap)
    refuse_without_effect(command, "with --salvage",
                          {"--no-data", "--method", "--roles", "--model", "--expect-sha256"});
  if (puzzle.read.no_data)
    refuse_without_effect(command, "with --no-data",
                          {"--data", "--target", "--features", "--probabilities", "--method",
                           "--certificate", "--noise"});
  if (model.file.empty())
    refuse_without_effect(command, "without --model", {"--names"});
  else
    model.check();
  check_outputs({{"--json", json}, {"--report", report.file}, {"--model", model.file}});
}

int SolveCommand::run() {
  Terminal terminal;
  const Puzzle loaded = puzzle.load(terminal);
  solve.threads = puzzle.read.threads;
  solve.progress = terminal.progress();
  constexpr double kLeast = 1e-3;
  if (solve.time_limit > 0)  // reading counts
    solve.time_limit = std::max(kLeast, solve.time_limit - puzzle.read_ms / 1000);
  if (puzzle.read.heap) return run_salvage(loaded, terminal);
  Solution solution = humpty::solve(loaded, solve);
  solution.timings.insert(solution.timings.begin(), {"read", puzzle.read_ms});
  tell(solution, terminal);
  const ModelOptions made{.activation = solution.activation,
                          .metadata = {{"verdict", std::string(name(solution.verdict))}}};
  do_all({[&] { write_line(solution); },
          [&] {
            if (!json.empty()) write_output(json, to_json(solution, loaded));
          },
          [&] {
            if (!report.file.empty())
              report.write(report_page(solution, loaded, about()), terminal);
          },
          [&] {
            if (!model.file.empty())
              model.write(arranged(loaded.pieces, solution.permutation), made, terminal);
          }});
  if (!is_expected(solution, terminal)) return 1;
  return solution.verdict == Verdict::exact ? 0 : 1;
}

int SolveCommand::run_salvage(const Puzzle& heap, Terminal& terminal) {
  Salvaged salvaged = salvage(heap, solve);
  salvaged.solution.timings.insert(salvaged.solution.timings.begin(), {"read", puzzle.read_ms});
  tell(salvaged, terminal);
  do_all({[&] { write_line(salvaged.solution); },
          [&] {
            if (!json.empty()) write_output(json, to_json(salvaged));
          },
          [&] {
            if (!report.file.empty()) report.write(report_page(salvaged, about()), terminal);
          }});
  return 1;
}

// The permutation, unless something else takes its place on standard output.
void SolveCommand::write_line(const Solution& solution) const {
  if (json != "-" && report.file != "-") write_output("-", solution.permutation_text() + "\n");
}

bool SolveCommand::is_expected(const Solution& solution, Terminal& terminal) const {
  if (expected_sha256.empty() || CLI::detail::to_lower(expected_sha256) == solution.sha256())
    return true;
  terminal.say("sha256", yellow("is not the expected " + CLI::detail::to_lower(expected_sha256)));
  return false;
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
  command->callback([state, command, &exit_code] {
    state->check(*command);
    exit_code = state->run();
  });
}

}  // namespace humpty::cli
