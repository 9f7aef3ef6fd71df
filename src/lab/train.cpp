#include "humpty/humpty.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/random.hpp"
#include "base/watch.hpp"
#include "lab/train_step.hpp"

namespace humpty::lab {
namespace {

constexpr std::array<std::pair<Optimizer, std::string_view>, 3> kOptimizers{
    {{Optimizer::adam, "adam"}, {Optimizer::adamw, "adamw"}, {Optimizer::sgd, "sgd"}}};
constexpr std::array<std::pair<Init, std::string_view>, 3> kInits{
    {{Init::standard, "default"}, {Init::zero, "zero"}, {Init::scaled, "scaled"}}};

constexpr double kMostMemory = 16;  // GiB

template <class Table, class Value>
std::string_view name_in(const Table& table, Value wanted) {
  for (const auto& [value, text] : table)
    if (value == wanted) return text;
  return "?";
}

template <class Table>
auto named_in(const Table& table, std::string_view what, std::string_view wanted) {
  std::string known;
  for (const auto& [value, text] : table) {
    if (text == wanted) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", text);
  }
  throw Error(ErrorCode::usage,
              fmt::format("no {} is called '{}'; there are {}", what, wanted, known));
}

void require(bool fine, std::string_view message) {
  if (!fine) throw Error(ErrorCode::usage, std::string(message));
}

// Weights with their transposed copy and the optimiser's two moments, and what a batch leaves in
// every block; widths as padded, all blocks as wide as the widest.
void check_memory(const TrainOptions& options, std::size_t rows, std::size_t dim) {
  const auto width = [](std::size_t w) { return static_cast<double>(w) + net::kLanePad; };
  const double d = width(dim);
  const double h = width(*std::max_element(options.hidden.begin(), options.hidden.end()));
  const double batch = static_cast<double>(std::min(options.batch, rows));
  const double values = static_cast<double>(options.blocks) * (8 * h * d + 2 * batch * (h + d));
  const double gib = values * sizeof(float) / (1 << 30);
  if (gib > kMostMemory)
    throw Error(ErrorCode::too_large,
                fmt::format("training this net would take {:.3g} GiB of memory, more than {} GiB; "
                            "choose fewer blocks, smaller widths or a smaller batch",
                            gib, kMostMemory));
}

void check(const TrainOptions& options, const Matrix& features, const Matrix& target) {
  require(features.rows > 0 && features.cols > 0 && target.cols > 0,
          "there are no rows to train on; give at least one row, one feature and one target");
  require(features.rows == target.rows, "features and target have different numbers of rows");
  require(options.blocks > 0, "a net needs at least one block");
  require(options.batch > 0, "a batch needs at least one row");
  require(!options.hidden.empty(), "no hidden width was given");
  for (const std::size_t h : options.hidden) require(h > 0, "a hidden width must be at least 1");
  require(std::isfinite(options.lr) && options.lr > 0, "the learning rate must be above 0");
  require(std::isfinite(options.weight_decay) && options.weight_decay >= 0,
          "weight decay must be 0 or more");
  check_memory(options, features.rows, features.cols);
}

// As nn.Linear: weights and bias uniform within ±1/√fan-in.
Piece linear(std::size_t out, std::size_t in, Random& random) {
  const double limit = 1 / std::sqrt(static_cast<double>(in));
  Piece piece;
  piece.weight = {out, in, std::vector<float>(out * in)};
  piece.bias.resize(out);
  for (float& w : piece.weight.values) w = static_cast<float>(random.uniform(-limit, limit));
  for (float& b : piece.bias) b = static_cast<float>(random.uniform(-limit, limit));
  return piece;
}

void adjust(Piece& contract, Init init, std::size_t blocks) {
  const float scale = 1 / std::sqrt(static_cast<float>(blocks));
  if (init == Init::zero) {
    std::fill(contract.weight.values.begin(), contract.weight.values.end(), 0.0f);
    std::fill(contract.bias.begin(), contract.bias.end(), 0.0f);
  } else if (init == Init::scaled) {
    for (float& w : contract.weight.values) w *= scale;
  }
}

// The training loop: epochs of shuffled batches, a word now and then.
class Run {
 public:
  Run(const TrainOptions& options, const Matrix& features, const Matrix& target)
      : options_(options),
        features_(features),
        target_(target),
        trainer_(options,
                 options.start.empty() ? initial_pieces(options, features.cols, target.cols)
                                       : options.start,
                 largest_batch()),
        watch_(options.progress) {}

