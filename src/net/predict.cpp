#include "net/predict.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "net/net.hpp"
#include "net/stem.hpp"
#include "puzzle/chain.hpp"

namespace humpty::net {
namespace {

Net net_of(const std::vector<Piece>& applied, Activation activation, Net::Passes passes) {
  puzzle::check_chain(applied);
  std::vector<Net::Pair> pairs;
  for (std::size_t i = first_block(applied.size()); i + 1 < applied.size(); i += 2)
    pairs.push_back({&applied[i], &applied[i + 1]});
  return Net(pairs, applied.back(), activation, passes);
}

void check_width(const Matrix& features, std::size_t d) {
  if (features.cols != d)
    throw Error(ErrorCode::bad_data,
                fmt::format("the net takes {} inputs but the rows have {}", d, features.cols));
}

std::size_t tiles(const Matrix& matrix) { return (matrix.rows + kTileRows - 1) / kTileRows; }

std::size_t rows_in(const Matrix& matrix, std::size_t tile) {
  return std::min(kTileRows, matrix.rows - tile * kTileRows);
}

void store_tile(const float* tile, std::size_t first, std::size_t count, Matrix& matrix) {
  for (std::size_t r = 0; r < count; ++r) {
    float* to = matrix.row(first + r);
    for (std::size_t c = 0; c < matrix.cols; ++c) to[c] = tile[c * kTileRows + r];
  }
}

Matrix zeros(std::size_t rows, std::size_t cols) {
  return {rows, cols, std::vector<float>(rows * cols)};
}

// What the blocks start from, where that is not the features themselves.
std::optional<Matrix> stream_of(const std::vector<Piece>& applied, const Matrix& features,
                                Threads& threads) {
  if (role_at(0, applied.size()) != Role::stem) return std::nullopt;
  check_width(features, applied[0].weight.cols);
  return after_stem(applied[0], features, threads);
}

}  // namespace

Matrix predict(const std::vector<Piece>& applied, Activation activation, const Matrix& given,
               Threads& threads) {
  const Net net = net_of(applied, activation, Net::Passes::forward);
  const std::optional<Matrix> stream = stream_of(applied, given, threads);
  const Matrix& features = stream ? *stream : given;
  check_width(features, net.d());
  Matrix answer = zeros(features.rows, net.o());
  threads.run(tiles(features), [&](std::size_t tile, unsigned) {
    const Floats x = floats(net.d() * kTileRows), y = floats(net.o() * kTileRows),
                 scratch = floats(net.scratch());
    load_tile(features, tile * kTileRows, rows_in(features, tile), x.get());
    for (std::size_t block = 0; block < net.blocks(); ++block)
      net.step(block, x.get(), x.get(), scratch.get());
    net.head(x.get(), y.get());
    store_tile(y.get(), tile * kTileRows, rows_in(features, tile), answer);
  });
  return answer;
}

}  // namespace humpty::net

namespace humpty {

using namespace net;

Matrix forward(const std::vector<Piece>& applied, const Matrix& features,
               const RunOptions& options) {
  Threads threads(options.threads, options.cancel);
  return predict(applied, options.activation, features, threads);
}

// Forward with all states kept, then back; tile by tile, so only one tile's states at a time.
std::vector<Matrix> gradients(const std::vector<Piece>& applied, const Matrix& given,
                              std::size_t output, const RunOptions& options) {
  const Net net = net_of(applied, options.activation, Net::Passes::both);
  Threads threads(options.threads, options.cancel);
  const std::optional<Matrix> stream = stream_of(applied, given, threads);
  const Matrix& features = stream ? *stream : given;
  check_width(features, net.d());
  if (output >= net.o())
    throw Error(ErrorCode::usage,
                fmt::format("there is no output {}: the net has {}", output, net.o()));
  const std::size_t blocks = net.blocks(), size = net.d() * kTileRows;
  std::vector<Matrix> found(blocks + 1, zeros(features.rows, net.d()));
  threads.run(tiles(features), [&](std::size_t tile, unsigned) {
    const std::size_t first = tile * kTileRows, count = rows_in(features, tile);
    const Floats x = floats((blocks + 1) * size), g = floats(size), scratch = floats(net.scratch());
    load_tile(features, first, count, x.get());
    for (std::size_t t = 0; t < blocks; ++t)
      net.step(t, x.get() + t * size, x.get() + (t + 1) * size, scratch.get());
    net.head_adjoint(output, g.get());
    store_tile(g.get(), first, count, found[blocks]);
    for (std::size_t t = blocks; t-- > 0;) {
      net.step_adjoint(t, x.get() + t * size, g.get(), scratch.get());
      store_tile(g.get(), first, count, found[t]);
    }
  });
  return found;
}

std::vector<double> delta_norms(const std::vector<std::pair<Piece, Piece>>& blocks,
                                const Matrix& features, const RunOptions& options) {
  if (blocks.empty() || features.rows == 0)
    throw Error(ErrorCode::usage, "delta-norms are of at least one block on at least one row");
  Piece head;  // none is asked for its answer
  head.weight = zeros(1, blocks[0].first.weight.cols);
  std::vector<Net::Pair> pairs;
  for (const auto& [in, out] : blocks) pairs.push_back({&in, &out});
  const Net net(pairs, head, options.activation);
  check_width(features, net.d());
  const std::size_t count = tiles(features);
  std::vector<double> sums(blocks.size() * count), norms(blocks.size());
  Threads threads(options.threads, options.cancel);
  threads.run(count, [&](std::size_t tile, unsigned) {
    const Floats x = floats(net.d() * kTileRows), r = floats(net.d() * kTileRows),
                 scratch = floats(net.scratch());
    load_tile(features, tile * kTileRows, rows_in(features, tile), x.get());
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      net.residual(block, x.get(), r.get(), scratch.get());
      sums[block * count + tile] = norms_sum(r.get(), net.d(), rows_in(features, tile));
    }
  });
  for (std::size_t i = 0; i < sums.size(); ++i)
    norms[i / count] += sums[i] / static_cast<double>(features.rows);
  return norms;
}

}  // namespace humpty
