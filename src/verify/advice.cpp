// Unsolved, but not without information. Exchanging two neighbours changes the squared error of
// each row by some amount; if the mean of these amounts is so many of its standard errors above
// zero that chance does not explain it, these two look right the way they are. It is a statement
// about this order's surroundings only: where the rest is wrong, a firm pair can be wrong too.
#include "verify/advice.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace humpty::verifier {
namespace {

constexpr std::size_t kRowsAsked = 256;
constexpr double kSigmas = 5;

Field::Places spread(std::size_t all, std::size_t wanted) {
  Field::Places rows;
  for (std::size_t i = 0, some = std::min(all, wanted); i < some; ++i)
    rows.push_back(i * all / some);
  return rows;
}

double own_square(const Puzzle& puzzle, const std::vector<double>& wide, std::size_t row) {
  const std::size_t o = puzzle.rows.target.cols;
  double sum = 0;
  for (std::size_t k = row * o; k < (row + 1) * o; ++k)
    sum += std::pow(wide[k] - double{puzzle.rows.target.values[k]}, 2);
  return sum;
}

// Mean over its standard error.
double significance(const std::vector<double>& values) {
  const double n = double(values.size());
  double sum = 0, square = 0;
  for (double value : values) sum += value, square += value * value;
  const double variance = (square - sum * sum / n) / (n - 1);
  return n < 3 || !(variance > 0) ? 0 : sum / std::sqrt(n * variance);
}

std::vector<std::size_t> firm_places(const Puzzle& puzzle, const std::vector<double>& wide,
                                     Field& field) {
  std::vector<Arrangement> exchanged;
  for (std::size_t a = 0; a + 1 < field.blocks(); ++a)
    exchanged.emplace_back(Rival{Rival::Kind::swap, a, a + 1}, field.blocks());
  const Field::Places rows = spread(field.rows(), kRowsAsked);
  const auto errors = field.run(exchanged, rows, 1);
  std::vector<std::size_t> firm;
  for (std::size_t a = 0; a < exchanged.size(); ++a) {
    std::vector<double> worse;
    for (std::size_t r = 0; r < rows.size(); ++r)
      worse.push_back(errors[r][a].square_sum - own_square(puzzle, wide, rows[r]));
    if (significance(worse) >= kSigmas) firm.push_back(a);
  }
  return firm;
}

double variance(const Matrix& target) {
  double sum = 0, square = 0;
  for (float y : target.values) sum += double{y}, square += double{y} * double{y};
  const double n = double(target.values.size());
  return square / n - sum * sum / n / n;
}

// Rows that do not fit where all others do: few enough to be mistakes in the data.
std::vector<std::size_t> misfits(const Puzzle& puzzle, const std::vector<double>& wide,
                                 const Floor& floor) {
  constexpr std::size_t kOneIn = 50;
  const std::size_t o = puzzle.rows.target.cols, all = puzzle.rows.target.rows;
  std::vector<std::size_t> rows;
  Errors others;
  for (std::size_t r = 0; r < all; ++r) {
    Errors own;
    for (std::size_t k = r * o; k < (r + 1) * o; ++k)
      own.add(wide[k] - double{puzzle.rows.target.values[k]});
    if (own.largest <= floor.max_abs_error)
      others.add(own);
    else
      rows.push_back(r);
  }
  const bool few = rows.size() * kOneIn <= all;
  if (!few || !floor.holds(others, double((all - rows.size()) * o))) rows.clear();
  return rows;
}

// As they are numbered in the file, where some were set aside.
std::string misfits_text(const std::vector<std::size_t>& rows,
                         const std::vector<std::size_t>& set_aside) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min(kMost, rows.size()); ++i) {
    std::size_t row = rows[i];
    for (std::size_t other : set_aside) row += other <= row;
    some.push_back(fmt::format("{}", row + 1));
  }
  if (rows.size() > kMost) some.push_back(fmt::format("{} more", rows.size() - kMost));
  return fmt::format("a look at row{} {}: all other rows are explained to the last digit",
                     rows.size() == 1 ? "" : "s", fmt::join(some, ", "));
}

}  // namespace

void advise(const Puzzle& puzzle, const std::vector<double>& wide, const Floor& floor, Field& field,
            Certificate& c) {
  c.firm = firm_places(puzzle, wide, field);
  if (const auto rows = misfits(puzzle, wide, floor); !rows.empty()) {
    c.hints.push_back(misfits_text(rows, c.set_aside));
    return;
  }
  if (puzzle.target == Target::truth)
    c.hints.push_back("the net's own outputs (a column pred) instead of the truth");
  for (const Quantum& quantum : quanta(puzzle.rows.target.values))
    if (c.hints.empty())
      c.hints.push_back(fmt::format("the target with more than {}", quantum.kind));
  // All neighbours firm and little left unexplained: that is what noise looks like.
  const double left = c.mse / variance(puzzle.rows.target);
  if (c.firm.size() + 1 == field.blocks() && left < 0.1 && puzzle.target != Target::truth)
    c.hints.push_back(
        fmt::format("--noise {:.2g}, if the target is known to carry noise of that size",
                    std::sqrt(c.mse) * 1.01));
  else
    c.hints.push_back(
        "more time (--time-limit), more rows, the right --activation; --salvage where pieces may "
        "be "
        "missing or of another net");
}

}  // namespace humpty::verifier
