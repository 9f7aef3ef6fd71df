#include "arrays.hpp"

#include <algorithm>
#include <utility>

namespace humpty::python {
namespace {

// Values may be let go by any thread, with or without Python's lock.
void let_go(const Array* array) {
  if (!nb::is_alive()) return;  // Python has gone, and its memory with it
  const nb::gil_scoped_acquire lock;
  delete array;
}

template <class Value>
nb::object array_on(const Value* data, std::initializer_list<std::size_t> shape, nb::handle owner) {
  static const Value nothing{};  // an empty array needs an address as well
  return View<Value>(data ? data : &nothing, shape, owner).cast();
}

// The value moved to the heap, as the owner of an array.
template <class Value>
std::pair<const Value*, nb::capsule> kept(Value value) {
  auto* memory = new Value(std::move(value));
  return {memory, nb::capsule(memory, [](void* p) noexcept { delete static_cast<Value*>(p); })};
}

}  // namespace

Values borrow(const Array& array) {
  return {array.data(), array.size(), {new Array(array), let_go}};
}

Matrix borrow_matrix(const Array& array) {
  if (array.ndim() != 2) throw Error(ErrorCode::bad_shape, "a matrix has two dimensions");
  return {array.shape(0), array.shape(1), borrow(array)};
}

nb::object view(const Matrix& matrix, nb::handle owner) {
  return array_on(matrix.values.data(), {matrix.rows, matrix.cols}, owner);
}

nb::object view(const std::vector<float>& values, nb::handle owner) {
  return array_on(values.data(), {values.size()}, owner);
}

nb::object view(const std::vector<double>& values, nb::handle owner) {
  return array_on(values.data(), {values.size()}, owner);
}

nb::object view(const std::vector<double>& values, std::size_t rows, nb::handle owner) {
  return array_on(values.data(), {rows, rows ? values.size() / rows : 0}, owner);
}

nb::object give(Matrix matrix) {
  const auto [memory, owner] = kept(std::move(matrix));
  return view(*memory, owner);
}

nb::object give(std::vector<double> values) {
  const auto [memory, owner] = kept(std::move(values));
  return view(*memory, owner);
}

nb::object give(std::vector<Matrix> matrices) {
  const std::size_t rows = matrices[0].rows, cols = matrices[0].cols;
  std::vector<float> all;
  all.reserve(matrices.size() * rows * cols);
  for (Matrix& matrix : matrices) {
    all.insert(all.end(), std::as_const(matrix.values).begin(), std::as_const(matrix.values).end());
    matrix = {};
  }
  const std::size_t count = matrices.size();
  const auto [memory, owner] = kept(std::move(all));
  return array_on(memory->data(), {count, rows, cols}, owner);
}

}  // namespace humpty::python
