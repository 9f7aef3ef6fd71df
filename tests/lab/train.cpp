#include "humpty/humpty.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "net/plain.hpp"

namespace humpty::lab {
namespace {

namespace plain = net::plain;

// The whole net and its loss in double, every weight in one list: the reference to differentiate.
class Reference {
 public:
  Reference(const TrainOptions& options, const std::vector<Piece>& pieces, const Rows& rows)
      : options_(options), shapes_(pieces), rows_(rows) {
    for (const Piece& piece : pieces) {
      weights.insert(weights.end(), piece.weight.values.begin(), piece.weight.values.end());
      weights.insert(weights.end(), piece.bias.begin(), piece.bias.end());
    }
  }

  double loss(const std::vector<std::size_t>& batch) const {
    double sum = 0;
    for (const std::size_t row : batch) sum += row_loss(row);
    return sum / static_cast<double>(batch.size());
  }

  // Five-point differences: the error is of the order of h⁴.
  plain::Doubles gradient(const std::vector<std::size_t>& batch) {
    plain::Doubles g(weights.size());
    const double h = 2e-4;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double kept = weights[i];
      const auto at = [&](double by) { return weights[i] = kept + by, loss(batch); };
      g[i] = (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h);
      weights[i] = kept;
    }
    return g;
  }

  plain::Doubles weights;

 private:
  double row_loss(std::size_t row) const {
    const float* features = rows_.features.row(row);
    plain::Doubles x(features, features + rows_.features.cols);
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < shapes_.size(); i += 2) {
      plain::Doubles hidden = linear(shapes_[i], x, at);
      for (double& u : hidden) u = plain::act(options_.activation, u);
      x = plain::sum(x, linear(shapes_[i + 1], hidden, at));
    }
    const plain::Doubles y = linear(shapes_.back(), x, at);
    return options_.loss == Loss::mse ? squared(y, row) : cross_entropy(y, row);
  }

  plain::Doubles linear(const Piece& shape, const plain::Doubles& x, std::size_t& at) const {
    plain::Doubles y(shape.weight.rows);
    for (double& value : y)
      for (const double part : x) value += part * weights[at++];
    for (double& value : y) value += weights[at++];
    return y;
  }

  double squared(const plain::Doubles& y, std::size_t row) const {
    double sum = 0;
    for (std::size_t o = 0; o < y.size(); ++o) sum += std::pow(y[o] - rows_.target.row(row)[o], 2);
    return sum / static_cast<double>(y.size());
  }

  double cross_entropy(const plain::Doubles& y, std::size_t row) const {
    double total = 0, sum = 0;
    for (const double value : y) total += std::exp(value);
    for (std::size_t o = 0; o < y.size(); ++o)
      sum -= rows_.target.row(row)[o] * (y[o] - std::log(total));
    return sum;
  }

  const TrainOptions& options_;
  std::vector<Piece> shapes_;
  const Rows& rows_;
};

plain::Doubles flat(const std::vector<Piece>& pieces) {
  plain::Doubles list;
  for (const Piece& piece : pieces) {
    list.insert(list.end(), piece.weight.values.begin(), piece.weight.values.end());
    list.insert(list.end(), piece.bias.begin(), piece.bias.end());
  }
  return list;
}

TrainOptions small_options(Activation activation = Activation::tanh) {
  TrainOptions options;
  options.blocks = 3;
  options.hidden = {5, 2};
  options.activation = activation;
  options.threads = 1;
  return options;
}

