#include "net/net.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace humpty::net {
namespace {

constexpr std::align_val_t kCacheLine{64};

// Row-major (rows × cols) to tiles of (cols, kTileRows).
Floats tiles_of(const Matrix& matrix, std::size_t first, std::size_t count) {
  const std::size_t tiles = (count + kTileRows - 1) / kTileRows, cols = matrix.cols;
  Floats out = floats(tiles * cols * kTileRows);
  for (std::size_t r = 0; r < count; r += kTileRows)
    load_tile(matrix, first + r, std::min(kTileRows, count - r), out.get() + r * cols);
  return out;
}

void check(bool fits) {
  if (!fits) throw Error(ErrorCode::bad_shape, "the pieces do not chain into a residual net");
}

}  // namespace

void FreeFloats::operator()(float* memory) const { ::operator delete[](memory, kCacheLine); }

void load_tile(const Matrix& matrix, std::size_t first, std::size_t count, float* tile) {
  const std::size_t cols = matrix.cols;
  for (std::size_t r = 0; r < count; ++r) {
    const float* from = matrix.row(first + r);
    for (std::size_t c = 0; c < cols; ++c) tile[c * kTileRows + r] = from[c];
  }
}

Floats floats(std::size_t count) { return Floats(new (kCacheLine) float[count]()); }

Batch::Batch(const Rows& rows, std::size_t first, std::size_t count)
    : rows_(count),
      d_(rows.features.cols),
      o_(rows.target.cols),
      features_(tiles_of(rows.features, first, count)),
      target_(tiles_of(rows.target, first, count)) {}

std::size_t Batch::rows_in(std::size_t tile) const {
  return std::min(kTileRows, rows_ - tile * kTileRows);
}

const float* Batch::features(std::size_t tile) const {
  return features_.get() + tile * d_ * kTileRows;
}

const float* Batch::target(std::size_t tile) const { return target_.get() + tile * o_ * kTileRows; }

Layer::Layer(std::size_t out, std::size_t in)
    : weights_(floats(out * in)),
      bias_(floats(out)),
      panels_{out, in, weights_.get(), bias_.get()} {}

Layer::Layer(const Matrix& weight, const std::vector<float>& bias)
    : Layer(weight.rows, weight.cols) {
  check(bias.empty() || bias.size() == weight.rows);
  std::copy(bias.begin(), bias.end(), bias_.get());
  for (std::size_t panel = 0; panel < panels_.count(); ++panel) {
    const std::size_t first = panels_.first(panel), height = panels_.first(panel + 1) - first;
    float* to = weights_.get() + first * in();
    for (std::size_t k = 0; k < in(); ++k)
      for (std::size_t m = 0; m < height; ++m) *to++ = weight.row(first + m)[k];
  }
}

Layer Layer::transposed(const Matrix& weight) {
  Layer layer(weight.cols, weight.rows);
  for (std::size_t panel = 0; panel < layer.panels_.count(); ++panel) {
    const std::size_t first = layer.panels_.first(panel);
    const std::size_t height = layer.panels_.first(panel + 1) - first;
    float* to = layer.weights_.get() + first * layer.in();
    for (std::size_t k = 0; k < layer.in(); ++k)
      std::copy_n(weight.row(k) + first, height, to + k * height);
  }
  return layer;
}

Net::Net(const std::vector<Pair>& blocks, const Piece& head, Activation activation, Passes passes,
         const Threads* threads)
    : head_(head.weight, head.bias), head_weight_(head.weight), activation_(activation) {
  blocks_.reserve(blocks.size());
  for (const auto& [in, out] : blocks) {
    if (threads) threads->check();
    check(in->weight.cols == d() && out->weight.rows == d() && out->weight.cols == in->weight.rows);
    blocks_.push_back({Layer(in->weight, in->bias), Layer(out->weight, out->bias)});
    if (passes == Passes::both)
      transposed_.push_back({Layer::transposed(in->weight), Layer::transposed(out->weight)});
    hidden_ = std::max(hidden_, in->weight.rows);
  }
}

void Net::exchange(std::size_t a, std::size_t b) {
  std::swap(blocks_[a].out, blocks_[b].out);
  if (!transposed_.empty()) std::swap(transposed_[a].out, transposed_[b].out);
}

void Net::answers(std::size_t block, const float* x, float* hidden) const {
  const Layer& in = blocks_[block].in;
  const bool relu = activation_ == Activation::relu;
  apply(in.panels(), relu ? Finish::relu : Finish::plain, x, nullptr, hidden);
  if (!relu) activate(activation_, hidden, hidden, in.out() * kTileRows);
}

void Net::add_answers(std::size_t block, const float* hidden, const float* x, float* x_next) const {
  apply(blocks_[block].out.panels(), Finish::add, hidden, x, x_next);
}

void Net::residual(std::size_t block, const float* x, float* r, float* scratch) const {
  answers(block, x, scratch);
  apply(blocks_[block].out.panels(), Finish::plain, scratch, nullptr, r);
}

void Net::step(std::size_t block, const float* x, float* x_next, float* scratch) const {
  answers(block, x, scratch);
  add_answers(block, scratch, x, x_next);
}

void Net::head(const float* x, float* y) const {
  apply(head_.panels(), Finish::plain, x, nullptr, y);
}

void Net::head_adjoint(std::size_t output, float* g) const {
  for (std::size_t f = 0; f < d(); ++f)
    std::fill_n(g + f * kTileRows, kTileRows, head_weight_.row(output)[f]);
}

void Net::step_adjoint(std::size_t block, const float* x, float* g, float* scratch) const {
  const Packed &packed = blocks_[block], &transposed = transposed_[block];
  const std::size_t size = packed.in.out() * kTileRows;
  float* before = scratch;       // W_in x + b_in (h, kTileRows)
  float* back = scratch + size;  // W_outᵀ g (h, kTileRows)
  apply(packed.in.panels(), Finish::plain, x, nullptr, before);
  apply(transposed.out.panels(), Finish::plain, g, nullptr, back);
  times_slope(activation_, before, back, back, size);
  apply(transposed.in.panels(), Finish::add, back, g, g);
}

double norms_sum(const float* tile, std::size_t d, std::size_t rows) {
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    double square = 0;
    for (std::size_t f = 0; f < d; ++f) {
      const double value = tile[f * kTileRows + r];
      square += value * value;
    }
    sum += std::sqrt(square);
  }
  return sum;
}

std::size_t count_active(const float* tile, std::size_t height, std::size_t rows) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < height; ++k)
    for (std::size_t r = 0; r < rows; ++r) count += tile[k * kTileRows + r] > 0 ? 1 : 0;
  return count;
}

double squared_errors(const float* y, const float* target, std::size_t outputs, std::size_t rows,
                      double* squares) {
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    squares[r] = 0;
    for (std::size_t o = 0; o < outputs; ++o) {
      const double error = double{y[o * kTileRows + r]} - double{target[o * kTileRows + r]};
      squares[r] += error * error;
    }
    sum += squares[r];
  }
  return sum;
}

double variance(const Matrix& target) {
  double sum = 0, square = 0;
  for (float y : target.values) sum += double{y}, square += double{y} * double{y};
  const double count = static_cast<double>(target.values.size());
  return square / count - sum / count * sum / count;
}

}  // namespace humpty::net
