#include "puzzle_options.hpp"

#include <chrono>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace humpty::cli {
namespace {

std::string role_text(const Puzzle& puzzle) {
  std::vector<std::string> parts;
  for (Role role : {Role::expand, Role::contract, Role::head}) {
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

}  // namespace

void PuzzleOptions::add_to(CLI::App& command) {
  command
      .add_option("PATH", paths,
                  "A folder as published (pieces/ and one .csv), or piece files and folders")
      ->required();
  command.add_option("--data", read.data,
                     "File with the rows (default: the one .csv in the folder)");
  command
      .add_option("--target", read.target,
                  "Column with the net's outputs; NAME_0, NAME_1, … for several")
      ->capture_default_str();
  command.add_option_function<std::string>(
      "--activation", [this](const std::string& text) { read.activation = activation_named(text); },
      "relu, leaky (slope 0.01), gelu (erf form), gelu-tanh, silu, tanh or identity [relu]");
  command.add_option("--threads", read.threads, "Threads to use (default: all cores)")
      ->check(CLI::Range(1u, 1024u));
}

Puzzle PuzzleOptions::load(Terminal& terminal) {
  const auto start = std::chrono::steady_clock::now();
  Puzzle puzzle = read_puzzle(paths, read);
  read_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  terminal.say("pieces", fmt::format("{}: {}; {}", puzzle.pieces.size(), role_text(puzzle),
                                     name(puzzle.activation)));
  terminal.say("data",
               fmt::format("{} rows, {} features ({}), target {}", puzzle.rows.features.rows,
                           puzzle.rows.features.cols, range_text(puzzle.rows.feature_names),
                           range_text(puzzle.rows.target_names)));
  return puzzle;
}

}  // namespace humpty::cli
