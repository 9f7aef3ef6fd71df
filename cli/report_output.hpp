// The option that says where the report page goes.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "humpty/humpty.hpp"
#include "terminal.hpp"

namespace humpty::cli {

struct ReportOutput {
  std::string file;

  void add_to(CLI::App& command);
  void check() const;  // throws where write would, as far as can be told before there is a page
  void write(const std::string& page, Terminal& terminal) const;
};

// The command as it was given, options by their long names: "humpty solve FOLDER --method paper".
std::string command_text(const CLI::App& command);

}  // namespace humpty::cli
