// The forward pass through Eigen, OpenBLAS and oneDNN against our own kernel: what it has to beat
// to earn its keep. Each library gets its weights as it likes them best before the clock starts,
// rows in chunks that stay in the cache (several sizes are tried, the best counts) handed out to
// the same pool of threads, and this file is compiled for this very processor. Every answer is
// compared with a plain loop in double before its time counts.
//   bench_libraries
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "net/net.hpp"
#include "peak.hpp"
#include "sample.hpp"
#include "times.hpp"

#ifdef BENCH_EIGEN
#include <Eigen/Core>
#endif
#ifdef BENCH_OPENBLAS
#include <cblas.h>
#endif
#ifdef BENCH_ONEDNN
#include <omp.h>
#include <dnnl.hpp>
#endif

namespace {

using humpty::Piece;
using humpty::bench::Sample;

// A way to compute the net's answers, for chunks of at most `chunk` rows.
struct Way {
  virtual ~Way() = default;
  // x (count, d) is overwritten, y (count) is written.
  virtual void forward(std::size_t count, float* x, float* y, unsigned worker) = 0;
};

void head_of(const Sample& sample, std::size_t count, const float* x, float* y) {
  for (std::size_t r = 0; r < count; ++r) {
    y[r] = sample.head.bias[0];
    for (std::size_t f = 0; f < sample.d(); ++f)
      y[r] += sample.head.weight.values[f] * x[r * sample.d() + f];
  }
}

#ifdef BENCH_EIGEN
struct EigenWay : Way {
  using Weights = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Columns = Eigen::MatrixXf;  // (features, rows): our row-major rows, seen from the side

  EigenWay(const Sample& s, std::size_t chunk, unsigned workers)
      : sample(s), hidden(workers, Columns(s.h(), chunk)) {}

  static Eigen::Map<const Weights> weight(const Piece& piece) {
    return {piece.weight.values.data(), static_cast<Eigen::Index>(piece.weight.rows),
            static_cast<Eigen::Index>(piece.weight.cols)};
  }
  static Eigen::Map<const Eigen::VectorXf> bias(const Piece& piece) {
    return {piece.bias.data(), static_cast<Eigen::Index>(piece.bias.size())};
  }

  void forward(std::size_t count, float* x_rows, float* y, unsigned worker) override {
    const auto rows = static_cast<Eigen::Index>(count);
    Eigen::Map<Columns> x(x_rows, static_cast<Eigen::Index>(sample.d()), rows);
    auto h = hidden[worker].leftCols(rows);
    for (std::size_t b = 0; b < sample.blocks(); ++b) {
      h.noalias() = weight(sample.in[b]) * x;
      h = (h.colwise() + bias(sample.in[b])).cwiseMax(0.0f);
      x.noalias() += weight(sample.out[b]) * h;
      x.colwise() += bias(sample.out[b]);
    }
    head_of(sample, count, x_rows, y);
  }

  const Sample& sample;
  std::vector<Columns> hidden;
};
#endif

#ifdef BENCH_OPENBLAS
struct OpenBlasWay : Way {
  OpenBlasWay(const Sample& s, std::size_t chunk, unsigned workers)
      : sample(s), hidden(workers, std::vector<float>(s.h() * chunk)) {
    openblas_set_num_threads(1);
  }

  // y (count, out) += or = x (count, in) · weightᵀ
  static void multiply(std::size_t count, const Piece& piece, const float* x, float beta,
                       float* y) {
    const auto out = static_cast<int>(piece.weight.rows), in = static_cast<int>(piece.weight.cols);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(count), out, in, 1.0f, x,
                in, piece.weight.values.data(), in, beta, y, out);
  }

  void forward(std::size_t count, float* x, float* y, unsigned worker) override {
    const std::size_t d = sample.d(), h = sample.h();
    float* hid = hidden[worker].data();
    for (std::size_t b = 0; b < sample.blocks(); ++b) {
      const float *in_bias = sample.in[b].bias.data(), *out_bias = sample.out[b].bias.data();
      multiply(count, sample.in[b], x, 0.0f, hid);
      for (std::size_t r = 0; r < count; ++r)
        for (std::size_t i = 0; i < h; ++i)
          hid[r * h + i] = std::max(hid[r * h + i] + in_bias[i], 0.0f);
      multiply(count, sample.out[b], hid, 1.0f, x);
      for (std::size_t r = 0; r < count; ++r)
        for (std::size_t i = 0; i < d; ++i) x[r * d + i] += out_bias[i];
    }
    head_of(sample, count, x, y);
  }

  const Sample& sample;
  std::vector<std::vector<float>> hidden;
};
#endif

