// The program's commands and options as plain data, read off the parser. Help, manual page and
// shell completion are all made from this one table, so none of them can say something else.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace humpty::cli {

struct OptionEntry {
  std::vector<std::string> names;    // "-o", "--output"; of a positional its one name
  std::string value;                 // what follows: "FILE", "N", "best|paper"; empty: a flag
  std::vector<std::string> choices;  // the only words that may follow, where they are few
  std::string description, group;
  bool positional = false, required = false, several = false;

  bool takes_file() const;  // a file or folder follows
};

struct CommandEntry {
  std::string name, description, footer;  // name: "humpty solve"
  std::vector<OptionEntry> options;       // group by group, as the help shows them

  std::string word() const;   // "solve"
  std::string usage() const;  // "[OPTIONS] --order LIST|FILE PATH..."
};

struct Program {
  CommandEntry whole;  // the program without a command
  std::vector<CommandEntry> commands;
};

OptionEntry describe(const CLI::Option& option);
Program describe(const CLI::App& app);

// The help, from the same table, filled to the terminal's width.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}

  std::string make_option(const CLI::Option* option, bool positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::size_t width_;
};

}  // namespace humpty::cli
