// Linear algebra beyond a forward pass. Eigen's decompositions take seconds to compile wherever
// they are used, so they are used in one file, and the matrices here are plain.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty {

struct Symmetric {
  explicit Symmetric(std::size_t size_) : size(size_), values(size_ * size_) {}

  double& at(std::size_t r, std::size_t c) { return values[r * size + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * size + c]; }
  double trace() const;

  std::size_t size;
  std::vector<double> values;
};

// A = V · diag(values) · Vᵀ.
struct Spectrum {
  std::vector<double> values;   // rising
  std::vector<double> vectors;  // V by columns, one after the other

  // The threads take part in large ones, and may stop it.
  Symmetric with(const std::vector<double>& other_values, Threads& threads) const;
};

Spectrum spectrum(const Symmetric& matrix, Threads& threads);
Spectrum large_spectrum(const Symmetric& matrix, Threads& threads);  // spectrum.cpp
std::vector<double> eigenvalues(const Symmetric& matrix);  // rising; quicker than with vectors

// Of a system that may be singular (positive semidefinite): one of its solutions.
std::vector<double> solve(const Symmetric& matrix, const std::vector<double>& right);

Matrix product(const Matrix& a, const Matrix& b);  // float32
Symmetric times_transposed(const Matrix& m);       // M · Mᵀ, in float64

}  // namespace humpty
