// Sorting a heap. The data knows the width of the stream and the number of outputs, so shapes give
// roles even where their numbers do not match. Copies of a piece are laid aside: a net with two
// equal pieces is far rarer than a folder with a file copied twice. Then W_in and W_out are matched
// by the ratio; blank pieces make up the numbers, so that the optimal assignment can leave out
// whoever scores worst. A pair must stand out of what wrong pairs score, or its halves are lone:
// narrow nets have few such pairs, so where that leaves the rows unexplained all are taken.
#include "salvage/sort.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "pair/ratio.hpp"
#include "solve/answer.hpp"

namespace humpty::salvager {
namespace {

constexpr double kSigmas = 5;

// The one that a piece is a copy of.
const Piece* original(const Piece& piece, const std::vector<Piece>& kept) {
  const auto found = std::find_if(kept.begin(), kept.end(),
                                  [&](const Piece& other) { return same(piece, other); });
  return found == kept.end() ? nullptr : &*found;
}

std::vector<Piece> without_copies(const std::vector<Piece>& pieces,
                                  std::vector<Salvaged::LeftOut>& left_out) {
  std::vector<Piece> kept;
  for (const Piece& piece : pieces) {
    if (const Piece* first = original(piece, kept))
      left_out.push_back({piece.id, fmt::format("a copy of piece {}", first->id)});
    else
      kept.push_back(piece);
  }
  return kept;
}

// h × d and d × h with h ≠ d, o × d; a width that only the head has is no hidden width.
void set_roles(const Puzzle& heap, std::vector<Piece>& pieces, Sorted& sorted) {
  const std::size_t d = heap.rows.features.cols, o = heap.rows.target.cols;
  for (Piece& piece : pieces) {
    const std::size_t out = piece.weight.rows, in = piece.weight.cols;
    if (in == d && out == o) {
      piece.role = Role::head;
      sorted.heads.push_back(std::move(piece));
    } else if (in == d && out != d) {
      piece.role = Role::expand;
      sorted.expand.push_back(std::move(piece));
    } else if (out == d && in != d) {
      piece.role = Role::contract;
      sorted.contract.push_back(std::move(piece));
    } else {
      sorted.left_out.push_back(
          {piece.id, fmt::format("{}×{} fits nowhere in a stream of width {} with {} outputs", out,
                                 in, d, o)});
    }
  }
}

// As many of each width on either side, blanks having ids below any real one.
Puzzle made_even(const Sorted& sorted) {
  Puzzle even;
  even.pieces = sorted.expand;
  even.pieces.insert(even.pieces.end(), sorted.contract.begin(), sorted.contract.end());
  std::map<std::size_t, std::ptrdiff_t> surplus;  // of expand pieces, by width
  for (const Piece& piece : sorted.expand) ++surplus[piece.weight.rows];
  for (const Piece& piece : sorted.contract) --surplus[piece.weight.cols];
  int id = std::numeric_limits<int>::min();
  for (const auto& [h, count] : surplus)
    for (std::ptrdiff_t i = 0; i < std::abs(count); ++i) {
      const std::size_t d =
          sorted.expand.empty() ? sorted.contract[0].weight.rows : sorted.expand[0].weight.cols;
      Piece blank;
      blank.id = id++;
      blank.role = count > 0 ? Role::contract : Role::expand;
      blank.weight = count > 0 ? Matrix{d, h, {}} : Matrix{h, d, {}};
      blank.weight.values.assign(h * d, 0.0f);
      even.pieces.push_back(std::move(blank));
    }
  std::stable_sort(even.pieces.begin(), even.pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.id < b.id; });
  return even;
}

bool blank(const Piece& piece) { return piece.file.empty() && piece.id < 0; }

// Above this a score is no wrong pair's.
double threshold(const Pairing& pairing, const Puzzle& even) {
  double sum = 0, square = 0, count = 0;
  const std::size_t n = pairing.contract.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double score = pairing.scores[i * n + j];
      if (pairing.match[i] == j || !std::isfinite(score) || blank(even.piece(pairing.expand[i])) ||
          blank(even.piece(pairing.contract[j])))
        continue;
      sum += score, square += score * score, ++count;
    }
  if (count < 2) return 0;
  const double mean = sum / count;
  return mean + kSigmas * std::sqrt(std::max(0.0, square / count - mean * mean));
}

void match(Pairs pairs, Sorted& sorted, Threads& threads) {
  const Puzzle even = made_even(sorted);
  const Pairing pairing = scored_or_not(even, threads);
  const std::size_t n = pairing.contract.size();
  const double least = threshold(pairing, even);
  std::size_t standing_out = 0;
  for (std::size_t i = 0; i < n; ++i)
    standing_out += pairing.scores[i * n + pairing.match[i]] > least;
  // Where the ratio says little about this net, the assignment is all there is.
  const bool telling = pairs == Pairs::that_stand_out &&
                       2 * standing_out >= std::min(sorted.expand.size(), sorted.contract.size());
  sorted.expand.clear();
  sorted.contract.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const Piece &in = even.piece(pairing.expand[i]),
                &out = even.piece(pairing.contract[pairing.match[i]]);
    const bool pair =
        !blank(in) && !blank(out) && (!telling || pairing.scores[i * n + pairing.match[i]] > least);
    if (pair) sorted.expand.push_back(in), sorted.contract.push_back(out);
    if (!pair && !blank(in)) sorted.lone.push_back(in);
    if (!pair && !blank(out)) sorted.lone.push_back(out);
  }
}

}  // namespace

Pairing scored_or_not(const Puzzle& puzzle, Threads& threads) {
  try {
    return pair::pair_by_ratio(puzzle, threads);
  } catch (const Stopped&) {
    return unscored_pairing(puzzle);
  }
}

bool same(const Piece& a, const Piece& b) {
  return a.weight.rows == b.weight.rows && a.weight.cols == b.weight.cols &&
         a.weight.values == b.weight.values && a.bias == b.bias;
}

Sorted sort_heap(const Puzzle& heap, Pairs pairs, Threads& threads) {
  Sorted sorted;
  std::vector<Piece> pieces = without_copies(heap.pieces, sorted.left_out);
  set_roles(heap, pieces, sorted);
  if (sorted.heads.empty())
    throw Error(ErrorCode::bad_shape,
                fmt::format("no head ({}×{}) in the heap: without it nothing can be compared with "
                            "the target",
                            heap.rows.target.cols, heap.rows.features.cols));
  if (sorted.expand.empty() || sorted.contract.empty())
    throw Error(ErrorCode::bad_shape,
                "no block can be made of this heap: all W_in or all W_out "
                "are missing");
  match(pairs, sorted, threads);
  return sorted;
}

}  // namespace humpty::salvager
