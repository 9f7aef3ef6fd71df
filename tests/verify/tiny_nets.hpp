// Nets of three to five blocks, many of them made to mislead, compared with every arrangement of
// their pieces: computed here, by plain loops that share nothing with the verifier.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/random.hpp"
#include "humpty/humpty.hpp"
#include "nets.hpp"

namespace humpty::test {

// d × d, row by row.
struct Square {
  std::size_t d;
  std::vector<double> v;

  explicit Square(std::size_t size) : d(size), v(size * size) {}
  static Square identity(std::size_t d) {
    Square m(d);
    for (std::size_t i = 0; i < d; ++i) m.at(i, i) = 1;
    return m;
  }
  static Square random(std::size_t d, Random& random) {
    Square m(d);
    for (double& each : m.v) each = random.normal();
    return m;
  }
  double& at(std::size_t i, std::size_t k) { return v[i * d + k]; }
  double at(std::size_t i, std::size_t k) const { return v[i * d + k]; }

  Square operator*(const Square& other) const {
    Square m(d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k < d; ++k)
        for (std::size_t j = 0; j < d; ++j) m.at(i, j) += at(i, k) * other.at(k, j);
    return m;
  }
  Square plus(double factor, const Square& other) const {
    Square m = *this;
    for (std::size_t i = 0; i < v.size(); ++i) m.v[i] += factor * other.v[i];
    return m;
  }
  // Gauss and Jordan, pivots by size.
  Square inverse() const {
    Square a = *this, b = identity(d);
    for (std::size_t c = 0; c < d; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < d; ++r)
        if (std::abs(a.at(r, c)) > std::abs(a.at(pivot, c))) pivot = r;
      for (std::size_t k = 0; k < d; ++k)
        std::swap(a.at(c, k), a.at(pivot, k)), std::swap(b.at(c, k), b.at(pivot, k));
      const double scale = a.at(c, c);
      for (std::size_t k = 0; k < d; ++k) a.at(c, k) /= scale, b.at(c, k) /= scale;
      for (std::size_t r = 0; r < d; ++r) {
        const double factor = r == c ? 0 : a.at(r, c);
        for (std::size_t k = 0; k < d; ++k)
          a.at(r, k) -= factor * a.at(c, k), b.at(r, k) -= factor * b.at(c, k);
      }
    }
    return b;
  }
};

// x ↦ x + v·u·x. `mirrored`: with relu, by relu(u) − relu(−u) = u. h = 2 d, so that roles are
// plain.
inline std::vector<Piece> linear_block(const Square& u, const Square& v, bool mirrored) {
  const std::size_t d = u.d;
  Matrix in{2 * d, d, std::vector<float>(2 * d * d)}, out{d, 2 * d, std::vector<float>(2 * d * d)};
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t k = 0; k < d; ++k) {
      in.row(i)[k] = float(u.at(i, k));
      in.row(d + i)[k] = mirrored ? -float(u.at(i, k)) : 0;
      out.row(i)[k] = float(v.at(i, k));
      out.row(i)[d + k] = mirrored ? -float(v.at(i, k)) : 0;
    }
  std::vector<Piece> pieces(2);
  pieces[0].bias.assign(2 * d, 0.0f);
  pieces[1].bias.assign(d, 0.0f);
  pieces[0].weight = std::move(in);
  pieces[1].weight = std::move(out);
  return pieces;
}

// x ↦ P · x.
inline std::vector<Piece> linear_block(const Square& product, Random& random, bool mirrored) {
  const Square u = Square::random(product.d, random);
  return linear_block(u, product.plus(-1, Square::identity(product.d)) * u.inverse(), mirrored);
}

class TinyMaker {
 public:
  explicit TinyMaker(unsigned seed) : random_(seed) {}

  struct Made {
    std::string kind;
    Puzzle puzzle;
    std::vector<int> truth;
  };