#ifdef BENCH_ONEDNN
// Inner products with packed weights; relu and the residual sum are fused into them.
struct OneDnnWay : Way {
  using Dims = dnnl::memory::dims;
  using Desc = dnnl::memory::desc;
  using Tag = dnnl::memory::format_tag;
  static constexpr auto f32 = dnnl::memory::data_type::f32;

  // One layer shape: the primitive, and every block's weights in the form it asks for.
  struct Layer {
    std::vector<dnnl::inner_product_forward> primitive;  // per worker: they own scratch memory
    Desc in, out;
    std::vector<dnnl::memory> weights, bias;
  };

  OneDnnWay(const Sample& s, std::size_t chunk_, unsigned workers)
      : sample(s), chunk(chunk_), hidden(workers, std::vector<float>(s.h() * chunk_)) {
    omp_set_num_threads(1);  // of the calling thread; the primitives are planned for it
    dnnl::post_ops relu, sum;
    relu.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    sum.append_sum(1.0f);
    expand = layer(s.in, s.d(), s.h(), relu);
    contract = layer(s.out, s.h(), s.d(), sum);
  }

  static Dims dims(std::size_t a, std::size_t b) {
    return {static_cast<long>(a), static_cast<long>(b)};
  }

  Layer layer(const std::vector<Piece>& pieces, std::size_t in, std::size_t out,
              const dnnl::post_ops& ops) {
    Layer made;
    made.in = Desc(dims(chunk, in), f32, Tag::nc);
    made.out = Desc(dims(chunk, out), f32, Tag::nc);
    const Desc any(dims(out, in), f32, Tag::any), plain(dims(out, in), f32, Tag::oi);
    const Desc bias({static_cast<long>(out)}, f32, Tag::x);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(ops);
    const dnnl::inner_product_forward::primitive_desc chosen(
        {dnnl::prop_kind::forward_inference, made.in, any, bias, made.out}, attributes, engine);
    for (std::size_t worker = 0; worker < hidden.size(); ++worker)
      made.primitive.emplace_back(chosen);
    dnnl::stream stream(engine);
    for (const Piece& piece : pieces) {
      dnnl::memory from(plain, engine, const_cast<float*>(piece.weight.values.data()));
      made.weights.emplace_back(chosen.weights_desc(), engine);
      dnnl::reorder(from, made.weights.back()).execute(stream, from, made.weights.back());
      made.bias.emplace_back(bias, engine, const_cast<float*>(piece.bias.data()));
    }
    stream.wait();
    return made;
  }

  void forward(std::size_t count, float* x, float* y, unsigned worker) override {
    omp_set_num_threads(1);
    dnnl::stream stream(engine);
    dnnl::memory state(expand.in, engine, x), hid(expand.out, engine, hidden[worker].data());
    for (std::size_t b = 0; b < sample.blocks(); ++b) {
      expand.primitive[worker].execute(stream, {{DNNL_ARG_SRC, state},
                                                {DNNL_ARG_WEIGHTS, expand.weights[b]},
                                                {DNNL_ARG_BIAS, expand.bias[b]},
                                                {DNNL_ARG_DST, hid}});
      contract.primitive[worker].execute(stream, {{DNNL_ARG_SRC, hid},
                                                  {DNNL_ARG_WEIGHTS, contract.weights[b]},
                                                  {DNNL_ARG_BIAS, contract.bias[b]},
                                                  {DNNL_ARG_DST, state}});
    }
    stream.wait();
    head_of(sample, count, x, y);
  }

  const Sample& sample;
  std::size_t chunk;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  std::vector<std::vector<float>> hidden;
  Layer expand, contract;
};
#endif

// A few rows in plain double loops.
double plain_answer(const Sample& sample, std::size_t row) {
  const auto linear = [](const Piece& piece, const std::vector<double>& x) {
    std::vector<double> y(piece.bias.begin(), piece.bias.end());
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t k = 0; k < x.size(); ++k) y[i] += double{piece.weight.row(i)[k]} * x[k];
    return y;
  };
  const float* from = sample.data.features.row(row);
  std::vector<double> x(from, from + sample.d());
  for (std::size_t b = 0; b < sample.blocks(); ++b) {
    std::vector<double> hidden = linear(sample.in[b], x);
    for (double& value : hidden) value = std::max(value, 0.0);
    const std::vector<double> step = linear(sample.out[b], hidden);
    for (std::size_t f = 0; f < x.size(); ++f) x[f] += step[f];
  }
  return linear(sample.head, x)[0];
}

void check(const Sample& sample, const std::vector<float>& y, const char* name) {
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t row = i * (sample.rows() - 1) / 11;
    const double expected = plain_answer(sample, row);
    if (std::abs(y[row] - expected) <= 1e-3 * (1 + std::abs(expected))) continue;
    fmt::print(stderr, "{}: row {} is {}, not {}\n", name, row, y[row], expected);
    std::exit(1);
  }
}

