// What each file adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace humpty::python {

void add_errors(nanobind::module_& module);
void add_puzzles(nanobind::module_& module);
void add_results(nanobind::module_& module);
void add_solving(nanobind::module_& module);
void add_models(nanobind::module_& module);
void add_lab(nanobind::module_& module);
void add_program(nanobind::module_& module);

}  // namespace humpty::python
