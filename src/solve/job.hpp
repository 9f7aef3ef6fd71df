// What every strategy works with: the paired blocks as a net, the rows that decide, all rows.
#pragma once

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "net/net.hpp"
#include "order/climb.hpp"
#include "order/walk.hpp"

namespace humpty::strategy {

struct Job {
  Job(const Puzzle& puzzle, const Pairing& pairing, Threads& threads, Watch& watch);

  // Mean squared error on all rows.
  double mse(const order::Order& order) const {
    return order::error_of(net, all_rows, threads, order);
  }
  std::vector<int> expand_ids(const order::Order& order) const;
  // At this error and below, a search has nothing left to find.
  double floor() const;

  const Puzzle& puzzle;
  const Pairing& pairing;
  Threads& threads;
  Watch& watch;
  std::vector<const Piece*> expand, contract;  // of block k: the pairing's k-th row and its match
  net::Net net;
  net::Batch all_rows;
};

// The paper's routes, exactly: see paper.cpp.
order::Order solve_as_paper(Job& job, const SolveOptions& options, Solution& solution);

// Whatever solves best: see best.cpp.
order::Order solve_best(Job& job, Solution& solution);

}  // namespace humpty::strategy
