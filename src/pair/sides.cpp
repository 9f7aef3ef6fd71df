#include "pair/sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace humpty::pair {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<const Piece*> pieces_with(const Puzzle& puzzle, Role role) {
  std::vector<const Piece*> found;
  for (std::size_t i : puzzle.with_role(role)) found.push_back(&puzzle.pieces[i]);
  return found;
}

// Median of the absolute values, scaled to be the standard deviation of a normal distribution.
double typical_size(std::vector<double> values) {
  if (values.empty()) return 0;
  for (double& value : values) value = std::abs(value);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return 1.4826 * *middle;
}

std::vector<double> entries(const Table& table, const Width& width, std::size_t n) {
  std::vector<double> values;
  for (std::size_t i : width.expand)
    for (std::size_t j : width.contract) values.push_back(table[i * n + j]);
  return values;
}

// Rows and columns to mean zero. That takes a share of the variance away, much where there are few
// pieces; it is given back.
void centre(Table& table, const Width& width, std::size_t n) {
  const double count = static_cast<double>(width.expand.size());
  std::vector<double> row(n), column(n);
  double whole = 0;
  for (std::size_t i : width.expand)
    for (std::size_t j : width.contract) {
      row[i] += table[i * n + j] / count;
      column[j] += table[i * n + j] / count;
      whole += table[i * n + j] / count / count;
    }
  const double give_back = count > 1 ? count / (count - 1) : 1;
  for (std::size_t i : width.expand)
    for (std::size_t j : width.contract)
      table[i * n + j] = give_back * (table[i * n + j] - row[i] - column[j] + whole);
}

// One width as a square of positive numbers, scaled by turns until rows and columns sum to one. No
// entry may vanish, or a row could be left with none: exponents stop at kLeast.
class Square {
 public:
  Square(const Table& table, double sharpness, const Width& width, std::size_t n)
      : width_(width), n_(n), m_(width.expand.size()), entry_(m_ * m_), column_(m_, 1) {
    constexpr double kLeast = -300;
    for (std::size_t a = 0; a < m_; ++a) {
      double top = -kInfinity;
      for (std::size_t j : width.contract) top = std::max(top, table[width.expand[a] * n + j]);
      for (std::size_t b = 0; b < m_; ++b) {
        const double below = table[width.expand[a] * n + width.contract[b]] - top;
        entry_[a * m_ + b] = std::exp(std::max(sharpness * below, kLeast));
      }
    }
  }

  void balance(int rounds) {
    std::vector<double> row(m_), sums(m_);
    for (int round = 0; round < rounds; ++round) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t a = 0; a < m_; ++a) {
        double sum = 0;
        for (std::size_t b = 0; b < m_; ++b) sum += entry_[a * m_ + b] * column_[b];
        row[a] = 1 / sum;
        for (std::size_t b = 0; b < m_; ++b) sums[b] += entry_[a * m_ + b] * row[a];
      }
      for (std::size_t b = 0; b < m_; ++b) column_[b] = 1 / sums[b];
    }
    for (std::size_t a = 0; a < m_; ++a)
      for (std::size_t b = 0; b < m_; ++b) entry_[a * m_ + b] *= row[a] * column_[b];
  }

  void put_into(Table& table) const {
    for (std::size_t a = 0; a < m_; ++a)
      for (std::size_t b = 0; b < m_; ++b)
        table[width_.expand[a] * n_ + width_.contract[b]] = entry_[a * m_ + b];
  }

 private:
  const Width& width_;
  std::size_t n_, m_;
  std::vector<double> entry_, column_;
};

const Piece* head_of(const Puzzle& puzzle) {
  const std::vector<const Piece*> heads = pieces_with(puzzle, Role::head);
  return heads.empty() ? nullptr : heads[0];
}

}  // namespace

Sides::Sides(const Puzzle& puzzle)
    : Sides(pieces_with(puzzle, Role::expand), pieces_with(puzzle, Role::contract),
            head_of(puzzle)) {}

Sides::Sides(std::vector<const Piece*> expand_, std::vector<const Piece*> contract_,
             const Piece* head_)
    : expand(std::move(expand_)), contract(std::move(contract_)), head(head_) {
  std::map<std::size_t, Width> by_width;
  for (std::size_t i = 0; i < expand.size(); ++i)
    by_width[expand[i]->weight.rows].expand.push_back(i);
  for (std::size_t j = 0; j < contract.size(); ++j)
    by_width[contract[j]->weight.cols].contract.push_back(j);
  for (auto& [h, width] : by_width) {
    width.h = h;
    widths.push_back(std::move(width));
  }
}

Table forbidden_table(const Sides& sides) { return Table(sides.size() * sides.size(), -kInfinity); }

void standardise(Table& table, const Sides& sides) {
  const std::size_t n = sides.size();
  std::vector<double> all;
  for (const Width& width : sides.widths) {
    centre(table, width, n);
    if (width.expand.size() < 2) continue;
    const std::vector<double> own = entries(table, width, n);
    all.insert(all.end(), own.begin(), own.end());
  }
  const double pooled = typical_size(all);
  constexpr double kBorrowed = 16;  // entries' worth of the pooled size
  for (const Width& width : sides.widths) {
    const double own = typical_size(entries(table, width, n));
    const double count = static_cast<double>(width.expand.size() * width.contract.size());
    const double square = (count * own * own + kBorrowed * pooled * pooled) / (count + kBorrowed);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (std::size_t i : width.expand)
      for (std::size_t j : width.contract) table[i * n + j] *= scale;
  }
}

double separation(const Table& table, const std::vector<std::size_t>& match) {
  double sum = 0;
  for (std::size_t i = 0; i < match.size(); ++i) sum += table[i * match.size() + match[i]];
  return match.empty() ? 0 : sum / static_cast<double>(match.size());
}

Table soft_assignment(const Table& table, double sharpness, const Sides& sides) {
  constexpr int kRounds = 50;
  const std::size_t n = sides.size();
  Table soft(n * n);
  for (const Width& width : sides.widths) {
    Square square(table, sharpness, width, n);
    square.balance(kRounds);
    square.put_into(soft);
  }
  return soft;
}

}  // namespace humpty::pair
