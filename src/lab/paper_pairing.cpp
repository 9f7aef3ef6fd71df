// Sections 2 and 3 of the paper: what the puzzle is, and how the ratio d(i, j) = |tr M| / ‖M‖_F of
// M = W_out(j) · W_in(i) tells right pairs from wrong ones.
#include <cmath>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "lab/anatomy.hpp"
#include "lab/paper.hpp"
#include "lab/sampling.hpp"

namespace humpty::lab {
namespace {

double factorial_log10(std::size_t n) {
  return std::lgamma(static_cast<double>(n) + 1) / std::log(10.0);
}

double mean_square_difference(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double difference = double{a.values[i]} - double{b.values[i]};
    sum += difference * difference;
  }
  return sum / static_cast<double>(a.values.size());
}

struct Sorted {
  std::vector<double> right, wrong, traces;
};

Sorted by_rightness(const Pairing& pairing) {
  const std::size_t n = pairing.match.size();
  Sorted sorted;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double score = pairing.scores[i * n + j];
      if (i == j) sorted.traces.push_back(pairing.traces[i * n + j]);
      if (std::isfinite(score)) (i == j ? sorted.right : sorted.wrong).push_back(score);
    }
  return sorted;
}

// Four right products and, of the same W_in, four wrong ones.
void plot_products(Study& study) {
  constexpr std::size_t kShown = 4, kSide = 64;
  const std::size_t n = study.blocks(), shown = std::min(kShown, n);
  const auto plot = [&](const char* kind, std::size_t k, std::size_t in, std::size_t out) {
    const Matrix whole = product(*study.job.expand[in], *study.job.contract[out]);
    study.plot(fmt::format("product_{}_{}", kind, k + 1),
               {in == out ? fmt::format("block {}", in + 1)
                          : fmt::format("W_in of block {}, W_out of {}", in + 1, out + 1)},
               binned(whole, std::min(kSide, study.d()), Bin::mean));
  };
  const auto place = [&](std::size_t k) {
    return k % shown * (n - 1) / std::max<std::size_t>(shown - 1, 1);
  };
  for (std::size_t k = 0; k < shown; ++k) plot("right", k, place(k), place(k));
  for (std::size_t k = 0; k < shown; ++k)
    if (study.job.expand[place(k)]->weight.rows == study.job.contract[place(k + 1)]->weight.cols &&
        place(k) != place(k + 1))
      plot("wrong", k, place(k), place(k + 1));
}

}  // namespace

void study_puzzle(Study& study) {
  const Puzzle& puzzle = study.puzzle;
  const double n = static_cast<double>(study.blocks());
  study.add("puzzle.pieces", "pieces", static_cast<double>(puzzle.pieces.size()));
  study.add("puzzle.blocks", "residual blocks", n);
  study.add("puzzle.width", "width of the stream, in_dim", static_cast<double>(study.d()));
  study.add("puzzle.hidden", "hidden units, hidden_dim (the widest block's)",
            static_cast<double>(study.job.net.hidden()));
  study.add("puzzle.head", "piece that is the last layer",
            static_cast<double>(study.paper.solution.head));
  study.add("puzzle.rows", "rows of data", static_cast<double>(puzzle.rows.features.rows));
  study.add("puzzle.search_space", "log10 of the number of arrangements, (n!)²",
            2 * factorial_log10(study.blocks()));
  const Certificate& certificate = study.paper.solution.certificate;
  study.add("puzzle.verdict", "verdict on the recovered order, of which all sections speak",
            std::string(name(certificate.verdict)));
  study.add("puzzle.mse", "mean squared error of the recovered order, all rows, in float64",
            certificate.mse);
  study.add("puzzle.max_error", "its largest error", certificate.max_abs_error);
  study.add("puzzle.sha256", "SHA-256 of the recovered order", study.paper.solution.sha256());
  if (study.options.truth.values.size() == puzzle.rows.target.values.size())
    study.add("puzzle.truth_mse", "mean squared error of `pred` against `true`",
              mean_square_difference(puzzle.rows.target, study.options.truth));
}

void study_pairing(Study& study) {
  const Pairing& pairing = study.job.pairing;
  const Sorted d = by_rightness(pairing);
  study.add("pairing.correct", "right pairs", static_cast<double>(d.right.size()));
  study.add("pairing.incorrect", "wrong pairs", static_cast<double>(d.wrong.size()));
  study.add("pairing.correct_range", "ratio d of the right pairs: least, greatest", range(d.right));
  study.add("pairing.incorrect_range", "ratio d of the wrong pairs: least, greatest",
            range(d.wrong));
  if (!d.wrong.empty())
    study.add("pairing.gap", "least d of a right pair less the greatest of a wrong one",
              range(d.right)[0] - range(d.wrong)[1]);
  study.add("pairing.traces", "tr(W_out W_in) of the right pairs: least, greatest",
            range(d.traces));
  study.add("pairing.negative", "right pairs with a negative trace",
            static_cast<double>(std::count_if(d.traces.begin(), d.traces.end(),
                                              [](double trace) { return trace < 0; })));
  std::size_t greedy = 0;
  for (std::size_t i = 0; i < pairing.match.size(); ++i) greedy += pairing.greedy[i] == i;
  study.add("pairing.greedy", "rows whose best column alone is the right partner",
            static_cast<double>(greedy));
  plot_products(study);
}

}  // namespace humpty::lab
