// NumPy's arrays as the library's values and back, without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "humpty/humpty.hpp"

namespace humpty::python {

namespace nb = nanobind;

// As humpty/_inputs.py hands them over: float32, C-contiguous, on the CPU.
using Array = nb::ndarray<const float, nb::numpy, nb::c_contig, nb::device::cpu>;
template <class Value>
using View = nb::ndarray<const Value, nb::numpy, nb::c_contig>;

// The array's own memory, and the array kept alive as long as anything uses it.
Values borrow(const Array& array);
Matrix borrow_matrix(const Array& array);  // of two dimensions

// A read-only array on the value's memory; `owner` is the Python object that it is part of.
nb::object view(const Matrix& matrix, nb::handle owner);
nb::object view(const std::vector<float>& values, nb::handle owner);
nb::object view(const std::vector<double>& values, nb::handle owner);
nb::object view(const std::vector<double>& values, std::size_t rows, nb::handle owner);

// The same of a result that nobody else holds.
nb::object give(Matrix matrix);
nb::object give(std::vector<Matrix> matrices);  // each of one shape: (matrices, rows, cols)
nb::object give(std::vector<double> values);

}  // namespace humpty::python
