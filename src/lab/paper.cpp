// "I Dropped a Neural Net" (Hyunwoo Park), reproduced value by value: solves the puzzle, then asks
// each section of the paper what it says. The paper's own numbers are in paper_printed.cpp and are
// looked at only once everything is computed.
#include "lab/paper.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "pair/ratio.hpp"

namespace humpty::lab {
namespace {

void check(const Puzzle& puzzle) {
  if (puzzle.target != Target::outputs)
    throw Error(ErrorCode::bad_data,
                "the paper's study needs what the net answered as target, not its probabilities, "
                "the truth or nothing; see 'humpty inspect'");
}

// The ratio's table with both axes sorted by the place at which a block runs.
Pairing by_place(const Pairing& given, const Solution& solution) {
  const std::size_t n = given.expand.size();
  const auto index = [](const std::vector<int>& ids, int id) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  };
  Pairing sorted;
  for (const Block& row : solution.blocks) {
    sorted.expand.push_back(row.in);
    sorted.contract.push_back(row.out);
    const std::size_t i = index(given.expand, row.in);
    sorted.greedy.push_back(0);
    for (const Block& column : solution.blocks) {
      const std::size_t j = index(given.contract, column.out);
      if (j == given.greedy[i]) sorted.greedy.back() = sorted.scores.size() % n;
      sorted.scores.push_back(given.scores[i * n + j]);
      sorted.traces.push_back(given.traces[i * n + j]);
    }
  }
  sorted.match.resize(n);
  std::iota(sorted.match.begin(), sorted.match.end(), std::size_t{0});
  return sorted;
}

struct Part {
  const char* section;
  void (*study)(Study&);
};
constexpr std::array kParts{
    Part{"2 The puzzle", study_puzzle},
    Part{"3 Pairing", study_pairing},
    Part{"4.2 Near-commutativity", study_commutativity},
    Part{"4.3 Ordering", study_tables},
    Part{"6.1 The data", study_data},
    Part{"6.2 Seeds", study_seeds},
    Part{"6.3 Landscape", study_landscape},
    Part{"A Engineer's induction", study_training},
    Part{"B Negative diagonal", study_theory},
};

}  // namespace

void Study::plot(std::string id, std::vector<std::string> columns,
                 const std::vector<std::vector<double>>& series) {
  Matrix data{series[0].size(), series.size(), {}};
  for (std::size_t r = 0; r < data.rows; ++r)
    for (const std::vector<double>& values : series)
      data.values.push_back(static_cast<float>(values[r]));
  plot(std::move(id), std::move(columns), std::move(data));
}

Paper study_paper(const Puzzle& given, const PaperOptions& options) {
  check(given);
  Paper paper;
  SolveOptions solving;
  solving.threads = options.threads;
  solving.rng = options.rng;
  solving.time_limit = options.time_limit;
  solving.progress = options.progress;
  paper.solution = solve(given, solving);
  Puzzle puzzle = given;
  puzzle.activation = paper.solution.activation;

  Threads threads(options.threads);
  Watch watch(options.progress);
  std::vector<Timing> within;  // what the searches time for themselves
  Clock inner(within), clock(paper.solution.timings);
  const Pairing pairing = by_place(pair::pair_by_ratio(puzzle, threads), paper.solution);
  strategy::Job job(puzzle, pairing, 0, threads, watch, inner);
  Study study{puzzle, options, job, paper};
  for (const Part& part : kParts) {
    study.section = part.section;
    const std::size_t entries = paper.entries.size(), figures = paper.figures.size();
    part.study(study);
    if (!study.go_on(1, "")) {  // half a section says nothing
      paper.entries.resize(entries);
      paper.figures.resize(figures);
      paper.stopped = true;
      break;
    }
    clock.lap(part.section);
  }
  paper.published = is_published(paper.solution);
  if (paper.published) compare_with_print(paper.entries);
  return paper;
}

std::string_view name(PaperEntry::Status status) {
  switch (status) {
    case PaperEntry::Status::same:
      return "same";
    case PaperEntry::Status::differs:
      return "differs";
    case PaperEntry::Status::not_in_paper:
      break;
  }
  return "not in paper";
}

}  // namespace humpty::lab
