// Of 48 blocks 17,000 segments can change places with the segment behind them, and 69,000 times
// three W_in or W_out can be cycled. Running them all, even on one row, would cost more than all
// other rivals together, so they are screened: one row, one way through the net, everything to
// first order around it. What is estimated to move the answer by many times the floor is taken to
// be refuted; whatever comes nearer is run. `humpty verify`, which has the time, runs them all.
//
// Segments A (blocks i … j − 1) and B (j … k − 1). With x the states on the row's way, B is run
// from x_i, which gives y; A would take that to about x_j + J_A · (y − x_i), and what is behind
// them moves the answer by about g_k · (… − x_k), g being the answer's gradient. J_Aᵀ · g_k does
// not depend on y. So for one j, all y (a lane for each i, block after block forwards) and all J_Aᵀ
// · g_k (a lane for each k, block after block backwards) cost 2 · j · (n − j) block evaluations,
// n³/3 in all instead of n⁴/8, and each of the n³/6 estimates is one scalar product.
//
// Cycles: pieces put elsewhere move the answer, each by itself, by an amount that depends on the
// place and the piece; a table of n² of them, again with lanes that share a piece's weights. A
// cycle's estimate is the sum of three.
//
// Estimates err where the change is large and the net bends. That can make a refutation wrong only
// where a change that the rows do not mind looks harmful to first order on its way: a net that
// takes u and −u to the same answer, say. Nets made so are in the tests of `verify`.
#include "verify/screen.hpp"

#include <algorithm>
#include <cmath>

namespace humpty::verifier {
namespace {

constexpr std::size_t kLanes = kRows<float>;
using Kind = Rival::Kind;
using Vector = std::vector<float>;

Dense<float> transposed(const Dense<float>& layer) {
  Dense<float> result{layer.in, layer.out, Vector(layer.weight.size()), Vector(layer.in)};
  for (std::size_t i = 0; i < layer.out; ++i)
    for (std::size_t k = 0; k < layer.in; ++k)
      result.weight[k * layer.out + i] = layer.weight[i * layer.in + k];
  return result;
}

// Vectors of one width side by side, as the chain takes them: (groups, width, kLanes).
struct Bundle {
  std::size_t width, count;
  Vector values;

  Bundle(std::size_t width_of_each, std::size_t how_many)
      : width(width_of_each),
        count(how_many),
        values((how_many + kLanes - 1) / kLanes * kLanes * width_of_each) {}

