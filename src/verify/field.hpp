// Many arrangements of the same pieces, run side by side on the same rows.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "verify/arrangement.hpp"
#include "verify/chain.hpp"

namespace humpty::verifier {

// Squared errors of some values: their sum and the largest single error.
struct Errors {
  double square_sum = 0, largest = 0;
  void add(double error) {
    square_sum += error * error;
    // A NaN must stay visible: it fails every comparison that would accept it.
    if (!(std::abs(error) <= largest)) largest = std::abs(error);
  }
  void add(const Errors& other) {
    square_sum += other.square_sum;
    if (!(other.largest <= largest)) largest = other.largest;
  }
};

// `quick`: float32, which only refutes what it refutes from afar (see rivals.cpp).
enum class Precision { quick, full };

// Answers of the order certified, and errors of arrangements near it. Counts what it costs.
class Field {
 public:
  using Places = std::vector<std::size_t>;

  Field(const Puzzle& puzzle, const std::vector<int>& permutation, Threads& threads);

  std::size_t rows() const { return rows_.features.rows; }
  std::size_t blocks() const { return chain_.blocks(); }
  std::size_t outputs() const { return chain_.o(); }
  const Chain<double>& chain() const { return chain_; }
  const Chain<float>& quick_chain() const { return quick_chain_; }
  const Rows& data() const { return rows_; }
  Threads& threads() { return threads_; }
  double passes() const;  // so far, in forward passes of all rows
  void count_work(double steps) { work_ += std::uint64_t(steps); }  // done elsewhere

  // Errors of each arrangement, rows_at_a_time rows together: [part of the rows][arrangement].
  std::vector<std::vector<Errors>> run(const std::vector<Arrangement>& arrangements,
                                       const Places& rows, std::size_t rows_at_a_time,
                                       Precision precision = Precision::full);
  // The same, all rows together.
  std::vector<Errors> total(const std::vector<Arrangement>& arrangements, const Places& rows);

 private:
  template <typename Real>
  std::vector<Errors> part(const Chain<Real>& chain,
                           const std::vector<const Arrangement*>& arrangements,
                           const std::size_t* rows, std::size_t count);

  const Rows& rows_;
  Chain<double> chain_;
  Chain<float> quick_chain_;
  Threads& threads_;
  std::atomic<std::uint64_t> work_ = 0;  // rows × blocks, of float64
};

}  // namespace humpty::verifier
