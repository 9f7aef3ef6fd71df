// The rows' states on their way through a net, for whoever wants to look at a block where it
// stands.
#pragma once

#include <algorithm>
#include <functional>

#include "base/parallel.hpp"
#include "net/net.hpp"

namespace humpty::lab {

class States {
 public:
  States(const net::Net& net, const net::Batch& batch, Threads& threads)
      : net_(net),
        batch_(batch),
        threads_(threads),
        values_(net::floats(batch.tiles() * net.d() * net::kTileRows)) {
    std::copy_n(batch.features(0), batch.tiles() * net.d() * net::kTileRows, values_.get());
  }

  // Calls look(tile, x) for every tile, x (d, kTileRows), from several threads.
  void each(const std::function<void(std::size_t, const float*)>& look) const {
    threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned) { look(tile, at(tile)); });
  }

  void pass(std::size_t block) {
    threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned) {
      const net::Floats scratch = net::floats(net_.scratch());
      net_.step(block, at(tile), at(tile), scratch.get());
    });
  }

 private:
  float* at(std::size_t tile) const { return values_.get() + tile * net_.d() * net::kTileRows; }

  const net::Net& net_;
  const net::Batch& batch_;
  Threads& threads_;
  net::Floats values_;  // (tiles, d, kTileRows)
};

}  // namespace humpty::lab
