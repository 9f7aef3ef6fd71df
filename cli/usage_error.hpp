// What CLI11 has against a command line, in our words.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace humpty::cli {

// "unknown command 'sovle' (did you mean solve?); see 'humpty --help'"
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace humpty::cli
