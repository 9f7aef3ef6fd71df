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
// so all n² scores are two matrix products over flattened matrices instead of n² small ones (16 ms
// against 2.3 ms on the published puzzle, minutes against seconds at 512 blocks). The h × h Gram
// matrices of all pieces would be large, so the inner axis is cut into bands of hidden units: one
// band's rows for all pieces at a time, only the columns from the band on, the part to the right of
// the band's own square counted twice. Bands are fixed by the sizes alone and summed in their
// order in double, so the scores do not depend on the number of threads.
#include "pair/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <Eigen/Core>

#include "pair/assignment.hpp"

namespace humpty::pair {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const RowMajor>;
using Sums = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kBandFloats = std::size_t{1} << 21;  // per side and thread: 8 MiB

View view(const Matrix& m) {
  return {m.values.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.cols)};
}

// The pieces of one hidden width h; only these can pair with each other.
struct Group {
  Eigen::Index h = 0, d = 0;
  std::vector<std::size_t> expand, contract;                  // places on the table's two axes
  std::vector<const Matrix*> expand_weight, contract_weight;  // (h, d) and (d, h)
};

struct Band {
  Eigen::Index first, size;
};

std::vector<Band> bands(const Group& group) {
  const std::size_t n = std::max(group.expand.size(), group.contract.size());
  const auto wanted =
      static_cast<Eigen::Index>(kBandFloats / (n * static_cast<std::size_t>(group.h)));
  const Eigen::Index size =
      std::clamp<Eigen::Index>(wanted, 1, std::max<Eigen::Index>(1, (group.h + 3) / 4));
  std::vector<Band> all;
  for (Eigen::Index first = 0; first < group.h; first += size)
    all.push_back({first, std::min(size, group.h - first)});
  return all;
}

// Flattens rows [first, first + size) of every piece's Gram matrix, columns from `first` on; the
// columns beyond the band stand for their mirror images too, on one side by a factor of 2.
void fill_gram(const Band& band, Eigen::Index h, const Matrix& weight, bool expand, float* row) {
  Eigen::Map<RowMajor> gram(row, band.size, h - band.first);
  const View w = view(weight);
  if (expand) {
    gram.noalias() = w.middleRows(band.first, band.size) * w.bottomRows(h - band.first).transpose();
    gram.rightCols(h - band.first - band.size) *= 2;
  } else {
    gram.noalias() = w.middleCols(band.first, band.size).transpose() * w.rightCols(h - band.first);
  }
}

struct BandSums {
  Sums trace, norm2;  // (expand, contract)
};

BandSums sum_band(const Group& group, const Band& band) {
  const auto n_in = static_cast<Eigen::Index>(group.expand.size());
  const auto n_out = static_cast<Eigen::Index>(group.contract.size());
  const Eigen::Index columns = group.h - band.first;
  RowMajor in(n_in, band.size * columns), out(n_out, band.size * columns);
  for (Eigen::Index i = 0; i < n_in; ++i)
    fill_gram(band, group.h, *group.expand_weight[i], true, in.row(i).data());
  for (Eigen::Index j = 0; j < n_out; ++j)
    fill_gram(band, group.h, *group.contract_weight[j], false, out.row(j).data());
  BandSums sums;
  sums.norm2 = (in * out.transpose()).cast<double>();

  in.resize(n_in, band.size * group.d);
  out.resize(n_out, band.size * group.d);
  for (Eigen::Index i = 0; i < n_in; ++i)
    Eigen::Map<RowMajor>(in.row(i).data(), band.size, group.d) =
        view(*group.expand_weight[i]).middleRows(band.first, band.size);
  for (Eigen::Index j = 0; j < n_out; ++j)
    Eigen::Map<RowMajor>(out.row(j).data(), band.size, group.d) =
        view(*group.contract_weight[j]).middleCols(band.first, band.size).transpose();
  sums.trace = (in * out.transpose()).cast<double>();
  return sums;
}

std::map<std::size_t, Group> group_by_width(const Puzzle& puzzle,
                                            const std::vector<std::size_t>& expand,
                                            const std::vector<std::size_t>& contract) {
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < expand.size(); ++i) {
    const Matrix& weight = puzzle.pieces[expand[i]].weight;
    Group& group = groups[weight.rows];
    group.h = static_cast<Eigen::Index>(weight.rows);
    group.d = static_cast<Eigen::Index>(weight.cols);
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
  const std::vector<Band> all = bands(group);
  std::vector<BandSums> sums(all.size());
  threads.run(all.size(), [&](std::size_t b, unsigned) { sums[b] = sum_band(group, all[b]); });
  for (std::size_t b = 1; b < sums.size(); ++b) {
    sums[0].trace += sums[b].trace;
    sums[0].norm2 += sums[b].norm2;
  }
  for (std::size_t i = 0; i < group.expand.size(); ++i)
    for (std::size_t j = 0; j < group.contract.size(); ++j) {
      const std::size_t at = group.expand[i] * table.contract.size() + group.contract[j];
      const double trace =
          sums[0].trace(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      const double norm2 =
          sums[0].norm2(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
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
