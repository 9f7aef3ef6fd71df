// Where h = d, an expand piece W_in and a contract piece W_out have the same shape. They differ in
// which axis is the stream's: W_in reads it along its columns, W_out writes it along its rows (and
// b_out is a vector of the stream). The stream is the same for all blocks, hidden units are not. So
// the stream side's second moments, W_inᵀ W_in or W_out W_outᵀ, resemble those of other blocks, and
// the unit side's resemble nothing. Two templates, one per role, are learnt by turns with the roles
// themselves, half of the pieces each, no piece speaking for itself; pieces whose shapes tell their
// role belong to the templates from the start. The first guess, which keeps a say, is that expand
// pieces read the head's directions and contract pieces write them, further ones are drawn.
//
// Chance is measured on the pieces themselves, their rows and columns shuffled piece by piece: then
// there is no common stream. Trained nets mostly agree several times better than that, and all
// roles come out right; after few epochs they do not, and the answer is a coin's.
#include "puzzle/square_roles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace humpty::puzzle {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_to(Vector& sum, const Vector& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

void make_unit(Vector& v) {
  const double size = std::sqrt(dot(v, v));
  for (double& value : v) value = size > 0 ? value / size : 0;
}

// Mean zero, mean square one.
void standardise(Vector& v) {
  const double count = static_cast<double>(v.size());
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / count;
  for (double& value : v) value -= mean;
  make_unit(v);
  for (double& value : v) value *= std::sqrt(count);
}

Matrix transposed(const Matrix& m) {
  Matrix turned{m.cols, m.rows, std::vector<float>(m.values.size())};
  for (std::size_t r = 0; r < m.rows; ++r)
    for (std::size_t c = 0; c < m.cols; ++c) turned.row(c)[r] = m.row(r)[c];
  return turned;
}

// Second moments of the rows of m, less what all directions share, of length one: (cols, cols).
Vector moments(const Matrix& m) {
  const std::size_t d = m.cols;
  Vector sum(d * d);
  for (std::size_t k = 0; k < m.rows; ++k)
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b)
        sum[a * d + b] += double{m.row(k)[a]} * double{m.row(k)[b]};
  double trace = 0;
  for (std::size_t a = 0; a < d; ++a) trace += sum[a * d + a];
  for (std::size_t a = 0; a < d; ++a) sum[a * d + a] -= trace / static_cast<double>(d);
  make_unit(sum);
  return sum;
}

// What a piece would show of the stream in either role; both d² + d numbers.
struct Views {
  Vector as_expand, as_contract;
};

Vector expand_view(const Piece& piece) {
  Vector view = moments(piece.weight);
  view.resize(view.size() + piece.weight.cols);
  return view;
}

Vector contract_view(const Piece& piece) {
  Vector view = moments(transposed(piece.weight));
  Vector bias(piece.bias.begin(), piece.bias.end());
  bias.resize(piece.weight.rows);
  make_unit(bias);
  view.insert(view.end(), bias.begin(), bias.end());
  return view;
}

// ‖m v‖²
double square_through(const Matrix& m, const float* v) {
  double sum = 0;
  for (std::size_t r = 0; r < m.rows; ++r) {
    double y = 0;
    for (std::size_t c = 0; c < m.cols; ++c) y += double{m.row(r)[c]} * double{v[c]};
    sum += y * y;
  }
  return sum;
}

// Positive where the piece reads the head's directions rather than writes them.
double reads_head(const Piece& piece, const Piece& head) {
  const Matrix turned = transposed(piece.weight);
  double reads = 0, writes = 0;
  for (std::size_t o = 0; o < head.weight.rows; ++o) {
    reads += square_through(piece.weight, head.weight.row(o));
    writes += square_through(turned, head.weight.row(o));
  }
  return std::log(reads + 1e-30) - std::log(writes + 1e-30);
}

// The views of the square pieces, and the templates' share of those whose roles are known.
struct Evidence {
  std::vector<Views> square;
  Vector lean;  // first guess
  Views known;
  double known_expand = 0, known_contract = 0;  // how many
};

struct Split {
  std::vector<bool> expand;
  double agreement = -1;  // with the own role's template less with the other's, on average
};

