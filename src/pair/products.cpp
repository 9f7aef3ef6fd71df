// No product is ever formed. With M = W_out · W_in,
//
//   tr(M)   = ⟨W_outᵀ, W_in⟩                        over h × d numbers,
//   ‖M‖²_F = ⟨W_outᵀ W_out, W_in W_inᵀ⟩             over h × h numbers, symmetric,
//
// so all n² of each are one matrix product over flattened matrices instead of n² small ones. The
// flattened matrices of all pieces would be large, so the inner axis is cut into parts, one in
// memory at a time: squares of the Gram matrices on and above the diagonal, the latter counted
// twice, and bands of hidden units for the traces. Squares, because a thin band of a Gram matrix
// reads its whole piece again for little work: at 512 blocks of 256 × 1,024 bands through Eigen
// took five times as long. Parts follow from the sizes alone and are summed in their order in
// double, so the scores do not depend on the number of threads.
//
// Memory beside the n² results: two flattened parts of kPartFloats each (more only beyond 8,000
// pieces), n² sums, and per thread sixteen pieces' parts.
#include "pair/products.hpp"

#include <algorithm>
#include <cmath>

#include "net/net.hpp"
#include "net/train_kernel.hpp"

namespace humpty::pair {
namespace {

using net::Floats;
using net::floats;
using net::kLanePad;
using net::padded;

constexpr std::size_t kPartFloats = std::size_t{1} << 21;  // 8 MiB
constexpr std::size_t kDepth = 256;                        // of one product: it stays in the cache

// The pieces of one hidden width h.
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

// Scores one part after the other; keeps the memory between them.
class Multiplier {
 public:
  Multiplier(const Group& group, std::size_t largest, std::size_t scratch, Threads& threads)
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
    for (std::size_t i = pieces.first; i < pieces.first + pieces.count; ++i) {
      threads_.check();
      part.expand(*group_.expand_weight[i], in_.get() + i * stride_, desk.scratch.get());
    }
  }

  void fill_contract(const Part& part, Range pieces, const Desk& desk) {
    const std::size_t size = part.size();
    for (std::size_t j = 0; j < pieces.count; ++j) {
      threads_.check();
      part.contract(*group_.contract_weight[pieces.first + j], desk.flat.get() + j * size,
                    desk.scratch.get());
    }
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

using Sums = Products;  // of one group: (its expand, its contract)

// A side of the squares: by memory and by how long one takes, and small enough that symmetry saves
// something.
std::size_t square_side(const Group& group, std::size_t part) {
  constexpr std::size_t kMostProducts = std::size_t{1} << 28;
  const std::size_t most = std::min(part, kMostProducts / group.d);
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(most)));
  return std::clamp<std::size_t>(side / kLanePad * kLanePad, kLanePad, padded((group.h + 3) / 4));
}

Sums sum_group(const Group& group, Threads& threads) {
  const std::size_t n = std::max(group.expand.size(), group.contract.size());
  const std::size_t part = kPartFloats / n, side = square_side(group, part);
  const std::size_t band = std::clamp<std::size_t>(part / group.d, 1, group.h);
  Multiplier multiplier(group, std::max(side * side, band * group.d), group.d * side, threads);
  Sums sums;
  sums.trace.resize(group.expand.size() * group.contract.size());
  sums.norm2 = sums.trace;
  for (const Range& units : cut(group.h, band))
    multiplier.add(TracePart(group, units), 1, sums.trace);
  const std::vector<Range> sides = cut(group.h, side);
  for (std::size_t r = 0; r < sides.size(); ++r)
    for (std::size_t c = r; c < sides.size(); ++c)
      multiplier.add(GramPart(group, sides[r], sides[c]), r == c ? 1 : 2, sums.norm2);
  return sums;
}

Group gather(const Matrices& expand, const Matrices& contract, const Width& width) {
  Group group{width.h, 0, width.expand, width.contract, {}, {}};
  for (std::size_t i : width.expand) group.expand_weight.push_back(expand[i]);
  for (std::size_t j : width.contract) group.contract_weight.push_back(contract[j]);
  group.d = group.expand_weight.at(0)->cols;
  return group;
}

void spread(const Table& sums, const Width& width, std::size_t n, Table& table) {
  const std::size_t m = width.contract.size();
  for (std::size_t a = 0; a < width.expand.size(); ++a)
    for (std::size_t b = 0; b < m; ++b)
      table[width.expand[a] * n + width.contract[b]] = sums[a * m + b];
}

}  // namespace

Products products(const Matrices& expand, const Matrices& contract, const Sides& sides,
                  Threads& threads) {
  const std::size_t n = sides.size();
  Products all{Table(n * n), Table(n * n)};
  for (const Width& width : sides.widths) {
    const Sums sums = sum_group(gather(expand, contract, width), threads);
    spread(sums.trace, width, n, all.trace);
    spread(sums.norm2, width, n, all.norm2);
  }
  return all;
}

Matrices weights(const std::vector<const Piece*>& pieces) {
  Matrices found;
  for (const Piece* piece : pieces) found.push_back(&piece->weight);
  return found;
}

}  // namespace humpty::pair
