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
  void check() const;  // throws where the format or the names cannot be
  void write(const std::vector<Piece>& applied, ModelOptions options, Terminal& terminal) const;
};

}  // namespace humpty::cli
