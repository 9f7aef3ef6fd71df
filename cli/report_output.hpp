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
  void write(const std::string& page, Terminal& terminal) const;
};

// The command as its user would write it in a shell: "humpty solve 'a folder' --method paper".
std::string command_text(int argc, const char* const* argv);

}  // namespace humpty::cli
