// The options that say where a reassembled model goes and what its tensors are called.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "humpty/humpty.hpp"
#include "terminal.hpp"

namespace humpty::cli {

struct ModelOutput {
  std::string file, names;

  void add_names_to(CLI::App& command);
  void check() const;  // throws where write would, as far as can be told before there is a model
  void write(const std::vector<Piece>& applied, ModelOptions options, Terminal& terminal) const;
};

// Throws where there is no folder for the file: to be asked before long work.
void check_folder_of(const std::string& file);

}  // namespace humpty::cli