  Made make() {
    static const std::pair<const char*, std::vector<Piece> (TinyMaker::*)()> kinds[] = {
        {"random", &TinyMaker::random_blocks},
        {"copied or dead pieces", &TinyMaker::spoiled},
        {"products of a finite group", &TinyMaker::of_a_group},
        {"factors of a finite group", &TinyMaker::of_group_factors},
        {"segments that commute", &TinyMaker::commuting_segments},
        {"symmetric, the product too", &TinyMaker::symmetric},
        {"blocks that undo each other", &TinyMaker::undoing},
        {"active on few rows", &TinyMaker::seldom_active},
        {"even in its input", &TinyMaker::even},
    };
    activation_ = Activation::relu;
    d_ = 2 + random_.index(2);
    n_ = random_.index(5) == 0 ? 5 : 3 + random_.index(2);
    const auto& [kind, make_blocks] = kinds[random_.index(std::size(kinds))];
    std::vector<Piece> applied = (this->*make_blocks)();
    Piece head;
    head.weight = matrix(1 + random_.index(2), d_, 1);
    head.bias = matrix(1, head.weight.rows, 1).values.own();
    applied.push_back(head);
    return drop(kind, std::move(applied));
  }

  std::size_t index(std::size_t count) { return random_.index(count); }

 private:
  Made drop(const char* kind, std::vector<Piece> applied) {
    const std::size_t count = random_.index(4) ? 30 : 3 + random_.index(8);
    Rows rows;
    rows.features = matrix(count, d_, 1);
    rows.target = {count, applied.back().weight.rows, {}};
    rows.target.values.resize(count * rows.target.cols);
    lab::Dropped dropped =
        lab::drop(std::move(applied), std::move(rows), activation_, random_.bits(), 1);
    return {kind, std::move(dropped.puzzle), std::move(dropped.permutation)};
  }

  Matrix matrix(std::size_t rows, std::size_t cols, double scale) {
    Matrix m{rows, cols, std::vector<float>(rows * cols)};
    for (float& each : m.values) each = float(scale * random_.normal());
    return m;
  }

  std::vector<Piece> random_blocks() {
    std::vector<Piece> applied;
    const std::size_t h = d_ + 1 + random_.index(3);
    for (std::size_t b = 0; b < n_; ++b) {
      applied.push_back(piece(matrix(h, d_, 0.7)));
      applied.push_back(piece(matrix(d_, h, 0.7)));
    }
    return applied;
  }
  Piece piece(Matrix weight) {
    Piece made;
    made.bias = matrix(1, weight.rows, 0.3).values.own();
    made.weight = std::move(weight);
    return made;
  }

  std::vector<Piece> spoiled() {
    std::vector<Piece> applied = random_blocks();
    for (std::size_t times = 1 + random_.index(3); times > 0; --times) {
      const std::size_t side = random_.index(2), a = random_.index(n_), b = random_.index(n_);
      applied[2 * a + side] = applied[2 * b + side];
      if (random_.index(3)) continue;
      for (float& w : applied[2 * a + 1].weight.values) w = 0;
      for (float& w : applied[2 * a + 1].bias) w = 0;
    }
    return applied;
  }

  void add_linear(const Square& product, std::vector<Piece>& applied) {
    for (Piece& each : linear_block(product, random_, activation_ == Activation::relu))
      applied.push_back(std::move(each));
  }
  void add_factors(const Square& u, const Square& v, std::vector<Piece>& applied) {
    for (Piece& each : linear_block(u, v, activation_ == Activation::relu))
      applied.push_back(std::move(each));
  }
  void be_linear() { activation_ = random_.index(2) ? Activation::identity : Activation::relu; }

  // A signed permutation of the coordinates.
  Square group_element() {
    Square m(d_);
    std::vector<std::size_t> places(d_);
    for (std::size_t i = 0; i < d_; ++i) places[i] = i;
    random_.shuffle(places);
    for (std::size_t i = 0; i < d_; ++i) m.at(i, places[i]) = random_.index(2) ? 1 : -1;
    return m;
  }
  std::vector<Piece> of_a_group() {
    be_linear();
    std::vector<Piece> applied;
    const Square base = Square::random(d_, random_), back = base.inverse();
    for (std::size_t b = 0; b < n_; ++b) add_linear(back * group_element() * base, applied);
    return applied;
  }
  std::vector<Piece> of_group_factors() {
    be_linear();
    std::vector<Piece> applied;
    const Square base = Square::random(d_, random_), back = base.inverse();
    for (std::size_t b = 0; b < n_; ++b)
      add_factors(group_element() * base,
                  Square(d_).plus(random_.index(2) ? 1 : 0.5, back * group_element()), applied);
    return applied;
  }

