// A first-order look at the changes that are too many to run: see screen.cpp.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "verify/chain.hpp"

namespace humpty::verifier {

// A change of three places and what it is estimated to move the answer to a row by.
struct Estimate {
  Rival::Kind kind;
  std::size_t a, b, c;
  double size;
};

// A chain's layers transposed, without biases.
struct Transposed {
  explicit Transposed(const Chain<float>& chain);
  std::vector<Dense<float>> in, out;
};

// The order certified, linearised around the way of one row through it.
class Screen {
 public:
  // `features`: the row. The chain and its transpose must outlive this.
  Screen(const Chain<float>& chain, const Transposed& transposed, const float* features);

  // Segments of two blocks or more and cycles of three like pieces that are estimated to move the
  // answer by `limit` at most.
  std::vector<Estimate> near(double limit, Threads& threads) const;

 private:
  using Vector = std::vector<float>;

  void run(const float* features);
  Vector gradient_of_answer() const;
  void pull(std::size_t block, float* gradients, std::size_t groups) const;
  void tabulate_expand();
  void tabulate_contract();
  std::vector<Estimate> segments(std::size_t middle) const;
  std::vector<Estimate> cycles(Rival::Kind kind, std::size_t first) const;

  const Chain<float>& chain_;
  const Transposed& transposed_;
  std::size_t n_, d_;
  std::vector<Vector> states_;     // before each block, and after the last
  std::vector<Vector> hidden_;     // of each block, activated
  std::vector<Vector> slopes_;     // the activation's derivative there
  std::vector<Vector> gradients_;  // of the answer, by the states
  // [place · n + piece]: what the answer moves by where that block's piece runs at that place.
  std::vector<double> moved_expand_, moved_contract_;
};

}  // namespace humpty::verifier
