// The options that say which puzzle, shared by all commands that read one.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "humpty/humpty.hpp"
#include "terminal.hpp"

namespace humpty::cli {

struct PuzzleOptions {
  std::vector<std::string> paths;
  ReadOptions read;
  double read_ms = 0;

  void add_files_to(CLI::App& command);  // all that is needed to find and read the files
  void add_to(CLI::App& command);
  void check(const CLI::App& command) const;  // throws where options have no effect
  Puzzle load(Terminal& terminal);            // reads, and says what it found
};

// Options that several commands have.
void add_activation(CLI::App& command, Activation& activation);
void add_threads(CLI::App& command, unsigned& threads);
void add_scope(CLI::App& command, Scope& scope);
void add_noise(CLI::App& command, double& noise);
CLI::Option* add_rng(CLI::App& command, std::uint64_t& rng, const std::string& about);
void add_time_limit(CLI::App& command, double& seconds, const std::string& about);

}  // namespace humpty::cli
