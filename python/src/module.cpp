// humpty._core: the public header for Python. What users call is in humpty/*.py, on top of this.
#include "parts.hpp"

NB_MODULE(_core, module) {
  using namespace humpty::python;
  module.doc() = "The C++ library behind humpty; use the package's own functions.";
  add_errors(module);
  add_puzzles(module);
  add_results(module);
  add_solving(module);
  add_models(module);
  add_lab(module);
  add_program(module);
}
