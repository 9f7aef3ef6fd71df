// What every strategy works with: the paired blocks as a net, the rows that decide, all rows.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "net/net.hpp"
#include "order/bradley_terry.hpp"
#include "order/climb.hpp"
#include "order/walk.hpp"
#include "solve/way.hpp"

namespace humpty::strategy {

// What a search starts from, in words.
inline constexpr const char *kByGreedy = "greedy least movement", *kByDelta = "delta-norm",
                            *kByWout = "‖W_out‖_F", *kByQuiet = "the least active first",
                            *kByRelaxation = "relaxation", *kGivenOrder = "the order given",
                            *kAllArrangements = "all arrangements";

const Piece& head_of(const Puzzle& puzzle);

struct Job {
  Job(const Puzzle& puzzle, const Pairing& pairing, double noise, Threads& threads, Watch& watch,
      Clock& clock, net::Net::Passes passes = net::Net::Passes::forward);

  // The first `count` rows (0, or more than there are: all).
  net::Batch rows(std::size_t count) const;
  std::vector<int> expand_ids(const order::Order& order) const;
  std::vector<int> permutation(const order::Order& order) const;  // piece ids as applied
  Pairing pairing_now() const;  // the match as exchanges have left it
  // Makes two blocks trade their contract pieces; false, and nothing done, where widths differ.
  bool exchange(std::size_t a, std::size_t b);

  const Puzzle& puzzle;
  const Pairing& pairing;
  Threads& threads;
  Watch& watch;
  Clock& clock;
  std::vector<const Piece*> expand, contract;  // of block k: the pairing's k-th row and its match
  net::Net net;
  double noise;  // in the target, as declared
  double floor;  // at this mean squared error and below, a search has nothing left to find
};

// Whom a strategy tells what it finds, each with the way that led there. It proposes orders until
// one is accepted; solve.cpp alone makes a solution of all that.
class Listener {
 public:
  virtual ~Listener() = default;

  virtual void paired(const Pairing&) {}        // the blocks that are now being ordered
  virtual void went(const Way&) {}              // a search has begun, or come further
  virtual void remarked(const std::string&) {}  // why it goes on to something else
  // The best of a search by the rows it looks at: the answer if everything is stopped now.
  virtual void reached(const Job&, const order::Standing&, const Way&) {}
  // Has the verifier look at a proposal; true: it is accepted, and the search is over.
  virtual bool accept(const Job& job, const order::Order& order, const Way& way) = 0;
  virtual Activation activation() const { return Activation::relu; }  // of the best proposal

  // Does some work on a standing; if that is stopped, the standing is still told.
  template <class Work>
  void keeping(const Job& job, const order::Standing& standing, const Way& way, const Work& work) {
    try {
      work();
    } catch (const Stopped&) {
      reached(job, standing, way);
      throw;
    }
  }
};

// The order to start from that the options state, as block numbers; none if they state none.
std::optional<order::Order> stated_start(const Job& job, const SolveOptions& options);

// The paper's routes, exactly: see paper.cpp. Gives how the ranking went, if there was one.
order::Ranking solve_as_paper(Job& job, const SolveOptions& options, Listener& listener);

// From a seed, by swaps and insertions, with the job's pairing: see quick.cpp. True: accepted.
bool solve_quickly(Job& job, const SolveOptions& options, Listener& listener);

// All arrangements of few blocks: see exhaust.cpp. True: accepted.
enum class When { before_scoring, before_all_signals, last, never };
When when_to_try_all(const Puzzle& puzzle, const SolveOptions& options);
bool solve_by_trying_all(Job& job, const SolveOptions& options, Listener& listener);

// Without a seed, the pairing unsure: see harder.cpp.
void solve_harder(Job& job, const SolveOptions& options, Listener& listener);

}  // namespace humpty::strategy
