// Where results go: checked before the work, written after it whatever becomes of the others.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace humpty::cli {

struct Output {
  std::string option, file;  // "--json"; the name "-" is standard output, none: not wanted
};

// Throws where one could not be written, as far as that can be told before there is anything to
// write, and where two would go to one place.
void check_outputs(const std::vector<Output>& outputs);

// Writes text to a file (beside, then renamed), or to standard output if the name is "-".
void write_output(const std::string& file, const std::string& text);

// Does each of them, in this order, even if another fails; then throws what the first to fail
// threw.
void do_all(const std::vector<std::function<void()>>& steps);

// Text on standard output, and the same as JSON in a file; if that is "-", the JSON alone.
void write_both(const std::string& text, const std::string& json_file,
                const std::function<std::string()>& json);

}  // namespace humpty::cli