  // P2 · P1 and P4 · P3 are functions of one matrix.
  std::vector<Piece> commuting_segments() {
    be_linear();
    n_ = 4 + (random_.index(4) == 0);
    std::vector<Piece> applied;
    const Square base = Square::random(d_, random_);
    const std::size_t extra = n_ == 5 ? random_.index(3) : 3;
    for (std::size_t segment = 0; segment < 2; ++segment) {
      if (extra == segment) add_linear(Square::random(d_, random_), applied);
      const Square product = Square::identity(d_)
                                 .plus(random_.normal(), base)
                                 .plus(random_.normal(), base * base),
                   first = Square::random(d_, random_);
      add_linear(first, applied);
      add_linear(product * first.inverse(), applied);
    }
    if (extra == 2) add_linear(Square::random(d_, random_), applied);
    return applied;
  }

  // P4·P3·P2·P1 = P1·P2·P3·P4: all symmetric, and so is the product.
  std::vector<Piece> symmetric() {
    be_linear();
    d_ = 2, n_ = 4;
    std::vector<Piece> applied;
    Square product = Square::identity(2);
    for (std::size_t b = 0; b < 3; ++b) {
      Square p = Square::random(2, random_);
      p.at(0, 1) = p.at(1, 0);
      add_linear(p, applied);
      product = p * product;
    }
    Square last = Square::random(2, random_);
    const Square& m = product;  // last · m shall be symmetric
    last.at(1, 0) = last.at(0, 1);
    last.at(0, 0) =
        (last.at(0, 1) * (m.at(0, 0) - m.at(1, 1)) + last.at(1, 1) * m.at(1, 0)) / m.at(0, 1);
    add_linear(last, applied);
    return applied;
  }

  std::vector<Piece> undoing() {
    be_linear();
    n_ = 4;
    std::vector<Piece> applied;
    std::vector<Square> products;
    for (std::size_t pair = 0; pair < 2; ++pair) {
      products.push_back(Square::random(d_, random_));
      products.push_back(products.back().inverse());
    }
    random_.shuffle(products);
    for (const Square& p : products) add_linear(p, applied);
    return applied;
  }

  std::vector<Piece> seldom_active() {
    std::vector<Piece> applied = random_blocks();
    for (std::size_t b = 0; b < n_; ++b)
      if (random_.index(2))
        for (float& each : applied[2 * b].bias) each -= 2.5f;
    return applied;
  }

  // |u| first, then blocks that only some signs tell apart.
  std::vector<Piece> even() {
    std::vector<Piece> applied;
    n_ = 4;
    for (std::size_t b = 0; b + 1 < n_; ++b) add_linear(group_element(), applied);
    Square absolute = Square::identity(d_);
    add_factors(absolute, absolute, applied);
    Piece& out = applied.back();  // x − x + relu(x) + relu(−x)
    for (std::size_t i = 0; i < d_; ++i) out.weight.row(i)[i] = 0, out.weight.row(i)[d_ + i] = 2;
    return applied;
  }

  Random random_;
  Activation activation_ = Activation::relu;
  std::size_t d_ = 2, n_ = 3;
};

// Every arrangement of a puzzle's pieces that explains its rows, by plain loops in float64.
class ByForce {
 public:
  ByForce(const Puzzle& puzzle, double floor_mse, double floor_largest)
      : puzzle_(puzzle),
        in_(puzzle.with_role(Role::expand)),
        out_(puzzle.with_role(Role::contract)),
        head_(puzzle.pieces[puzzle.with_role(Role::head)[0]]),
        mse_(floor_mse),
        largest_(floor_largest) {
    std::vector<std::vector<double>> states;
    for (std::size_t r = 0; r < puzzle.rows.features.rows; ++r)
      states.emplace_back(puzzle.rows.features.row(r),
                          puzzle.rows.features.row(r) + puzzle.rows.features.cols);
    extend(states);
  }

  std::vector<std::vector<int>> found;  // permutations
  bool borderline = false;  // some arrangement is so near the floor that the count could be either