// A step of plain descent at rate 1 is the gradient.
void expect_gradient(TrainOptions options, Task task, std::size_t outputs) {
  const Rows rows = make_task(task, 40, 3, outputs, 5);
  std::vector<std::size_t> batch;
  for (std::size_t r = 0; r < 37; ++r) batch.push_back((r * 7) % 40);  // more than two tiles
  options.loss = task == Task::regression ? Loss::mse : Loss::cross_entropy;
  options.optimizer = Optimizer::sgd;
  options.lr = 1;
  options.start = initial_pieces(options, 3, outputs);
  options.batches = {batch};
  const TrainedNet stepped = train(options, rows.features, rows.target);
  Reference reference(options, options.start, rows);
  EXPECT_NEAR(stepped.loss, reference.loss(batch), 1e-6);
  const plain::Doubles expected = reference.gradient(batch);
  const plain::Doubles before = flat(options.start), after = flat(stepped.pieces);
  ASSERT_EQ(after.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(before[i] - after[i], expected[i], 1e-6)
        << name(options.activation) << " weight " << i;
}

TEST(Train, GradientsOfSmoothNetsMatchFiniteDifferences) {
  for (const Activation kind : {Activation::gelu, Activation::gelu_tanh, Activation::silu,
                                Activation::tanh, Activation::identity}) {
    expect_gradient(small_options(kind), Task::regression, 1);
    expect_gradient(small_options(kind), Task::regression, 3);
    expect_gradient(small_options(kind), Task::classification, 4);
  }
}

// relu and leaky are linear on either side of the kink. With biases of ±4 no row comes near one,
// and differences are exact again.
TEST(Train, GradientsOfKinkedNetsMatchFiniteDifferencesAwayFromTheKinks) {
  for (const Activation kind : {Activation::relu, Activation::leaky}) {
    TrainOptions options = small_options(kind);
    const Rows rows = make_task(Task::regression, 30, 3, 2, 6);
    options.start = initial_pieces(options, 3, 2);
    for (Piece& piece : options.start) {
      for (float& w : piece.weight.values) w *= 0.3f;
      for (std::size_t i = 0; i < piece.bias.size(); ++i) piece.bias[i] = i % 2 ? 4.0f : -4.0f;
    }
    options.optimizer = Optimizer::sgd;
    options.lr = 1;
    options.batches = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}};
    Reference reference(options, options.start, rows);
    const plain::Doubles expected = reference.gradient(options.batches[0]);
    const plain::Doubles before = flat(options.start);
    const plain::Doubles after = flat(train(options, rows.features, rows.target).pieces);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(before[i] - after[i], expected[i], 2e-5 * std::max(1.0, std::fabs(expected[i])))
          << name(kind) << " weight " << i;
  }
}

// PyTorch's update rules as its documentation states them, in double.
void reference_step(const TrainOptions& options, int t, const plain::Doubles& gradient,
                    plain::Doubles& w, plain::Doubles& m, plain::Doubles& v) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    double g = gradient[i];
    if (options.optimizer == Optimizer::adamw)
      w[i] -= options.lr * options.weight_decay * w[i];
    else
      g += options.weight_decay * w[i];
    if (options.optimizer == Optimizer::sgd) {
      m[i] = options.momentum * m[i] + g;
      w[i] -= options.lr * m[i];
      continue;
    }
    m[i] = 0.9 * m[i] + 0.1 * g;
    v[i] = 0.999 * v[i] + 0.001 * g * g;
    w[i] -= options.lr * (m[i] / (1 - std::pow(0.9, t))) /
            (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
  }
}

TEST(Train, OptimisersFollowTheirFormulas) {
  const Rows rows = make_task(Task::regression, 24, 3, 1, 7);
  for (const Optimizer optimizer : {Optimizer::adam, Optimizer::adamw, Optimizer::sgd}) {
    TrainOptions options = small_options();
    options.optimizer = optimizer;
    options.lr = 0.02;
    options.weight_decay = 0.1;
    options.momentum = 0.8;
    options.start = initial_pieces(options, 3, 1);
    options.batches = {{0, 1, 2, 3, 4}, {5, 6, 7, 8}, {20, 21}, {0, 9, 23}, {3, 3, 3}};
    Reference reference(options, options.start, rows);
    plain::Doubles m(reference.weights.size()), v(reference.weights.size());
    for (std::size_t t = 0; t < options.batches.size(); ++t)
      reference_step(options, static_cast<int>(t) + 1, reference.gradient(options.batches[t]),
                     reference.weights, m, v);
    const plain::Doubles after = flat(train(options, rows.features, rows.target).pieces);
    for (std::size_t i = 0; i < after.size(); ++i)
      ASSERT_NEAR(after[i], reference.weights[i], 2e-6) << name(optimizer) << " weight " << i;
  }
}

