#include "puzzle_options.hpp"

#include <chrono>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

std::string role_text(const Puzzle& puzzle) {
  std::vector<std::string> parts;
  for (Role role : {Role::stem, Role::expand, Role::contract, Role::head}) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> shapes;
    for (std::size_t i : puzzle.with_role(role))
      ++shapes[{puzzle.pieces[i].weight.rows, puzzle.pieces[i].weight.cols}];
    for (const auto& [shape, count] : shapes)
      parts.push_back(fmt::format("{} {} ({}×{})", count, name(role), shape.first, shape.second));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string range_text(const std::vector<std::string>& names) {
  return names.size() < 3 ? fmt::format("{}", fmt::join(names, ", "))
                          : fmt::format("{} … {}", names.front(), names.back());
}

std::string target_text(Target target) {
  return target == Target::probabilities ? " (probabilities)"
         : target == Target::truth       ? " (the truth: whatever comes out is a guess)"
                                         : "";
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (Activation each : all_activations()) names.emplace_back(name(each));
  return names;
}

constexpr const char* kAboutActivation =
    "The net's nonlinearity; leaky has slope 0.01, gelu is the form with erf";

}  // namespace

void add_activation(CLI::App& command, Activation& activation) {
  command
      .add_option_function<std::string>(
          "--activation",
          [&activation](const std::string& text) { activation = activation_named(text); },
          kAboutActivation)
      ->check(one_of(activation_names()))
      ->default_str(std::string(name(activation)));
}

void add_threads(CLI::App& command, unsigned& threads) {
  command.add_option("--threads", threads, "Threads to use (default: all cores)")
      ->transform(whole(1, 1024));
}

void add_scope(CLI::App& command, Scope& scope) {
  add_choice<Scope>(command, "--certificate", scope,
                    "Rivals to refute; adjacent: neighbours and look-alikes exchanged; full: every "
                    "change of the kinds in docs/verdict.md; all: every arrangement, for a few "
                    "blocks (default: the most that is cheap)",
                    {{"adjacent", Scope::adjacent}, {"full", Scope::full}, {"all", Scope::all}});
}

CLI::Option* add_rng(CLI::App& command, std::uint64_t& rng, const std::string& about) {
  return command.add_option("--rng", rng, about)->transform(whole(0))->capture_default_str();
}

void add_time_limit(CLI::App& command, double& seconds, const std::string& about) {
  command.add_option("--time-limit", seconds, about)->transform(number(0))->capture_default_str();
}

void add_noise(CLI::App& command, double& noise) {
  command
      .add_option("--noise", noise,
                  "Standard deviation of noise in the target, where that is known")
      ->transform(number(0))
      ->capture_default_str();
}

void PuzzleOptions::add_files_to(CLI::App& command) {
  command
      .add_option("PATH", paths,
                  "A folder as published (pieces/ and one .csv), or files and folders with pieces: "
                  "a layer in each file or all in one; a .zip or .tar(.gz) is taken for a folder")
      ->required();
  command
      .add_option(
          "--data", read.data,
          "File with the rows: CSV, .csv.gz, NumPy, PyTorch, …; - for standard input (default: the "
          "one .csv in the folder)")
      ->type_name("FILE");
  command
      .add_option("--target-file", read.target_file,
                  "File with the net's outputs, where these are apart from the features")
      ->type_name("FILE");
  command
      .add_option("--target", read.target,
                  "Column or key with the net's outputs; NAME_0, NAME_1, … for several")
      ->capture_default_str();
  command
      .add_option("--features", read.features,
                  "Columns or keys with the features, comma-joined (default: all but the answers)")
      ->type_name("NAMES");
  command.add_flag("--drop-missing", read.drop_missing,
                   "Leave out rows that lack a value (default: refuse them)");
  command
      .add_option("--key", read.key,
                  "Where in a training checkpoint the net is: model, ema, … (default: found)")
      ->type_name("NAME");
  command.add_flag("--transposed", read.transposed,
                   "Weights are stored in x out (seen by itself where the shapes tell)");
  add_threads(command, read.threads);
}

void PuzzleOptions::add_to(CLI::App& command) {
  add_files_to(command);
  command.add_flag("--probabilities", read.probabilities,
                   "The target is softmax of the outputs (of one output: the logistic function); "
                   "several that sum to 1 are taken to be");
  std::vector<std::string> names = activation_names();
  names.emplace_back("auto");
  command
      .add_option_function<std::string>(
          "--activation",
          [this](const std::string& text) {
            if (text != "auto") read.activation = activation_named(text);
          },
          std::string(kAboutActivation) + "; auto: settled by the data")
      ->check(one_of(names))
      ->default_str("auto");
  command
      .add_option("--roles", read.roles,
                  "File that states the roles where shapes cannot tell them: lines 'ID expand', "
                  "'ID contract', 'ID head', 'ID stem'")
      ->type_name("FILE");
}

void PuzzleOptions::check(const CLI::App& command) const {
  if (read.target == "true" || read.target.starts_with("true_"))
    refuse_without_effect(command, "with --target true", {"--probabilities"});
}

Puzzle PuzzleOptions::load(Terminal& terminal) {
  const auto start = std::chrono::steady_clock::now();
  Puzzle puzzle = read_puzzle(paths, read);
  read_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  terminal.say(
      "pieces",
      fmt::format("{}: {}; {}", puzzle.pieces.size(), read.heap ? "a heap" : role_text(puzzle),
                  puzzle.activation_known ? name(puzzle.activation) : "activation not given"));
  if (puzzle.roles_confidence < 1)
    terminal.say("roles",
                 yellow(fmt::format("shapes cannot tell expand from contract where h = d; "
                                    "by the weights, at {:.0f} %; --roles FILE states them",
                                    100 * puzzle.roles_confidence)));
  if (puzzle.target == Target::none)
    terminal.say("data", read.no_data ? "none: whatever comes out is a guess" : "none");
  else
    terminal.say("data",
                 fmt::format("{} rows, {} features ({}), target {}", puzzle.rows.features.rows,
                             puzzle.rows.features.cols, range_text(puzzle.rows.feature_names),
                             range_text(puzzle.rows.target_names) + target_text(puzzle.target)));
  for (const std::string& note : puzzle.notes) terminal.say("note", one_line(note));
  return puzzle;
}

}  // namespace humpty::cli