 private:
  void extend(const std::vector<std::vector<double>>& states) {
    if (applied_.size() == 2 * in_.size()) return judge(states);
    for (std::size_t i : in_)
      for (std::size_t o : out_) {
        if (used(i) || used(o)) continue;
        std::vector<std::vector<double>> next = states;
        for (std::vector<double>& x : next) step(puzzle_.pieces[i], puzzle_.pieces[o], x);
        applied_.insert(applied_.end(), {i, o});
        extend(next);
        applied_.resize(applied_.size() - 2);
      }
  }
  bool used(std::size_t piece) const {
    return std::find(applied_.begin(), applied_.end(), piece) != applied_.end();
  }
  void step(const Piece& in, const Piece& out, std::vector<double>& x) const {
    std::vector<double> hidden = plain_layer(in, x);
    if (puzzle_.activation == Activation::relu)
      for (double& z : hidden) z = z > 0 ? z : 0;
    const std::vector<double> moved = plain_layer(out, hidden);
    for (std::size_t f = 0; f < x.size(); ++f) x[f] += moved[f];
  }
  void judge(const std::vector<std::vector<double>>& states) {
    double square = 0, largest = 0, count = 0;
    for (std::size_t r = 0; r < states.size(); ++r) {
      const std::vector<double> y = plain_layer(head_, states[r]);
      for (std::size_t k = 0; k < y.size(); ++k, ++count) {
        const double error = y[k] - double{puzzle_.rows.target.row(r)[k]};
        square += error * error, largest = std::max(largest, std::abs(error));
      }
    }
    const double beyond = std::max(std::sqrt(square / count / mse_), largest / largest_);
    borderline = borderline || (beyond > 0.99 && beyond < 2.01);
    if (!(beyond <= 1)) return;
    std::vector<int> permutation;
    for (std::size_t place : applied_) permutation.push_back(puzzle_.pieces[place].id);
    permutation.push_back(head_.id);
    found.push_back(std::move(permutation));
  }

  const Puzzle& puzzle_;
  std::vector<std::size_t> in_, out_, applied_;
  const Piece& head_;
  double mse_, largest_;
};

struct TinyTally {
  struct Count {
    std::size_t nets = 0, unique = 0;  // with one arrangement at the floor
    std::size_t exact = 0;             // called exact, rightly
    std::size_t wrong_exact = 0, wrong_count = 0, refused = 0, skipped = 0;
  };
  std::map<std::string, Count> by_kind;    // of the certificate that is the default
  std::map<std::string, Count> of_rivals;  // of `--certificate full`, which tries rivals only
  std::string first_failure;

  void fail(std::size_t& count, unsigned seed, const std::string& what) {
    ++count;
    if (first_failure.empty()) first_failure = "tiny net " + std::to_string(seed) + ": " + what;
  }
};

inline void judge(const Certificate& c, const ByForce& all, unsigned seed, TinyTally& tally,
                  TinyTally::Count& count) {
  const std::size_t remain = all.found.size();
  count.exact += c.verdict == Verdict::exact && remain == 1;
  if (c.verdict == Verdict::unsolved) tally.fail(count.refused, seed, c.why);
  if (c.verdict == Verdict::exact && remain > 1)
    tally.fail(count.wrong_exact, seed, "exact, and " + std::to_string(remain) + " remain");
  if (!all.borderline && c.freedom && !c.freedom->at_least &&
      c.freedom->permutations != std::to_string(remain))
    tally.fail(count.wrong_count, seed,
               c.freedom->permutations + " said to remain, " + std::to_string(remain) + " do");
}

// The truth, and another arrangement that explains the rows where there is one; in `verify`'s way
// and in `solve`'s.
inline void study_tiny(unsigned seed, TinyTally& tally) {
  TinyMaker maker(seed);
  const TinyMaker::Made made = maker.make();
  const Certificate truth = verify(made.puzzle, made.truth, {.threads = 1});
  const ByForce all(made.puzzle, truth.floor_mse, truth.floor_max_abs_error);
  for (auto* kinds : {&tally.by_kind, &tally.of_rivals}) {
    TinyTally::Count& count = (*kinds)[made.kind];
    ++count.nets;
    count.skipped += all.borderline;
    if (all.found.empty()) continue;
    count.unique += all.found.size() == 1;
    const Scope scope = kinds == &tally.by_kind ? Scope::automatic : Scope::full;
    for (bool quick : {false, true})
      judge(verify(made.puzzle, made.truth, {.scope = scope, .quick = quick, .threads = 1}), all,
            seed, tally, count);
    const std::vector<int>& other = all.found[maker.index(all.found.size())];
    if (other == made.truth) continue;
    const Certificate c = verify(made.puzzle, other, {.scope = scope, .threads = 1});
    if (c.verdict == Verdict::exact)
      tally.fail(count.wrong_exact, seed, "another arrangement is called exact");
  }
}

}  // namespace humpty::test
