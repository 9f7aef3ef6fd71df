#include "net/predict.hpp"

#include "net/net.hpp"
#include "net/stem.hpp"

namespace humpty::net {
namespace {

Net net_of(const std::vector<Piece>& applied, Activation activation) {
  std::vector<Net::Pair> pairs;
  for (std::size_t i = first_block(applied.size()); i + 1 < applied.size(); i += 2)
    pairs.push_back({&applied[i], &applied[i + 1]});
  return Net(pairs, applied.back(), activation);
}

Matrix answers(const Net& net, const Matrix& features, Threads& threads) {
  const std::size_t o = net.o();
  const Batch batch({features, {features.rows, 0, {}}, {}, {}}, 0, features.rows);
  Matrix answer{features.rows, o, std::vector<float>(features.rows * o)};
  threads.run(batch.tiles(), [&](std::size_t tile, unsigned) {
    const Floats x = floats(net.d() * kTileRows), y = floats(o * kTileRows),
                 scratch = floats(net.scratch());
    std::copy_n(batch.features(tile), net.d() * kTileRows, x.get());
    for (std::size_t block = 0; block < net.blocks(); ++block)
      net.step(block, x.get(), x.get(), scratch.get());
    net.head(x.get(), y.get());
    for (std::size_t r = 0; r < batch.rows_in(tile); ++r)
      for (std::size_t k = 0; k < o; ++k)
        answer.row(tile * kTileRows + r)[k] = y[k * kTileRows + r];
  });
  return answer;
}

}  // namespace

Matrix predict(const std::vector<Piece>& applied, Activation activation, const Matrix& features,
               Threads& threads) {
  const Net net = net_of(applied, activation);
  if (role_at(0, applied.size()) != Role::stem) return answers(net, features, threads);
  return answers(net, after_stem(applied[0], features, threads), threads);
}

}  // namespace humpty::net
