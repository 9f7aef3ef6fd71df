// Nets of all sorts, sound and defective, with good rows and poor ones; what the verifier says of
// the truth and of what is nearly the truth; what the solver says of its own answers. An "exact"
// for anything but the truth is the one thing that must never happen.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.hpp"
#include "humpty/humpty.hpp"

namespace humpty::test {

struct Tally {
  std::size_t nets = 0, orders = 0;                // orders looked at besides the truth
  std::size_t wrong_exact = 0;                     // must be 0
  std::size_t refused = 0;                         // truths called unsolved; must be 0
  std::size_t exact = 0, ambiguous = 0;            // truths
  std::size_t solved = 0, solved_ambiguously = 0;  // by `solve`
  std::string first_failure;

  void fail(std::size_t& count, unsigned seed, const std::string& what) {
    ++count;
    if (first_failure.empty()) first_failure = "net " + std::to_string(seed) + ": " + what;
  }
};

class NetMaker {
 public:
  explicit NetMaker(unsigned seed) : random_(seed) {}

  struct Made {
    Puzzle puzzle;
    std::vector<int> truth;
    double noise = 0;
  };

  Made make() {
    const std::size_t d = 3 + random_.index(14), o = 1 + random_.index(3);
    std::size_t h = 4 + random_.index(28);
    while (h == d || h == o) ++h;
    lab::TrainOptions options;
    options.blocks = 1 + random_.index(random_.index(4) ? 8 : 16);
    options.hidden = {h};
    options.activation = static_cast<Activation>(random_.index(6));
    options.init = static_cast<lab::Init>(random_.index(2) * 2);  // standard or scaled
    options.rng = random_.bits();
    options.threads = 1;
    std::vector<Piece> applied = lab::initial_pieces(options, d, o);
    const std::size_t count = random_.index(3) ? 100 + random_.index(400) : 1 + random_.index(30);
    Rows rows = lab::make_task(lab::Task::regression, count, d, o, random_.bits());
    if (random_.index(6) == 0) applied = trained(options, rows);
    spoil(applied);
    lab::Dropped dropped =
        lab::drop(std::move(applied), std::move(rows), options.activation, random_.bits(), 1);
    Made made{std::move(dropped.puzzle), std::move(dropped.permutation)};
    spoil(made);
    return made;
  }

  // A change or a few, at random.
  std::vector<int> wrong(std::vector<int> order) {
    const std::size_t blocks = order.size() / 2;
    for (std::size_t i = 0; i <= random_.index(3) && blocks > 1; ++i) {
      Rival rival;
      rival.kind = static_cast<Rival::Kind>(random_.index(4));
      rival.a = random_.index(blocks), rival.b = random_.index(blocks);
      if (rival.a != rival.b) order = after(rival, order);
    }
    return order;
  }

  // Some changes that the rows do not mind, one after the other.
  std::vector<int> drifted(const std::vector<int>& order, const std::vector<Rival>& survivors) {
    std::vector<int> moved = order;
    for (std::size_t i = 0; i < 1 + random_.index(4); ++i)
      moved = after(survivors[random_.index(survivors.size())], moved);
    return moved;
  }

 private:
  std::vector<Piece> trained(lab::TrainOptions options, const Rows& rows) {
    options.epochs = 20;
    options.lr = 3e-3;
    return lab::train(options, rows.features, rows.target).pieces;
  }

