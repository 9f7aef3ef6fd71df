// The diagonal dominance ratio of "I Dropped a Neural Net":
//
//   d(i,j) = |tr(M)| / ‖M‖_F,   M = W_out(j) · W_in(i)
//
// Training that keeps a block near an isometry pushes the diagonal of its own product to the
// negative side; the product of strangers has no diagonal to speak of. No product is ever formed:
//
//   tr(M)   = ⟨W_outᵀ, W_in⟩                        over h × d numbers,
//   ‖M‖²_F = ⟨W_outᵀ W_out, W_in W_inᵀ⟩             over h × h numbers, symmetric,
//
// so all n² scores are two matrix products over flattened matrices instead of n² small ones. The
// flattened matrices of all pieces would be large, so the inner axis is cut into parts, one in
// memory at a time: squares of the Gram matrices on and above the diagonal, the latter counted
// twice, and bands of hidden units for the traces. Squares, because a thin band of a Gram matrix
// reads its whole piece again for little work: bands, through Eigen, took three times as long (on
// the published puzzle and at 512 blocks of 256 × 1,024 alike). Parts follow from the sizes alone
// and are summed in their order in double, so the scores do not depend on the number of threads.
//
// Memory beside the n² results: two flattened parts of kPartFloats each (more only beyond 8,000
// pieces), n² sums, and per thread sixteen pieces' parts.
#include "pair/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "net/net.hpp"
#include "net/train_kernel.hpp"
#include "pair/assignment.hpp"

namespace humpty::pair {
namespace {

using net::Floats;
using net::floats;
using net::kLanePad;
using net::padded;

constexpr std::size_t kPartFloats = std::size_t{1} << 21;  // 8 MiB
constexpr std::size_t kDepth = 256;                        // of one product: it stays in the cache

// The pieces of one hidden width h; only these can pair with each other.
struct Group {
  std::size_t h = 0, d = 0;
  std::vector<std::size_t> expand, contract;                  // places on the table's two axes
  std::vector<const Matrix*> expand_weight, contract_weight;  // (h, d) and (d, h)
};

struct Range {
  std::size_t first, count;
};

std::vector<Range> cut(std::size_t whole, std::size_t size) {
  std::vector<Range> ranges;
  for (std::size_t first = 0; first < whole; first += size)
    ranges.push_back({first, std::min(size, whole - first)});
  return ranges;
}

// Fills `flat` with one part of a piece's flattened matrix; `scratch` is (d, padded count).
struct Part {
  virtual ~Part() = default;
  virtual std::size_t size() const = 0;
  virtual void expand(const Matrix& weight, float* flat, float* scratch) const = 0;
  virtual void contract(const Matrix& weight, float* flat, float* scratch) const = 0;
};

// Hidden units `units` of W_in and of W_outᵀ: (units, d).
struct TracePart : Part {
  TracePart(const Group& group, Range units_) : units(units_), d(group.d) {}
  std::size_t size() const override { return units.count * d; }
  void expand(const Matrix& w, float* flat, float*) const override {
    std::copy_n(w.row(units.first), size(), flat);
  }
  void contract(const Matrix& w, float* flat, float*) const override {
    net::transpose(w.values.data() + units.first, d, units.count, w.cols, flat, d);
  }
  Range units;
  std::size_t d;
};

// Rows × columns of W_in W_inᵀ and of W_outᵀ W_out, columns padded with zeros.
struct GramPart : Part {
  GramPart(const Group& group, Range rows_, Range columns_)
      : rows(rows_), columns(columns_), d(group.d), width(padded(columns.count)) {}
  std::size_t size() const override { return rows.count * width; }
  void expand(const Matrix& w, float* flat, float* scratch) const override {
    clear_padding(scratch);
    net::transpose(w.row(columns.first), columns.count, d, d, scratch, width);
    product(w.row(rows.first), d, false, scratch, flat);
  }
  void contract(const Matrix& w, float* flat, float* scratch) const override {
    clear_padding(scratch);
    for (std::size_t k = 0; k < d; ++k)
      std::copy_n(w.row(k) + columns.first, columns.count, scratch + k * width);
    product(w.values.data() + rows.first, w.cols, true, scratch, flat);
  }
  void clear_padding(float* scratch) const {
    if (width > columns.count) std::fill_n(scratch, d * width, 0.0f);
  }
  void product(const float* a, std::size_t stride, bool transposed, const float* b,
               float* flat) const {
    net::multiply(
        {rows.count, d, width, a, stride, transposed, b, width, nullptr, nullptr, flat, width});
  }
  Range rows, columns;
  std::size_t d, width;
};

using Table = std::vector<double>;  // (expand, contract)

// Scores one part after the other; keeps the memory between them.
class Products {
 public:
  Products(const Group& group, std::size_t largest, std::size_t scratch, Threads& threads)
      : group_(group),
        threads_(threads),
        expand_(cut(group.expand.size(), kTogether)),
        contract_(cut(group.contract.size(), kTogether)),
        rows_(cut(group.expand.size(), std::clamp<std::size_t>(group.expand.size() / 8, 8, 64))),
        stride_(padded(largest) | kLanePad),  // an odd number of cache lines
        width_(padded(group.contract.size())),
        in_(floats(group.expand.size() * stride_)),
        out_(floats(largest * width_)) {
    for (unsigned worker = 0; worker < threads.count(); ++worker)
      desks_.push_back({floats(kTogether * largest), floats(scratch), floats(64 * width_)});
  }