  TrainedNet all() {
    if (options_.batches.empty())
      epochs();
    else
      for (const auto& batch : options_.batches) one(batch.data(), batch.size());
    result_.pieces = trainer_.pieces();
    result_.seconds = elapsed();
    result_.flops = trainer_.flops_per_row() * static_cast<double>(rows_done_);
    return std::move(result_);
  }

 private:
  std::size_t largest_batch() const {
    std::size_t most = options_.batches.empty() ? std::min(options_.batch, features_.rows) : 1;
    for (const auto& batch : options_.batches) most = std::max(most, batch.size());
    return most;
  }

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  double one(const std::size_t* rows, std::size_t count) {
    rows_done_ += count;
    return result_.loss = trainer_.step(features_, target_, rows, count);
  }

  void epochs() {
    Random random(options_.rng + 1);
    std::vector<std::size_t> rows(features_.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    while (result_.epochs < options_.epochs && !result_.stopped) {
      random.shuffle(rows);
      epoch(rows);
    }
  }

  void epoch(const std::vector<std::size_t>& rows) {
    double sum = 0;
    for (std::size_t from = 0; from < rows.size(); from += options_.batch) {
      const std::size_t count = std::min(options_.batch, rows.size() - from);
      sum += one(rows.data() + from, count) * static_cast<double>(count);
      if (!(result_.stopped = !report(sum / static_cast<double>(from + count)))) continue;
      result_.loss = sum / static_cast<double>(from + count);
      return;
    }
    result_.loss = sum / static_cast<double>(rows.size());
    ++result_.epochs;
    if (!std::isfinite(result_.loss))
      throw Error(ErrorCode::usage,
                  fmt::format("training diverged in epoch {}; try a smaller learning rate than {}",
                              result_.epochs, options_.lr));
  }

  bool report(double loss) {
    const double now = elapsed();
    if (now - reported_ < 0.1) return true;
    reported_ = now;
    const double done =
        static_cast<double>(rows_done_) / static_cast<double>(options_.epochs * features_.rows);
    return watch_.go_on(
        "train", done,
        fmt::format("epoch {} of {}, loss {:.3g}", result_.epochs + 1, options_.epochs, loss));
  }

  const TrainOptions& options_;
  const Matrix &features_, &target_;
  Trainer trainer_;
  Watch watch_;
  TrainedNet result_;
  std::size_t rows_done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double reported_ = 0;
};

}  // namespace

std::string_view name(Optimizer optimizer) { return name_in(kOptimizers, optimizer); }
std::string_view name(Init init) { return name_in(kInits, init); }
Optimizer optimizer_named(std::string_view name) {
  return named_in(kOptimizers, "optimizer", name);
}
Init init_named(std::string_view name) { return named_in(kInits, "initialisation", name); }

std::vector<Piece> initial_pieces(const TrainOptions& options, std::size_t dim,
                                  std::size_t outputs) {
  Random random(options.rng);
  std::vector<Piece> pieces;
  for (std::size_t block = 0; block < options.blocks; ++block) {
    const std::size_t hidden = options.hidden[block % options.hidden.size()];
    pieces.push_back(linear(hidden, dim, random));
    pieces.push_back(linear(dim, hidden, random));
    adjust(pieces.back(), options.init, options.blocks);
  }
  pieces.push_back(linear(outputs, dim, random));
  return pieces;
}

TrainedNet train(const TrainOptions& options, const Matrix& features, const Matrix& target) {
  check(options, features, target);
  return Run(options, features, target).all();
}

}  // namespace humpty::lab
