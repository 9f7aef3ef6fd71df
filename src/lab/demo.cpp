#include "humpty/humpty.hpp"

namespace humpty::lab {

TrainOptions demo_regime(std::size_t blocks, std::size_t dim) {
  TrainOptions options;
  options.blocks = blocks;
  options.hidden = {2 * dim};
  options.init = Init::zero;
  options.epochs = 100;
  options.lr = 7e-3;
  return options;
}

}  // namespace humpty::lab
