// Appendix A of the paper: a freshly trained model of the same shape shows the same negative
// diagonal. It names the optimiser (Adam, 1e-4), the epochs (200) and the error (0.0006), but
// neither batch size nor target nor initialisation; so both answers and two batch sizes are tried,
// from PyTorch's default initialisation. The run whose right pairs have the largest ratios is
// shown.
#include <cmath>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "lab/anatomy.hpp"
#include "lab/paper.hpp"
#include "lab/sampling.hpp"
#include "net/predict.hpp"
#include "order/seeds.hpp"
#include "pair/products.hpp"
#include "pair/ratio.hpp"

namespace humpty::lab {
namespace {

TrainOptions appendix(const Study& study, std::size_t batch) {
  TrainOptions options;
  options.blocks = study.blocks();
  options.hidden.clear();
  for (const Piece* piece : study.job.expand) options.hidden.push_back(piece->weight.rows);
  options.activation = study.puzzle.activation;
  options.epochs = 200;
  options.batch = batch;
  options.lr = 1e-4;
  options.threads = study.options.threads;
  options.rng = study.options.rng;
  return options;
}

double final_error(const TrainedNet& net, const Matrix& target, const Study& study) {
  const Matrix answer = net::predict(net.pieces, study.puzzle.activation,
                                     study.puzzle.rows.features, study.job.threads);
  double sum = 0;
  for (std::size_t i = 0; i < answer.values.size(); ++i) {
    const double difference = double{answer.values[i]} - double{target.values[i]};
    sum += difference * difference;
  }
  return sum / static_cast<double>(answer.values.size());
}

struct Scores {
  std::vector<double> right, wrong, traces, norms;
  std::size_t paired = 0;
};

Scores scores_of(const std::vector<Piece>& applied, Threads& threads) {
  std::vector<const Piece*> expand, contract;
  for (std::size_t i = 0; i + 1 < applied.size(); i += 2) {
    expand.push_back(&applied[i]);
    contract.push_back(&applied[i + 1]);
  }
  const pair::Sides sides(expand, contract, nullptr);
  const pair::Products of =
      pair::products(pair::weights(expand), pair::weights(contract), sides, threads);
  const Pairing pairing = pair::pairing_by(sides, pair::ratio_table(sides, threads), of.trace);
  Scores scores;
  const std::size_t n = expand.size();
  for (std::size_t i = 0; i < n; ++i) {
    scores.paired += pairing.match[i] == i;
    scores.traces.push_back(of.trace[i * n + i]);
    scores.norms.push_back(std::sqrt(of.norm2[i * n + i]));
    for (std::size_t j = 0; j < n; ++j)
      if (std::isfinite(pairing.scores[i * n + j]))
        (i == j ? scores.right : scores.wrong).push_back(pairing.scores[i * n + j]);
  }
  std::sort(scores.norms.begin(), scores.norms.end());
  return scores;
}

void add_scores(const std::string& id, const std::string& what, const Scores& scores,
                Study& study) {
  study.add(id + ".correct_range", what + ": ratio d of the right pairs, least and greatest",
            range(scores.right));
  study.add(id + ".incorrect_range", what + ": ratio d of the wrong pairs, least and greatest",
            range(scores.wrong));
  study.add(id + ".traces", what + ": tr(W_out W_in), least and greatest", range(scores.traces));
  study.add(id + ".paired", what + ": pairs that the ratio finds",
            static_cast<double>(scores.paired));
  study.add(id + ".norms", what + ": ‖W_out W_in‖_F, sorted", scores.norms);
}

struct Run {
  std::string what;
  std::vector<Piece> pieces = {};
  double level = -1;  // median ratio of its right pairs
};

Run train_and_add(const std::string& target_name, const Matrix& target, std::size_t batch,
                  Study& study) {
  TrainOptions options = appendix(study, batch);
  options.progress = [&](const Progress& progress) {
    return study.go_on(progress.done,
                       fmt::format("{}, batch {}: {}", target_name, batch, progress.note));
  };
  TrainedNet net = train(options, study.puzzle.rows.features, target);
  const std::string id = fmt::format("training.{}.{}", target_name, batch);
  const std::string what = fmt::format("trained on `{}`, batch {}", target_name, batch);
  study.add(id + ".mse", what + ": error after 200 epochs, all rows",
            final_error(net, target, study));
  const Scores scores = scores_of(net.pieces, study.job.threads);
  add_scores(id, what, scores, study);
  return {what, std::move(net.pieces), median(scores.right)};
}

// All products of one run as the paper's figure has them, sorted by Frobenius norm: a row each.
void plot_products(const Run& run, Study& study) {
  constexpr std::size_t kSide = 48, kMost = 96;
  const std::size_t side = std::min(kSide, study.d());
  std::vector<Matrix> products;
  for (std::size_t i = 0; i + 1 < run.pieces.size(); i += 2)
    products.push_back(product(run.pieces[i], run.pieces[i + 1]));
  std::vector<double> norms;
  for (const Matrix& each : products) norms.push_back(frobenius_norm(each));
  const order::Order by_norm = order::ascending(norms);
  Matrix data{0, side * side, {}};
  for (std::size_t k : spread(by_norm.size(), kMost)) {
    const Matrix small = binned(products[by_norm[k]], side, Bin::mean);
    data.values.append(small.values.begin(), small.values.end());
    ++data.rows;
  }
  study.plot("trained_products", {run.what}, std::move(data));
}

}  // namespace

void study_training(Study& study) {
  if (!study.options.train) return;
  Run best;
  for (const std::size_t batch : {std::size_t{32}, std::size_t{256}})
    for (const bool truth : {true, false}) {
      if (study.job.watch.stopped()) return;
      if (truth && study.options.truth.cols == 0) continue;
      Run run = train_and_add(truth ? "true" : "pred",
                              truth ? study.options.truth : study.puzzle.rows.target, batch, study);
      if (run.level > best.level) best = std::move(run);
    }
  plot_products(best, study);
}

}  // namespace humpty::lab