  // table += factor · in · outᵀ over this part.
  void add(const Part& part, double factor, Table& table) {
    threads_.run(expand_.size() + contract_.size(), [&](std::size_t job, unsigned worker) {
      if (job < expand_.size())
        fill_expand(part, expand_[job], desks_[worker]);
      else
        fill_contract(part, contract_[job - expand_.size()], desks_[worker]);
    });
    threads_.run(rows_.size(), [&](std::size_t job, unsigned worker) {
      add_rows(rows_[job], part.size(), factor, desks_[worker].sums.get(), table);
    });
  }

 private:
  static constexpr std::size_t kTogether = 16;
  struct Desk {
    Floats flat, scratch, sums;  // (kTogether, part), one piece's strip, (64, contract)
  };

  void fill_expand(const Part& part, Range pieces, const Desk& desk) {
    for (std::size_t i = pieces.first; i < pieces.first + pieces.count; ++i)
      part.expand(*group_.expand_weight[i], in_.get() + i * stride_, desk.scratch.get());
  }

  void fill_contract(const Part& part, Range pieces, const Desk& desk) {
    const std::size_t size = part.size();
    for (std::size_t j = 0; j < pieces.count; ++j)
      part.contract(*group_.contract_weight[pieces.first + j], desk.flat.get() + j * size,
                    desk.scratch.get());
    net::transpose(desk.flat.get(), pieces.count, size, size, out_.get() + pieces.first, width_);
  }

  void add_rows(Range rows, std::size_t size, double factor, float* sums, Table& table) const {
    for (const Range& depth : cut(size, kDepth))
      net::multiply({rows.count, depth.count, width_,
                     in_.get() + rows.first * stride_ + depth.first, stride_, false,
                     out_.get() + depth.first * width_, width_, nullptr,
                     depth.first ? sums : nullptr, sums, width_});
    const std::size_t n = group_.contract.size();
    for (std::size_t i = 0; i < rows.count; ++i)
      for (std::size_t j = 0; j < n; ++j)
        table[(rows.first + i) * n + j] += factor * double{sums[i * width_ + j]};
  }

  const Group& group_;
  Threads& threads_;
  std::vector<Range> expand_, contract_, rows_;
  std::size_t stride_, width_;
  Floats in_;   // (expand, part)
  Floats out_;  // (part, contract)
  std::vector<Desk> desks_;
};

struct Sums {
  Table trace, norm2;
};

// A side of the squares: by memory, and small enough that symmetry saves something.
std::size_t square_side(const Group& group, std::size_t part) {
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(part)));
  return std::clamp<std::size_t>(side / kLanePad * kLanePad, kLanePad, padded((group.h + 3) / 4));
}