  // Copies, twins, dead blocks, commuting blocks.
  void spoil(std::vector<Piece>& applied) {
    const std::size_t blocks = applied.size() / 2;
    if (blocks < 2) return;
    const std::size_t a = random_.index(blocks), b = (a + 1 + random_.index(blocks - 1)) % blocks;
    const auto copy = [&](std::size_t side, double change) {
      Piece &from = applied[2 * a + side], &to = applied[2 * b + side];
      to.weight = from.weight;
      to.bias = from.bias;
      for (float& w : to.weight.values) w *= static_cast<float>(1 + change * random_.normal());
    };
    switch (random_.index(10)) {
      case 0:
        return copy(0, 0), copy(1, 0);
      case 1:
        return copy(random_.index(2), 0);
      case 2: {
        const double change = std::pow(10, random_.uniform(-8, -3));
        return copy(0, change), copy(1, change);
      }
      case 3: {
        const float factor =
            static_cast<float>(random_.index(2) ? 0 : std::pow(10, random_.uniform(-8, -3)));
        for (float& w : applied[2 * a + 1].weight.values) w *= factor;
        for (float& w : applied[2 * a + 1].bias) w *= factor;
        return;
      }
      case 4:
        return confine(applied[2 * a], applied[2 * a + 1], 0),
               confine(applied[2 * b], applied[2 * b + 1], 1);
      default:
        return;
    }
  }

  static void confine(Piece& in, Piece& out, std::size_t half) {
    const std::size_t d = in.weight.cols;
    for (std::size_t f = 0; f < d; ++f) {
      if ((f < d / 2) == (half == 0)) continue;
      for (std::size_t k = 0; k < in.weight.rows; ++k)
        in.weight.row(k)[f] = out.weight.row(f)[k] = 0;
      if (!out.bias.empty()) out.bias[f] = 0;
    }
  }

  // Rounded or noisy targets, rows that miss part of the space, rows said twice.
  void spoil(Made& made) {
    Rows& rows = made.puzzle.rows;
    switch (random_.index(8)) {
      case 0: {
        if (rows.features.rows < 20) return;  // too few digits to tell that they are rounded
        const double scale = std::pow(10, 3 + double(random_.index(4)));
        for (float& y : rows.target.values)
          y = static_cast<float>(std::nearbyint(double{y} * scale) / scale);
        return;
      }
      case 1:
        made.noise = std::pow(10, random_.uniform(-5, -2));
        for (float& y : rows.target.values) y += static_cast<float>(made.noise * random_.normal());
        return;
      case 2:
        for (std::size_t r = rows.features.rows / 2; r < rows.features.rows; ++r) {
          std::copy_n(rows.features.row(0), rows.features.cols, rows.features.row(r));
          std::copy_n(rows.target.row(0), rows.target.cols, rows.target.row(r));
        }
        return;
      default:
        return;
    }
  }

  Random random_;
};

inline void study_one(unsigned seed, Tally& tally, bool solving) {
  NetMaker maker(seed);
  const NetMaker::Made made = maker.make();
  const VerifyOptions options{.noise = made.noise, .threads = 1};
  const Certificate truth = verify(made.puzzle, made.truth, options);
  ++tally.nets;
  tally.exact += truth.verdict == Verdict::exact;
  tally.ambiguous += truth.verdict == Verdict::ambiguous;
  if (truth.verdict == Verdict::unsolved) tally.fail(tally.refused, seed, "truth: " + truth.why);
  const auto look = [&](const std::vector<int>& order) {
    if (order == made.truth) return;
    ++tally.orders;
    if (verify(made.puzzle, order, options).verdict == Verdict::exact)
      tally.fail(tally.wrong_exact, seed, "a wrong order is called exact");
  };
  for (int i = 0; i < 4; ++i) look(maker.wrong(made.truth));
  for (int i = 0; i < 4 && !truth.survivors.empty(); ++i)
    look(maker.drifted(made.truth, truth.survivors));
  if (!solving) return;
  const Solution solution =
      solve(made.puzzle, {.threads = 1, .time_limit = 2, .noise = made.noise});
  tally.solved += solution.verdict == Verdict::exact;
  tally.solved_ambiguously += solution.verdict == Verdict::ambiguous;
  if (solution.verdict == Verdict::exact && solution.permutation != made.truth)
    tally.fail(tally.wrong_exact, seed, "the solver calls a wrong answer exact");
}

}  // namespace humpty::test