TEST(Train, IsTheSameToTheBitAtAnyNumberOfThreads) {
  const Rows rows = make_task(Task::regression, 300, 40, 2, 8);
  TrainOptions options;
  options.blocks = 4;
  options.hidden = {70, 90};
  options.batch = 72;
  options.epochs = 3;
  options.threads = 1;
  const TrainedNet one = train(options, rows.features, rows.target);
  for (const unsigned threads : {2u, 3u, 5u}) {
    options.threads = threads;
    const TrainedNet many = train(options, rows.features, rows.target);
    EXPECT_EQ(flat(many.pieces), flat(one.pieces));
    EXPECT_EQ(many.loss, one.loss);
  }
}

TEST(Train, LearnsItsTasks) {
  for (const Task task : {Task::regression, Task::classification}) {
    const Rows rows = make_task(task, 500, 8, 3, 9);
    TrainOptions options;
    options.blocks = 4;
    options.hidden = {16};
    options.lr = 3e-3;
    options.loss = task == Task::regression ? Loss::mse : Loss::cross_entropy;
    options.epochs = 1;
    const double early = train(options, rows.features, rows.target).loss;
    options.epochs = 60;
    const TrainedNet net = train(options, rows.features, rows.target);
    EXPECT_LT(net.loss, 0.2 * early);
    EXPECT_EQ(net.epochs, 60u);
    EXPECT_EQ(net.flops, 6.0 * (4 * 2 * 8 * 16 + 3 * 8) * 500 * 60);
  }
}

TEST(Train, NamesThePiecesInTheOrderOfApplication) {
  const Rows rows = make_task(Task::regression, 20, 3, 2, 10);
  TrainOptions options = small_options();
  options.epochs = 1;
  const std::vector<Piece> pieces = train(options, rows.features, rows.target).pieces;
  ASSERT_EQ(pieces.size(), 7u);
  const std::vector<std::size_t> outs{5, 3, 2, 3, 5, 3, 2}, ins{3, 5, 3, 2, 3, 5, 3};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(pieces[i].id, static_cast<int>(i));
    EXPECT_EQ(pieces[i].role, i == 6 ? Role::head : i % 2 ? Role::contract : Role::expand);
    EXPECT_EQ(pieces[i].weight.rows, outs[i]);
    EXPECT_EQ(pieces[i].weight.cols, ins[i]);
    EXPECT_EQ(pieces[i].bias.size(), outs[i]);
  }
}

TEST(Train, StartsAsPyTorchDoes) {
  TrainOptions options;
  options.blocks = 4;
  options.hidden = {100};
  const std::vector<Piece> pieces = initial_pieces(options, 25, 1);
  double largest = 0, square = 0;
  for (const float w : pieces[0].weight.values) {
    largest = std::max(largest, std::fabs(static_cast<double>(w)));
    square += static_cast<double>(w) * w / 2500;
  }
  EXPECT_LE(largest, 0.2);  // 1/√25
  EXPECT_GT(largest, 0.199);
  EXPECT_NEAR(square, 0.2 * 0.2 / 3, 0.001);  // variance of a uniform number
  for (const float b : pieces[1].bias) EXPECT_LE(std::fabs(b), 0.1f);  // 1/√100
  EXPECT_NE(pieces[0].weight.values, pieces[2].weight.values);

  options.init = Init::scaled;
  const std::vector<Piece> scaled = initial_pieces(options, 25, 1);
  EXPECT_EQ(scaled[1].weight.values[7], pieces[1].weight.values[7] / 2);  // √4 blocks
  EXPECT_EQ(scaled[1].bias, pieces[1].bias);
  EXPECT_EQ(scaled[0].weight.values, pieces[0].weight.values);

  options.init = Init::zero;
  const std::vector<Piece> zero = initial_pieces(options, 25, 1);
  EXPECT_EQ(zero[3].weight.values, std::vector<float>(2500));
  EXPECT_EQ(zero[3].bias, std::vector<float>(25));
  EXPECT_EQ(zero[2].weight.values, pieces[2].weight.values);
}

