// The study of the paper, one section a file. Every section speaks of the blocks as recovered:
// block k is the one that runs at place k, so the right order is 0, 1, 2, …
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "humpty/humpty.hpp"
#include "solve/job.hpp"

namespace humpty::lab {

struct Study {
  const Puzzle& puzzle;  // with the activation that the data settled
  const PaperOptions& options;
  strategy::Job& job;
  Paper& paper;
  std::string section = {};  // that what is added now belongs to

  std::size_t blocks() const { return job.expand.size(); }
  std::size_t d() const { return puzzle.rows.features.cols; }
  std::size_t sample(std::size_t whole, std::size_t quick) const {
    return options.quick ? quick : whole;
  }

  void add(std::string id, std::string what, decltype(PaperEntry::ours) ours) {
    paper.entries.push_back({std::move(id), section, std::move(what), std::move(ours)});
  }
  void plot(std::string id, std::vector<std::string> columns, Matrix data) {
    paper.figures.push_back({std::move(id), std::move(columns), std::move(data)});
  }
  // One column per series, all of one length.
  void plot(std::string id, std::vector<std::string> columns,
            const std::vector<std::vector<double>>& series);

  bool go_on(double done, std::string note) const {
    return job.watch.go_on(section, done, std::move(note));
  }
};

void study_puzzle(Study& study);         // its sizes, and how exactly it is solved
void study_pairing(Study& study);        // ratios and traces of right and wrong pairs
void study_data(Study& study);           // what the features are
void study_tables(Study& study);         // the three convergence tables, Bradley–Terry
void study_commutativity(Study& study);  // two blocks either way round
void study_theory(Study& study);         // the appendix, step by step
void study_seeds(Study& study);          // first guesses, in both directions
void study_landscape(Study& study);      // from where climbing arrives, and where it sticks
void study_training(Study& study);       // the appendix's model from scratch

// Sets `paper` and `status` of the entries that the paper prints a value for.
void compare_with_print(std::vector<PaperEntry>& entries);
bool is_published(const Solution& solution);

// How far an order is from 0, 1, 2, …
std::size_t inversions(const order::Order& order);
double kendall_tau(const order::Order& order);
// The most blocks that stand before one that should precede them: a forward sweep of adjacent swaps
// takes a block back by one place at most, so no fewer sweeps can do.
std::size_t sweeps_needed(const order::Order& order);

// Adjacent-swap climbing to the end, as the paper has it, from many starts at once. The error is
// that on the deciding rows, the first `rows`.
struct Climb {
  order::Order order;
  double error = 0;
  std::size_t rounds = 0, swaps = 0, evaluations = 0;
  bool arrived() const { return inversions(order) == 0; }
};
std::vector<Climb> climb_from(const std::vector<order::Order>& starts, std::size_t rows,
                              const Study& study);

}  // namespace humpty::lab
