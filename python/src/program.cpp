// python -m humpty: the command line itself.
#include <cstdio>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "main.hpp"
#include "parts.hpp"

namespace humpty::python {
namespace nb = nanobind;

void add_program(nb::module_& module) {
  module.def(
      "main",
      [](std::vector<std::string> arguments) {
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        const nb::gil_scoped_release unlocked;
        const int code = cli::run(static_cast<int>(arguments.size()), argv.data());
        std::fflush(stdout);
        return code;
      },
      nb::arg("arguments"),
      "The command line: the program's name and its arguments. Its exit code.");
}

}  // namespace humpty::python
