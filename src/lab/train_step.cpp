#include "lab/train_step.hpp"

#include <algorithm>
#include <cmath>

namespace humpty::lab {
namespace {

using net::floats;
using net::padded;

// Fewer multiply-adds than this in a step are done before a second thread has woken up.
constexpr double kWorthThreads = 1e7;

std::size_t largest_width(const std::vector<Learner>& layers) {
  std::size_t width = 0;
  for (const Learner& layer : layers)
    width = std::max({width, padded(layer.in), padded(layer.out)});
  return width;
}

// y (count × layer.out) = x · Wᵀ + bias [+ add].
void apply(const Learner& layer, std::size_t count, const float* x, const float* add, float* y) {
  const std::size_t out = padded(layer.out);
  net::multiply({count, layer.in, out, x, padded(layer.in), false, layer.transposed.get(), out,
                 layer.bias.get(), add, y, out});
}

// The gradient at the layer's input from the one at its output: g (count × out) · W [+ add].
void apply_backward(const Learner& layer, std::size_t count, const float* g, const float* add,
                    float* x) {
  const std::size_t in = padded(layer.in);
  net::multiply({count, layer.out, in, g, padded(layer.out), false, layer.weight.get(), in, nullptr,
                 add, x, in});
}

double squared_loss(const float* target, std::size_t outputs, double rows, float* y) {
  const double weight = 1.0 / (rows * static_cast<double>(outputs));
  double sum = 0;
  for (std::size_t o = 0; o < outputs; ++o) {
    const float error = y[o] - target[o];
    sum += static_cast<double>(error) * error * weight;
    y[o] = static_cast<float>(2 * weight) * error;
  }
  return sum;
}

double cross_entropy(const float* target, std::size_t outputs, double rows, float* y) {
  const float top = *std::max_element(y, y + outputs);
  double total = 0, sum = 0;
  for (std::size_t o = 0; o < outputs; ++o) total += std::exp(static_cast<double>(y[o] - top));
  for (std::size_t o = 0; o < outputs; ++o) {
    const double log_share = static_cast<double>(y[o] - top) - std::log(total);
    sum -= target[o] * log_share / rows;
    y[o] = static_cast<float>((std::exp(log_share) - target[o]) / rows);
  }
  return sum;
}

}  // namespace

Learner::Learner(const Piece& piece)
    : out(piece.weight.rows),
      in(piece.weight.cols),
      weight(floats(out * padded(in))),
      transposed(floats(in * padded(out))),
      bias(floats(padded(out))),
      first(floats(out * padded(in))),
      second(floats(out * padded(in))),
      bias_first(floats(padded(out))),
      bias_second(floats(padded(out))) {
  for (std::size_t i = 0; i < out; ++i)
    std::copy_n(piece.weight.row(i), in, weight.get() + i * padded(in));
  std::copy(piece.bias.begin(), piece.bias.end(), bias.get());
  net::transpose(weight.get(), out, in, padded(in), transposed.get(), padded(out));
}

Trainer::Trainer(const TrainOptions& options, const std::vector<Piece>& pieces, std::size_t batch)
    : options_(options),
      layers_(pieces.begin(), pieces.end()),
      threads_(options.threads, options.cancel),
      d_(layers_.back().in),
      o_(layers_.back().out) {
  for (std::size_t i = 0; i < layers_.size(); i += 2) {
    const std::size_t inner = batch * padded(layers_[i].out), outer = batch * padded(d_);
    traces_.push_back({floats(outer), floats(inner), floats(inner), floats(outer)});
  }
  for (unsigned t = 0; t < threads_.count(); ++t)
    scratch_.push_back(floats(kRows * largest_width(layers_)));
  worth_threads_ = flops_per_row() * static_cast<double>(batch) > 2 * kWorthThreads;
}

double Trainer::flops_per_row() const {
  double weights = 0;
  for (const Learner& layer : layers_) weights += static_cast<double>(layer.out * layer.in);
  return 6 * weights;
}

void Trainer::run(std::size_t jobs, const std::function<void(std::size_t, unsigned)>& job) {
  if (worth_threads_) return threads_.run(jobs, job);
  threads_.check();
  for (std::size_t number = 0; number < jobs; ++number) job(number, 0);
}

double Trainer::step(const Matrix& features, const Matrix& target, const std::size_t* rows,
                     std::size_t count) {
  const std::size_t tiles = (count + kRows - 1) / kRows;
  std::vector<double> losses(tiles);
  run(tiles, [&](std::size_t number, unsigned worker) {
    const std::size_t from = number * kRows;
    losses[number] = tile(features, target, rows, from, std::min(kRows, count - from), count,
                          scratch_[worker].get());
  });

  ++steps_;
  const double t = static_cast<double>(steps_);
  const bool adamw = options_.optimizer == Optimizer::adamw;
  adam_.shrink = adamw ? static_cast<float>(1 - options_.lr * options_.weight_decay) : 1.0f;
  adam_.decay = adamw ? 0.0f : static_cast<float>(options_.weight_decay);
  adam_.rate = static_cast<float>(options_.lr / (1 - std::pow(0.9, t)));
  adam_.root_scale = static_cast<float>(std::sqrt(1 - std::pow(0.999, t)));
  sgd_ = {static_cast<float>(options_.weight_decay), static_cast<float>(options_.momentum),
          static_cast<float>(options_.lr)};
  run(layers_.size(),
      [&](std::size_t layer, unsigned worker) { learn(layer, count, scratch_[worker].get()); });

  double sum = 0;
  for (const double part : losses) sum += part;
  return sum;
}

double Trainer::tile(const Matrix& features, const Matrix& target, const std::size_t* rows,
                     std::size_t from, std::size_t count, std::size_t batch, float* scratch) {
  for (std::size_t r = 0; r < count; ++r)
    std::copy_n(features.row(rows[from + r]), d_, traces_[0].x.get() + (from + r) * padded(d_));
  forward(from, count);
  const double sum = loss(target, rows, from, count, batch);
  backward(from, count, scratch);
  return sum;
}

void Trainer::forward(std::size_t from, std::size_t count) {
  for (std::size_t block = 0; block + 1 < traces_.size(); ++block) {
    const Learner &in = layers_[2 * block], &out = layers_[2 * block + 1];
    const std::size_t hidden = padded(in.out), outer = from * padded(d_);
    float* x = traces_[block].x.get() + outer;
    float* u = traces_[block].u.get() + from * hidden;
    float* a = traces_[block].a.get() + from * hidden;
    apply(in, count, x, nullptr, u);
    net::activate(options_.activation, u, a, count * hidden);
    apply(out, count, a, x, traces_[block + 1].x.get() + outer);
  }
  const Trace& last = traces_.back();
  apply(layers_.back(), count, last.x.get() + from * padded(d_), nullptr,
        last.u.get() + from * padded(o_));
}

// Turns the head's outputs into the loss's gradient with respect to them, in place.
double Trainer::loss(const Matrix& target, const std::size_t* rows, std::size_t from,
                     std::size_t count, std::size_t batch) {
  const auto one = options_.loss == Loss::mse ? squared_loss : cross_entropy;
  double sum = 0;
  for (std::size_t r = from; r < from + count; ++r)
    sum += one(target.row(rows[r]), o_, static_cast<double>(batch),
               traces_.back().u.get() + r * padded(o_));
  return sum;
}

void Trainer::backward(std::size_t from, std::size_t count, float* scratch) {
  const std::size_t outer = from * padded(d_);
  const std::size_t blocks = traces_.size() - 1;
  float* gradient = traces_[blocks].gradient.get() + outer;  // at the head's input
  apply_backward(layers_.back(), count, traces_[blocks].u.get() + from * padded(o_), nullptr,
                 gradient);
  for (std::size_t block = blocks; block-- > 0;) {
    const Learner &in = layers_[2 * block], &out = layers_[2 * block + 1];
    const std::size_t hidden = padded(in.out);
    float* u = traces_[block].u.get() + from * hidden;
    float* before = traces_[block].gradient.get() + outer;
    apply_backward(out, count, gradient, nullptr, scratch);
    net::times_slope(options_.activation, u, scratch, u, count * hidden);
    apply_backward(in, count, u, gradient, before);
    gradient = before;
  }
}

// A layer's gradient is Gᵀ · X: G (batch × out) at its output, X (batch × in) what went in.
void Trainer::learn(std::size_t number, std::size_t batch, float* scratch) {
  Learner& layer = layers_[number];
  const std::size_t block = number / 2, in = padded(layer.in), out = padded(layer.out);
  const bool contract = number % 2 == 1;
  const float* x = contract ? traces_[block].a.get() : traces_[block].x.get();
  const float* g = contract ? traces_[block + 1].gradient.get() : traces_[block].u.get();
  for (std::size_t row = 0; row < layer.out; row += kRows) {
    const std::size_t count = std::min(kRows, layer.out - row), at = row * in;
    net::multiply({count, batch, in, g + row, out, true, x, in, nullptr, nullptr, scratch, in});
    update(scratch, layer.weight.get() + at, layer.first.get() + at, layer.second.get() + at,
           count * in);
  }
  net::transpose(layer.weight.get(), layer.out, layer.in, in, layer.transposed.get(), out);

  const float one = 1;  // the bias's input in every row
  net::multiply({1, batch, out, &one, 0, true, g, out, nullptr, nullptr, scratch, out});
  update(scratch, layer.bias.get(), layer.bias_first.get(), layer.bias_second.get(), out);
}

void Trainer::update(const float* g, float* w, float* first, float* second,
                     std::size_t count) const {
  if (options_.optimizer == Optimizer::sgd)
    net::sgd(sgd_, g, w, first, count);
  else
    net::adam(adam_, g, w, first, second, count);
}

std::vector<Piece> Trainer::pieces() const {
  std::vector<Piece> list(layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Learner& layer = layers_[i];
    Piece& piece = list[i];
    piece.id = static_cast<int>(i);
    piece.role = i + 1 == list.size() ? Role::head : i % 2 ? Role::contract : Role::expand;
    piece.weight = {layer.out, layer.in, std::vector<float>(layer.out * layer.in)};
    for (std::size_t r = 0; r < layer.out; ++r)
      std::copy_n(layer.weight.get() + r * padded(layer.in), layer.in, piece.weight.row(r));
    piece.bias.assign(layer.bias.get(), layer.bias.get() + layer.out);
  }
  return list;
}

}  // namespace humpty::lab
