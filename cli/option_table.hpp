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

// CLI11's help with values and limits as the table has them instead of its names for types.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace humpty::cli
