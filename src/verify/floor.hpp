// How far the right order may be from the target, and why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "verify/field.hpp"

namespace humpty::verifier {

// The right order's error is within both.
struct Floor {
  std::string kind;  // "float32 arithmetic"
  double mse = 0, max_abs_error = 0;
  std::size_t rows_run = 0;                       // to measure it
  double noise = 0;                               // declared, where it rests on that
  double arithmetic_mse = 0, arithmetic_max = 0;  // of that, what was measured of rounding

  // For rivals. Rounding is known to a factor only, and an arrangement with the same function may
  // round a little worse than the one certified: what is beyond the floor by less is not refuted.
  Floor for_rivals() const {
    Floor wider = *this;
    wider.mse += 3 * arithmetic_mse;
    wider.max_abs_error += arithmetic_max;
    return wider;
  }

  // A NaN is within nothing. `count` values make up the sum, which may be of fewer.
  bool holds(const Errors& errors, double count) const {
    return errors.square_sum <= mse * count && errors.largest <= max_abs_error;
  }
  // So far beyond that float32, whose rounding is several times less than any floor, may say so.
  double far() const { return 100 * max_abs_error; }
  // What overflowed is not trusted.
  bool is_far(const Errors& errors) const {
    return std::isfinite(errors.square_sum) && errors.largest > far();
  }
};

// The errors of those arrangements that explain so many rows, spread evenly, as the floor allows;
// nothing for the others.
std::vector<std::optional<Errors>> explaining(const std::vector<Arrangement>& arrangements,
                                              std::size_t most_rows, const Floor& floor,
                                              Field& field);

// The finest explanation of how the target was made that allows for the error of the order; where
// none does, float32 arithmetic. `wide`: the order's answers in float64, (rows, o).
Floor find_floor(const Puzzle& puzzle, const std::vector<int>& permutation,
                 const std::vector<double>& wide, double noise, Threads& threads);

// What the target's digits say about its making; for tests and for the report.
struct Quantum {
  std::string kind;          // "4 decimals", "6 significant digits", "float16"
  std::vector<double> step;  // of each value: neighbouring numbers of that kind are this far apart
};
// Every kind that all values agree with and chance does not explain.
std::vector<Quantum> quanta(std::span<const float> values);

// The mean square that the finest of them explains; 0 if there is none.
double rounding_of(std::span<const float> values);

}  // namespace humpty::verifier