  std::size_t groups() const { return (count + kLanes - 1) / kLanes; }
  float* group(std::size_t i) { return values.data() + i * width * kLanes; }
  float* lane(std::size_t i) { return group(i / kLanes) + i % kLanes; }  // its values kLanes apart
  float& at(std::size_t i, std::size_t f) { return lane(i)[f * kLanes]; }
  void set(std::size_t i, const Vector& vector) {
    for (std::size_t f = 0; f < width; ++f) at(i, f) = vector[f];
  }
  Vector get(std::size_t i) {
    Vector vector(width);
    const float* from = lane(i);
    for (std::size_t f = 0; f < width; ++f) vector[f] = from[f * kLanes];
    return vector;
  }
  // Of one of them with what another differs from `less` by.
  double dot_difference(std::size_t i, const float* other, const Vector& less) {
    const float* own = lane(i);
    float sum = 0;
    for (std::size_t f = 0; f < width; ++f) sum += own[f * kLanes] * (other[f * kLanes] - less[f]);
    return double{sum};
  }
};

// All vectors through one layer.
Bundle through(const Dense<float>& layer, Bundle& from) {
  Bundle to(layer.out, from.count);
  for (std::size_t i = 0; i < from.groups(); ++i) affine(layer, from.group(i), to.group(i), false);
  return to;
}

Vector through(const Dense<float>& layer, const Vector& from) {
  Bundle one(from.size(), 1);
  one.set(0, from);
  return through(layer, one).get(0);
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

Vector difference(const Vector& a, const Vector& b) {
  Vector result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

// The activation's derivative, by a difference: no second set of formulas.
Vector slopes(Activation activation, const Vector& z) {
  constexpr double kStep = 1e-4;
  std::vector<double> above(z.begin(), z.end()), below = above;
  for (double& each : above) each += kStep;
  for (double& each : below) each -= kStep;
  activate(activation, above);
  activate(activation, below);
  Vector result(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) result[i] = float((above[i] - below[i]) / (2 * kStep));
  return result;
}

}  // namespace

Transposed::Transposed(const Chain<float>& chain) {
  for (std::size_t b = 0; b < chain.blocks(); ++b) {
    in.push_back(transposed(chain.in(b)));
    out.push_back(transposed(chain.out(b)));
  }
}

Screen::Screen(const Chain<float>& chain, const Transposed& transposed, const float* features)
    : chain_(chain), transposed_(transposed), n_(chain.blocks()), d_(chain.d()) {
  run(features);
  gradients_.resize(n_ + 1);
  gradients_[n_] = gradient_of_answer();
  for (std::size_t b = n_; b-- > 0;) {
    Bundle one(d_, 1);
    one.set(0, gradients_[b + 1]);
    pull(b, one.group(0), 1);
    gradients_[b] = one.get(0);
  }
  tabulate_expand();
  tabulate_contract();
}

void Screen::run(const float* features) {
  Vector x(d_);
  chain_.enter(features, x.data(), 1);
  for (std::size_t b = 0; b < n_; ++b) {
    states_.push_back(x);
    Vector z = through(chain_.in(b), x);
    slopes_.push_back(slopes(chain_.activation(), z));
    activate(chain_.activation(), z);
    const Vector moved = through(chain_.out(b), z);
    for (std::size_t f = 0; f < d_; ++f) x[f] += moved[f];
    hidden_.push_back(std::move(z));
  }
  states_.push_back(std::move(x));
}

// Of the outputs' mean, signs alternating: what moves it by more than the floor moves one output by
// more than the floor. By a difference, so that whatever the head does behind its layer is in it.
Screen::Vector Screen::gradient_of_answer() const {
  const std::size_t o = chain_.o();
  constexpr float kStep = 1e-2f;
  Bundle moved(d_, 2 * d_), answers(o, 2 * d_);
  for (std::size_t lane = 0; lane < 2 * d_; ++lane) {
    moved.set(lane, states_[n_]);
    moved.at(lane, lane / 2) += lane % 2 ? -kStep : kStep;
  }
  chain_.head(moved.values.data(), answers.values.data(), moved.groups());
  Vector gradient(d_);
  for (std::size_t f = 0; f < d_; ++f) {
    const float step = moved.at(2 * f, f) - moved.at(2 * f + 1, f);
    for (std::size_t k = 0; k < o; ++k)
      gradient[f] += (k % 2 ? -1.0f : 1.0f) * (answers.at(2 * f, k) - answers.at(2 * f + 1, k)) /
                     step / float(o);
  }
  return gradient;
}

// Gradients after a block to gradients before it, (groups, d, kLanes), in place.
void Screen::pull(std::size_t block, float* gradients, std::size_t groups) const {
  const std::size_t h = chain_.hidden(block);
  Vector hidden(h * kLanes);
  for (std::size_t group = 0; group < groups; ++group, gradients += d_ * kLanes) {
    affine(transposed_.out[block], gradients, hidden.data(), false);
    for (std::size_t unit = 0; unit < h; ++unit)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        hidden[unit * kLanes + lane] *= slopes_[block][unit];
    affine(transposed_.in[block], hidden.data(), gradients, true);
  }
}

// W_in of `piece` at every place: what its hidden units, seen through that place's W_out, do.
void Screen::tabulate_expand() {
  moved_expand_.assign(n_ * n_, NAN);
  Bundle states(d_, n_);
  std::vector<Vector> wanted;
  for (std::size_t place = 0; place < n_; ++place) {
    states.set(place, states_[place]);
    wanted.push_back(through(transposed_.out[place], gradients_[place + 1]));
  }
  for (std::size_t piece = 0; piece < n_; ++piece) {
    Bundle hidden = through(chain_.in(piece), states);
    activate(chain_.activation(), hidden.values);
    for (std::size_t place = 0; place < n_; ++place)
      if (chain_.hidden(place) == chain_.hidden(piece))
        moved_expand_[place * n_ + piece] =
            dot(wanted[place], difference(hidden.get(place), hidden_[place]));
  }
}

// W_out of `piece` at every place.
void Screen::tabulate_contract() {
  moved_contract_.assign(n_ * n_, NAN);
  Bundle gradients(d_, n_);
  for (std::size_t place = 0; place < n_; ++place) gradients.set(place, gradients_[place + 1]);
  const auto effect = [&](std::size_t place, std::size_t piece, const Vector& pulled) {
    return dot(pulled, hidden_[place]) + dot(chain_.out(piece).bias, gradients_[place + 1]);
  };
  std::vector<double> own(n_);
  for (std::size_t place = 0; place < n_; ++place)
    own[place] = effect(place, place, through(transposed_.out[place], gradients_[place + 1]));
  for (std::size_t piece = 0; piece < n_; ++piece) {
    Bundle pulled = through(transposed_.out[piece], gradients);
    for (std::size_t place = 0; place < n_; ++place)
      if (chain_.hidden(place) == chain_.hidden(piece))
        moved_contract_[place * n_ + piece] = effect(place, piece, pulled.get(place)) - own[place];
  }
}

// All segments that meet before block `middle`, j above.
std::vector<Estimate> Screen::segments(std::size_t middle) const {
  const std::size_t before = middle, behind = n_ - middle;
  Bundle forwards(d_, before), backwards(d_, behind);
  for (std::size_t i = 0; i < before; ++i) forwards.set(i, states_[i]);
  for (std::size_t k = 0; k < behind; ++k) backwards.set(k, gradients_[middle + k + 1]);
  std::vector<Bundle> ahead;  // [k]: y of every i
  for (std::size_t k = 0; k < behind; ++k) {
    chain_.step(middle + k, middle + k, forwards.values.data(), forwards.groups());
    ahead.push_back(forwards);
  }
  std::vector<double> already;  // g_k · (x_j − x_k)
  for (std::size_t k = 0; k < behind; ++k)
    already.push_back(
        dot(gradients_[middle + k + 1], difference(states_[middle], states_[middle + k + 1])));
  std::vector<Estimate> found;
  for (std::size_t i = before; i-- > 0;) {
    pull(i, backwards.values.data(), backwards.groups());
    if (middle - i < 2) continue;
    for (std::size_t k = 1; k < behind; ++k)
      found.push_back(
          {Kind::segments, i, middle, middle + k + 1,
           std::abs(already[k] + backwards.dot_difference(k, ahead[k].lane(i), states_[i]))});
  }
  return found;
}

// All cycles whose first place is `first`.
std::vector<Estimate> Screen::cycles(Kind kind, std::size_t first) const {
  const std::vector<double>& moved = kind == Kind::cycle_in ? moved_expand_ : moved_contract_;
  const auto at = [&](std::size_t place, std::size_t piece) { return moved[place * n_ + piece]; };
  std::vector<Estimate> found;
  for (std::size_t b = first + 1; b < n_; ++b)
    for (std::size_t c = first + 1; c < n_; ++c) {
      const bool alike =
          chain_.hidden(first) == chain_.hidden(b) && chain_.hidden(first) == chain_.hidden(c);
      if (b == c || !alike) continue;
      found.push_back({kind, first, b, c, std::abs(at(b, first) + at(c, b) + at(first, c))});
    }
  return found;
}

std::vector<Estimate> Screen::near(double limit, Threads& threads) const {
  std::vector<std::vector<Estimate>> found(3 * n_);
  threads.run(found.size(), [&](std::size_t job, unsigned) {
    const std::size_t place = job / 3;
    found[job] = job % 3 == 0   ? segments(place)
                 : job % 3 == 1 ? cycles(Kind::cycle_in, place)
                                : cycles(Kind::cycle_out, place);
    // A NaN is not beyond anything.
    std::erase_if(found[job], [&](const Estimate& each) { return each.size > limit; });
  });
  std::vector<Estimate> all;
  for (const std::vector<Estimate>& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace humpty::verifier