Sums sum_group(const Group& group, Threads& threads) {
  const std::size_t n = std::max(group.expand.size(), group.contract.size());
  const std::size_t part = kPartFloats / n, side = square_side(group, part);
  const std::size_t band = std::clamp<std::size_t>(part / group.d, 1, group.h);
  Products products(group, std::max(side * side, band * group.d), group.d * side, threads);
  Sums sums;
  sums.trace.resize(group.expand.size() * group.contract.size());
  sums.norm2 = sums.trace;
  for (const Range& units : cut(group.h, band))
    products.add(TracePart(group, units), 1, sums.trace);
  const std::vector<Range> sides = cut(group.h, side);
  for (std::size_t r = 0; r < sides.size(); ++r)
    for (std::size_t c = r; c < sides.size(); ++c)
      products.add(GramPart(group, sides[r], sides[c]), r == c ? 1 : 2, sums.norm2);
  return sums;
}

std::map<std::size_t, Group> group_by_width(const Puzzle& puzzle,
                                            const std::vector<std::size_t>& expand,
                                            const std::vector<std::size_t>& contract) {
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < expand.size(); ++i) {
    const Matrix& weight = puzzle.pieces[expand[i]].weight;
    Group& group = groups[weight.rows];
    group.h = weight.rows;
    group.d = weight.cols;
    group.expand.push_back(i);
    group.expand_weight.push_back(&weight);
  }
  for (std::size_t j = 0; j < contract.size(); ++j) {
    const Matrix& weight = puzzle.pieces[contract[j]].weight;
    groups[weight.cols].contract.push_back(j);
    groups[weight.cols].contract_weight.push_back(&weight);
  }
  return groups;
}

void score_group(const Group& group, Threads& threads, Pairing& table) {
  const Sums sums = sum_group(group, threads);
  const std::size_t n = group.contract.size();
  for (std::size_t i = 0; i < group.expand.size(); ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = group.expand[i] * table.contract.size() + group.contract[j];
      const double trace = sums.trace[i * n + j], norm2 = sums.norm2[i * n + j];
      table.traces[at] = trace;
      table.scores[at] = norm2 > 0 ? std::abs(trace) / std::sqrt(norm2) : 0;
    }
}

std::vector<std::size_t> best_of_each_row(const Pairing& table) {
  const std::size_t n = table.contract.size();
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < table.expand.size(); ++i) {
    const auto row = table.scores.begin() + static_cast<std::ptrdiff_t>(i * n);
    best.push_back(static_cast<std::size_t>(
        std::max_element(row, row + static_cast<std::ptrdiff_t>(n)) - row));
  }
  return best;
}

}  // namespace

Pairing pair_by_ratio(const Puzzle& puzzle, Threads& threads) {
  const auto expand = puzzle.with_role(Role::expand), contract = puzzle.with_role(Role::contract);
  Pairing table;
  for (std::size_t i : expand) table.expand.push_back(puzzle.pieces[i].id);
  for (std::size_t j : contract) table.contract.push_back(puzzle.pieces[j].id);
  table.scores.assign(expand.size() * contract.size(), -std::numeric_limits<double>::infinity());
  table.traces.assign(expand.size() * contract.size(), 0);
  for (const auto& [h, group] : group_by_width(puzzle, expand, contract))
    score_group(group, threads, table);
  table.match = assign(table.scores, expand.size());
  table.greedy = best_of_each_row(table);
  return table;
}

double margin(const Pairing& pairing, std::size_t expand) {
  const std::size_t n = pairing.contract.size(), own = pairing.match[expand];
  double rival = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    if (k != own) rival = std::max(rival, pairing.scores[expand * n + k]);
    if (k != expand) rival = std::max(rival, pairing.scores[k * n + own]);
  }
  return pairing.scores[expand * n + own] - rival;
}

}  // namespace humpty::pair
