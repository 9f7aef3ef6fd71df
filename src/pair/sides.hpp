// The two sides of a pairing, and tables over them.
#pragma once

#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::pair {

// Pieces of one hidden width; only these can pair with each other. Places on the table's two axes.
struct Width {
  std::size_t h = 0;
  std::vector<std::size_t> expand, contract;  // equally many
};

struct Sides {
  explicit Sides(const Puzzle& puzzle);
  Sides(std::vector<const Piece*> expand, std::vector<const Piece*> contract, const Piece* head);

  std::size_t size() const { return expand.size(); }
  std::size_t d() const { return expand[0]->weight.cols; }

  std::vector<const Piece*> expand, contract;  // equally many, as they lie along the axes
  const Piece* head;                           // none in a heap without one
  std::vector<Width> widths;                   // ascending
};

// One number per candidate pair: (expand, contract), −infinity where the widths differ.
using Table = std::vector<double>;

Table forbidden_table(const Sides& sides);  // −infinity everywhere

// Makes tables comparable: rows and columns of each width get mean zero, then the typical size of
// an entry becomes one. By the median, because the true pairs, one entry in n, are outliers in a
// good table and must not shrink it. A width of few pieces borrows from the others.
void standardise(Table& table, const Sides& sides);

// The mean of a standardised table over a pairing: how far the pairs stand out from strangers. The
// best of n strangers reaches about √(2 ln n) by chance.
double separation(const Table& table, const std::vector<std::size_t>& match);

// Doubly stochastic within each width, entries ∝ row factor · column factor · exp(sharpness ·
// table): Sinkhorn's soft assignment. Zero where the widths differ.
Table soft_assignment(const Table& table, double sharpness, const Sides& sides);

}  // namespace humpty::pair
