// humpty::Error as the exceptions of humpty/_errors.py.
#include <filesystem>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "humpty/humpty.hpp"
#include "parts.hpp"

namespace humpty::python {
namespace nb = nanobind;

namespace {

void set_error(const Error& error) {
  const Where& where = error.where();
  const nb::object made =
      nb::module_::import_("humpty._errors")
          .attr("make")(name(error.code()), error.what(), error.message(), where.file, where.tensor,
                        where.offset, where.line, where.column);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

}  // namespace

void add_errors(nb::module_& module) {
  module.def("version", &version, "Of the library: what the file VERSION says.");
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_error(error);
    } catch (const std::filesystem::filesystem_error& error) {
      set_error({ErrorCode::unreadable, error.code().message(), {.file = error.path1().string()}});
    }
  });
}

}  // namespace humpty::python