// By turns: the half with the larger lean are expand pieces → templates → leans.
Split settle(const Evidence& evidence, Vector lean) {
  constexpr int kTurns = 30;
  constexpr double kHead = 0.05;  // weight of the first guess, which is weak but never nothing
  const std::vector<Views>& views = evidence.square;
  const std::size_t n = views.size();
  Split split;
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return lean[a] > lean[b]; });
    std::vector<bool> expand(n);
    const std::size_t side = n / 2;
    for (std::size_t k = 0; k < side; ++k) expand[order[k]] = true;
    if (expand == split.expand) break;
    split.expand = expand;
    Views sum = evidence.known;
    for (std::size_t i = 0; i < n; ++i)
      add_to(expand[i] ? sum.as_expand : sum.as_contract,
             expand[i] ? views[i].as_expand : views[i].as_contract);
    const double half = static_cast<double>(side);
    split.agreement = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double own_e = expand[i] ? dot(views[i].as_expand, views[i].as_expand) : 0;
      const double own_c = expand[i] ? 0 : dot(views[i].as_contract, views[i].as_contract);
      const double e = (dot(views[i].as_expand, sum.as_expand) - own_e) /
                       std::max(1.0, half + evidence.known_expand - (expand[i] ? 1 : 0));
      const double c = (dot(views[i].as_contract, sum.as_contract) - own_c) /
                       std::max(1.0, half + evidence.known_contract - (expand[i] ? 0 : 1));
      lean[i] = e - c + kHead * evidence.lean[i];
      split.agreement += (expand[i] ? lean[i] : -lean[i]) / static_cast<double>(n);
    }
  }
  return split;
}

Evidence look_at(const std::vector<Piece>& pieces, const std::vector<std::size_t>& squares,
                 std::size_t d) {
  const auto head = std::find_if(pieces.begin(), pieces.end(),
                                 [](const Piece& piece) { return piece.role == Role::head; });
  Evidence evidence{{}, {}, {Vector(d * d + d), Vector(d * d + d)}};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (std::binary_search(squares.begin(), squares.end(), i)) {
      evidence.square.push_back({expand_view(piece), contract_view(piece)});
      evidence.lean.push_back(reads_head(piece, *head));
    } else if (piece.role == Role::expand) {
      add_to(evidence.known.as_expand, expand_view(piece));
      evidence.known_expand += 1;
    } else if (piece.role == Role::contract) {
      add_to(evidence.known.as_contract, contract_view(piece));
      evidence.known_contract += 1;
    }
  }
  standardise(evidence.lean);
  return evidence;
}

Split best_split(const Evidence& evidence, Random& random) {
  constexpr int kStarts = 6;
  Vector lean = evidence.lean;
  Split best;
  for (int start = 0; start < kStarts; ++start) {
    const Split split = settle(evidence, lean);
    if (split.agreement > best.agreement) best = split;
    for (double& value : lean) value = random.normal();
  }
  return best;
}

// Rows and columns in an order of the piece's own.
void shuffle_axes(Piece& piece, Random& random) {
  std::vector<std::size_t> rows(piece.weight.rows), columns(piece.weight.cols);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  random.shuffle(rows);
  random.shuffle(columns);
  const Piece before = piece;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      piece.weight.row(r)[c] = before.weight.row(rows[r])[columns[c]];
    if (!piece.bias.empty()) piece.bias[r] = before.bias[rows[r]];
  }
}

double chance_agreement(std::vector<Piece> pieces, const std::vector<std::size_t>& squares,
                        std::size_t d, Random& random) {
  constexpr int kShuffles = 4;
  double sum = 0;
  for (int k = 0; k < kShuffles; ++k) {
    for (std::size_t i : squares) shuffle_axes(pieces[i], random);
    sum += best_split(look_at(pieces, squares, d), random).agreement / kShuffles;
  }
  return sum;
}

// Fitted by eye on 40 nets of own training: at chance half of the roles are right, at three times
// chance all of them.
double share_right(double agreement, double chance) {
  const double above = std::max(0.0, agreement / std::max(chance, 1e-9) - 1);
  return 1 - 0.5 * std::exp(-2 * above);
}

}  // namespace

double tell_square_roles(std::vector<Piece>& pieces, std::size_t d) {
  std::vector<std::size_t> squares;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].weight.rows == d && pieces[i].weight.cols == d) squares.push_back(i);
  Random random(1);
  const Split split = best_split(look_at(pieces, squares, d), random);
  for (std::size_t k = 0; k < squares.size(); ++k)
    pieces[squares[k]].role = split.expand[k] ? Role::expand : Role::contract;
  const double sure = share_right(split.agreement, chance_agreement(pieces, squares, d, random));
  return std::min(sure, 0.999);  // shapes would be sure
}

}  // namespace humpty::puzzle