// One contender: a pass over all rows, and the best time it took.
struct Contender {
  std::string name;
  std::function<void()> pass;
  const std::vector<float>* y;
  double best = 1e9;
};

// What the contenders of one comparison share; they take turns, so that a busy moment of the
// machine hits all of them.
class Comparison {
 public:
  Comparison(const Sample& sample, unsigned threads) : sample_(sample), pool_(threads) {}

  template <class W>
  void add(const char* name) {
    for (const std::size_t chunk : {50, 200, 1000}) {
      auto way = std::make_shared<W>(sample_, chunk, pool_.count());
      auto x = std::make_shared<std::vector<std::vector<float>>>(
          pool_.count(), std::vector<float>(chunk * sample_.d()));
      add(name, sample_.rows(), [=, this](std::vector<float>& y) {
        pool_.run(sample_.rows() / chunk, [&](std::size_t job, unsigned worker) {
          float* state = (*x)[worker].data();
          std::copy_n(sample_.data.features.row(job * chunk), chunk * sample_.d(), state);
          way->forward(chunk, state, y.data() + job * chunk, worker);
        });
      });
    }
  }

  void add_ours() {
    using namespace humpty::net;
    auto net = std::make_shared<Net>(sample_.pairs(), sample_.head, humpty::Activation::relu);
    auto batch = std::make_shared<Batch>(sample_.data, 0, sample_.rows());
    auto x = std::make_shared<std::vector<Floats>>(),
         scratch = std::make_shared<std::vector<Floats>>();
    for (unsigned worker = 0; worker < pool_.count(); ++worker) {
      x->push_back(floats(sample_.d() * kTileRows));
      scratch->push_back(floats(net->scratch()));
    }
    add("ours", batch->tiles() * kTileRows, [=, this](std::vector<float>& y) {
      pool_.run(batch->tiles(), [&](std::size_t tile, unsigned worker) {
        float *state = (*x)[worker].get(), *hidden = (*scratch)[worker].get();
        std::copy_n(batch->features(tile), sample_.d() * kTileRows, state);
        for (std::size_t b = 0; b < net->blocks(); ++b) net->step(b, state, state, hidden);
        net->head(state, y.data() + tile * kTileRows);
      });
    });
  }

  void run() {
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds; ++round)
      for (Contender& contender : contenders_)
        contender.best = std::min(contender.best, humpty::bench::seconds_of(contender.pass));
    for (const Contender& contender : contenders_)
      check(sample_, *contender.y, contender.name.c_str());
  }

  double best(const std::string& name) const {
    double best = 1e9;
    for (const Contender& contender : contenders_)
      if (contender.name == name) best = std::min(best, contender.best);
    return best;
  }

 private:
  template <class Pass>
  void add(const char* name, std::size_t answers, const Pass& pass) {
    auto y = std::make_shared<std::vector<float>>(answers);
    contenders_.push_back({name, [=] { pass(*y); }, y.get()});
  }

  const Sample& sample_;
  humpty::Threads pool_;
  std::vector<Contender> contenders_;
};

void compare(const Sample& sample, unsigned threads) {
  Comparison comparison(sample, threads);
  comparison.add_ours();
#ifdef BENCH_ONEDNN
  comparison.add<OneDnnWay>("oneDNN");
#endif
#ifdef BENCH_OPENBLAS
  comparison.add<OpenBlasWay>("OpenBLAS");
#endif
#ifdef BENCH_EIGEN
  comparison.add<EigenWay>("Eigen");
#endif
  double peak = humpty::bench::fma_peak(threads);
  comparison.run();
  peak = std::max(peak, humpty::bench::fma_peak(threads));
  const double own = comparison.best("ours");
  fmt::print("{} blocks, d {}, h {}, {} rows, {} thread{}; peak {:.0f} GFLOP/s\n", sample.blocks(),
             sample.d(), sample.h(), sample.rows(), threads, threads > 1 ? "s" : "", peak);
  for (const char* name : {"ours", "oneDNN", "OpenBLAS", "Eigen"}) {
    const double took = comparison.best(name);
    if (took > 1e8)
      fmt::print("  {:<9} is not here; scripts/setup bench installs it\n", name);
    else
      fmt::print("  {:<9} {:7.1f} ms  {:3.0f} % of peak  {:.2f} times ours\n", name, took * 1e3,
                 100 * sample.flops() / took * 1e-9 / peak, took / own);
  }
}

}  // namespace

int main() {
  for (const Sample& sample :
       {Sample(48, 48, 96, 10000), Sample(48, 17, 33, 10000), Sample(4, 256, 1024, 2000)})
    for (const unsigned threads : {1u, 2u}) compare(sample, threads);
}