TEST(Train, TheRandomNumberDecidesAll) {
  const Rows rows = make_task(Task::regression, 50, 3, 1, 11);
  TrainOptions options = small_options();
  options.epochs = 2;
  const auto weights = [&](std::uint64_t rng) {
    options.rng = rng;
    return flat(train(options, rows.features, rows.target).pieces);
  };
  EXPECT_EQ(weights(1), weights(1));
  EXPECT_NE(weights(1), weights(2));
}

TEST(Train, AskedToStopItKeepsWhatThereIs) {
  const Rows rows = make_task(Task::regression, 2000, 16, 1, 12);
  TrainOptions options;
  options.blocks = 8;
  options.hidden = {32};
  options.epochs = 1000000;
  options.progress = [](const Progress& progress) {
    EXPECT_EQ(progress.stage, "train");
    EXPECT_GT(progress.done, 0);
    EXPECT_NE(progress.note.find("loss"), std::string::npos);
    return false;
  };
  const TrainedNet net = train(options, rows.features, rows.target);
  EXPECT_TRUE(net.stopped);
  EXPECT_LT(net.epochs, 1000000u);
  EXPECT_TRUE(std::isfinite(net.loss));
  EXPECT_NE(flat(net.pieces), flat(initial_pieces(options, 16, 1)));
}

TEST(Train, RefusesWhatMakesNoSense) {
  const Rows rows = make_task(Task::regression, 20, 3, 1, 13);
  const auto refused = [&](const TrainOptions& options) {
    EXPECT_THROW(train(options, rows.features, rows.target), Error);
  };
  TrainOptions options = small_options();
  options.blocks = 0;
  refused(options);
  options = small_options(), options.hidden = {4, 0};
  refused(options);
  options = small_options(), options.blocks = std::size_t{1} << 40;
  refused(options);
  options = small_options(), options.hidden = {std::numeric_limits<std::size_t>::max()};
  refused(options);
  options = small_options(), options.batch = 0;
  refused(options);
  options = small_options(), options.lr = std::numeric_limits<double>::quiet_NaN();
  refused(options);
  options = small_options(), options.weight_decay = -1;
  refused(options);
  EXPECT_THROW(train(small_options(), rows.features, {19, 1, std::vector<float>(19)}), Error);
  EXPECT_THROW(train(small_options(), {0, 3, {}}, {0, 1, {}}), Error);
}

TEST(Train, SaysSoWhenItDiverges) {
  const Rows rows = make_task(Task::regression, 100, 4, 1, 14);
  TrainOptions options = small_options(Activation::relu);
  options.optimizer = Optimizer::sgd;
  options.lr = 1e6;
  try {
    train(options, rows.features, rows.target);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("diverged"), std::string::npos);
  }
}

TEST(Train, NamesAreReadBack) {
  for (const Optimizer value : {Optimizer::adam, Optimizer::adamw, Optimizer::sgd})
    EXPECT_EQ(optimizer_named(name(value)), value);
  for (const Init value : {Init::standard, Init::zero, Init::scaled})
    EXPECT_EQ(init_named(name(value)), value);
  EXPECT_THROW(optimizer_named("lion"), Error);
  EXPECT_THROW(init_named(""), Error);
}

}  // namespace
}  // namespace humpty::lab
