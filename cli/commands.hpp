// One function per command: it adds its options to the program and, when chosen, runs. The exit
// code is what a command leaves in `exit_code`. `command_line` is for the page to say what was run.
#pragma once

#include <CLI/CLI.hpp>

namespace humpty::cli {

void add_solve(CLI::App& app, int& exit_code, const std::string& command_line);
void add_pair(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_rename(CLI::App& app, int& exit_code);
void add_demo(CLI::App& app, int& exit_code, const std::string& command_line);
void add_train(CLI::App& app, int& exit_code);
void add_drop(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_study(CLI::App& app, int& exit_code);
void add_paper(CLI::App& app, int& exit_code, const std::string& command_line);
void add_manual(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);

}  // namespace humpty::cli
