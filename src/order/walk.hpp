// A walk along an order: the states of all rows after the blocks passed so far.
//
// Every search here asks the same question: these blocks have run, what is the error if those
// follow? A walk keeps the rows' states at one place, moves past a block, and answers. So a change
// at place k costs only the blocks from k on, and memory stays at one state per row however deep
// the net. An answer that is too large to matter is given up early: squared errors only add up, so
// a part of the rows can refute a candidate, never accept one. The rows with the largest errors
// refute soonest; a search that has moved on can have them put first, which saves a third of the
// paper's method.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "net/net.hpp"

namespace humpty::order {

using Order = std::vector<std::size_t>;  // block numbers in the sequence in which they run

class Walk {
 public:
  Walk(const net::Net& net, const net::Batch& batch, Threads& threads);
  ~Walk();

  void restart();                // before the first block
  void pass(std::size_t block);  // moves on by one block

  // Mean squared error if exactly these blocks follow; infinity as soon as it is sure to be above
  // `limit`. The same at any number of threads.
  double error(std::span<const std::size_t> rest, double limit) const;

  // Which of the first `count` exchanges of neighbours in `rest`, each alone, the first rows refute
  // by themselves: those have an error above `limit`. Each is a job of its own: near the goal the
  // first rows refute nearly all, and threads that share one exchange have nothing to share.
  std::vector<char> refuted_swaps(std::span<const std::size_t> rest, std::size_t count,
                                  double limit) const;

  // Sorts the rows by their squared errors in the last call of error(), one that was not given up,
  // the largest first. Sums over the rows change in their last bits by that, so it gives that
  // call's answer anew: only errors summed in one sequence may be compared.
  double telling_rows_first();

  // For each block the mean over the rows of ‖r_block(x)‖ at the present states x. All blocks in
  // one go: few rows give a thread too little to do.
  std::vector<double> movements(std::span<const std::size_t> blocks) const;
  // For each block the share of its hidden units that are active there, over the rows: of those
  // that answer above zero.
  std::vector<double> activities(std::span<const std::size_t> blocks) const;

  const net::Net& net() const { return net_; }
  unsigned threads() const { return threads_.count(); }
  std::size_t passed() const { return passed_; }

 private:
  struct Desk;  // one worker's buffers

  double tile_error(std::size_t tile, std::span<const std::size_t> rest, Desk& desk,
                    double* squares) const;
  const float* state(std::size_t tile) const {
    return states_.get() + tile * net_.d() * net::kTileRows;
  }
  float* state(std::size_t tile) { return states_.get() + tile * net_.d() * net::kTileRows; }
  double give_up(double limit) const;  // the sum of squares that is sure to be above it
  // A tile's part of what movements() and activities() give, summed over its rows.
  using TileMeasure = double (Walk::*)(std::size_t tile, std::size_t block, Desk& desk) const;
  double tile_movement(std::size_t tile, std::size_t block, Desk& desk) const;
  double tile_activity(std::size_t tile, std::size_t block, Desk& desk) const;
  std::vector<double> means(std::span<const std::size_t> blocks, TileMeasure measure) const;
  double mean_square() const;  // over the rows as error() left them
  // (tiles, width, kTileRows) with the row that lay at places[i] put at place i.
  net::Floats sorted(const float* tiles, std::size_t width, const Order& places) const;

  const net::Net& net_;
  const net::Batch& batch_;
  Threads& threads_;
  Order rows_;                           // the batch's rows in the sequence in which they lie here
  net::Floats states_;                   // (tiles, d, kTileRows)
  net::Floats targets_;                  // (tiles, o, kTileRows)
  mutable std::vector<double> squares_;  // per row
  mutable std::vector<Desk> desks_;
  std::size_t passed_ = 0;
};

// Mean squared error of a whole order.
double error_of(const net::Net& net, const net::Batch& batch, Threads& threads, const Order& order);

}  // namespace humpty::order
