// Orders the blocks of one pairing, from nothing.
#pragma once

#include <limits>

#include "net/mixture.hpp"
#include "order/relax.hpp"
#include "solve/job.hpp"

namespace humpty::strategy {

inline constexpr std::size_t kSteps = 40;    // of a relaxation at most
inline constexpr std::size_t kFewSteps = 8;  // where the pairs may be wrong

std::vector<net::Candidate> one_each(std::size_t n);  // block k: expand k with contract k

// How many rows a relaxation of so many unknowns gets: as many as that, within bounds.
std::size_t relaxation_rows(std::size_t unknowns, const Puzzle& puzzle);

// A step that leaves more than this of the error is a slow one; two of them in a row end a search.
inline constexpr double kSlow = 0.9;
class Patience {
 public:
  bool goes_on(double error);

 private:
  double last_ = std::numeric_limits<double>::infinity();
  int slow_ = 0;
};

class Orderer {
 public:
  // The job's net must be packed for both passes.
  Orderer(Job& job, Listener& listener);

  // True: accepted.
  bool relax(std::size_t steps);        // from nothing
  bool start_quietly();                 // from the order in which every block is least active
  bool relax_again(std::size_t width);  // from the best so far, spread over `width` places
  bool mend();                          // by insertions and exchanges of W_out
  bool settle();                        // has the verifier look at the best as it is

  // Of the best so far; infinity and none before.
  const order::Standing& best() const { return best_; }
  const Way& best_way() const { return best_way_; }

 private:
  // `way`: what led to the start, or to the order.
  bool run(order::Weights start, std::size_t steps, const Way& way);
  order::Standing better_rounding() const;
  bool worth_climbing(const order::Standing& standing) const;
  bool climb(order::Standing standing, Way way);
  void sweep_until_slow(order::Standing& standing, Way& way);
  Way quiet_way(const std::vector<order::Order>& orders);
  std::size_t sweep(order::Standing& standing);
  std::size_t wider_sweeps(order::Standing& standing);
  void add_round(std::size_t moves, const order::Standing& standing, Way& way);
  bool propose(const order::Standing& standing, const Way& way);

  Job& job_;
  Listener& listener_;
  net::Mixture mixture_;
  net::Batch batch_;
  order::Relaxation relaxation_;
  net::Batch few_;
  order::Walk walk_;
  order::Standing best_;
  Way best_way_;
  std::vector<order::Order> climbed_;  // where insertions have started before
};

}  // namespace humpty::strategy
