// Section 6 of the paper asks why delta-norm is so good a first guess, whether there are better
// ones, and why ‖W_out‖_F, the worse one by error, converges faster. So: many seeds, in both
// directions, each with its distance from the recovered order, its error, and what the repair from
// it costs. Distance decides, not error: adjacent swaps take at least one swap per inversion, and
// at least as many forward sweeps as the block that is too late by most has to go back. The error
// weighs the inversions instead.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "lab/anatomy.hpp"
#include "lab/paper.hpp"
#include "order/seeds.hpp"

namespace humpty::lab {
namespace {

constexpr std::size_t kDecidingRows = 2000;

struct Guess {
  std::string id, what;
  order::Order order;
};

double spectral_norm(const Matrix& m) { return singular_values(m)[0]; }

double sum_of_sizes(const Matrix& m) {
  double sum = 0;
  for (float w : m.values) sum += std::abs(double{w});
  return sum;
}

order::Order by_weight(const std::vector<const Piece*>& pieces, double (*size)(const Matrix&)) {
  std::vector<double> sizes;
  for (const Piece* piece : pieces) sizes.push_back(size(piece->weight));
  return order::ascending(sizes);
}

order::Order delta_without_bias(const Study& study, const net::Batch& batch) {
  std::vector<Piece> contract;
  for (const Piece* piece : study.job.contract) {
    contract.push_back(*piece);
    contract.back().bias.clear();
  }
  std::vector<net::Net::Pair> pairs;
  for (std::size_t k = 0; k < contract.size(); ++k)
    pairs.push_back({study.job.expand[k], &contract[k]});
  const net::Net net(pairs, strategy::head_of(study.puzzle), study.puzzle.activation);
  return order::seed_delta(net, batch, study.job.threads);
}

order::Order delta_of_noise(const Study& study, std::size_t rows) {
  Random random(study.options.rng);
  Rows noise{{rows, study.d(), {}}, {rows, study.puzzle.rows.target.cols, {}}, {}, {}};
  for (std::size_t i = 0; i < rows * study.d(); ++i)
    noise.features.values.push_back(static_cast<float>(random.normal()));
  noise.target.values.resize(rows * noise.target.cols);
  return order::seed_delta(study.job.net, net::Batch(noise, 0, rows), study.job.threads);
}

std::vector<Guess> guesses(const Study& study) {
  const net::Batch few = study.job.rows(kDecidingRows), all = study.job.rows(0);
  const net::Net& net = study.job.net;
  Threads& threads = study.job.threads;
  return {
      {"greedy", "greedy least movement of the current state",
       order::seed_greedy(net, few, threads, study.job.watch)},
      {"wout_l1", "sum of the sizes of W_out's entries",
       by_weight(study.job.contract, sum_of_sizes)},
      {"wout", "‖W_out‖_F", order::seed_wout(study.job.contract)},
      {"delta_no_bias", "delta-norm without b_out", delta_without_bias(study, few)},
      {"delta", "delta-norm", order::seed_delta(net, few, threads)},
      {"delta_all_rows", "delta-norm over all rows", order::seed_delta(net, all, threads)},
      {"win", "‖W_in‖_F", order::seed_wout(study.job.expand)},
      {"delta_noise", "delta-norm on Gaussian inputs", delta_of_noise(study, few.rows())},
      {"wout_spectral", "largest singular value of W_out",
       by_weight(study.job.contract, spectral_norm)},
  };
}

// Both directions of each.
std::vector<Guess> both_ways(const std::vector<Guess>& given) {
  std::vector<Guess> all;
  for (const Guess& guess : given) {
    all.push_back({guess.id + ".ascending", guess.what + ", ascending", guess.order});
    all.push_back({guess.id + ".descending", guess.what + ", descending",
                   order::Order(guess.order.rbegin(), guess.order.rend())});
  }
  return all;
}

void add_climbs(const std::vector<Guess>& seeds, Study& study) {
  std::vector<order::Order> starts;
  for (const Guess& seed : seeds) starts.push_back(seed.order);
  const std::vector<Climb> climbs = climb_from(starts, kDecidingRows, study);
  for (std::size_t i = 0; i < seeds.size(); ++i)
    study.add(
        "seeds." + seeds[i].id + ".climb",
        fmt::format("repair from {}: rounds, swaps, evaluations, inversions left", seeds[i].what),
        std::vector<double>{static_cast<double>(climbs[i].rounds),
                            static_cast<double>(climbs[i].swaps),
                            static_cast<double>(climbs[i].evaluations),
                            static_cast<double>(inversions(climbs[i].order))});
}

// What the inversions should cost. Exchanging two blocks changes the stream by about ‖r_A‖ ‖r_B‖
// (paper_commute.cpp), so an inversion adds about the square of that to the error. `share`: how
// far each block moves the stream that reaches it, ‖r‖/‖x‖.
double weight_of_inversions(const order::Order& order, const std::vector<double>& share) {
  double sum = 0;
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b)
      if (order[a] > order[b]) sum += std::pow(share[order[a]] * share[order[b]], 2);
  return sum;
}

std::vector<double> shares(const Study& study) {
  const Assembled net{study.puzzle, study.paper.solution.permutation, study.puzzle.activation};
  std::vector<double> share;
  for (const Motion& motion : motions(net, kDecidingRows, study.job.threads))
    share.push_back(motion.relative);
  return share;
}

// A seed with its distances from the recovered order.
struct Measured {
  std::size_t inversions, sweeps;
  double weight, error;
};

std::string told(const std::string& seed, const Measured& of) {
  return fmt::format("{} has error {:.6f}, {} inversions of weight {:.3g}, and needs {} sweeps",
                     seed, of.error, of.inversions, of.weight, of.sweeps);
}

// Whether errors and distances disagree.
std::string why_faster(const Measured& delta, const Measured& wout) {
  const bool puzzling = (delta.inversions > wout.inversions) == (delta.error < wout.error),
             weighed = (delta.weight < wout.weight) == (delta.error < wout.error);
  return fmt::format(
      "{}; {}. {}{}", told("delta-norm", delta), told("‖W_out‖_F", wout),
      puzzling
          ? "The lower error has the longer way: adjacent swaps undo inversions one by one and "
            "a sweep takes a block back by one place, so their number and the longest way "
            "back say how far it is, not the error"
          : "Here the lower error also has the shorter way",
      weighed ? ", which goes with the weight of the inversions: the square of how far both blocks "
                "move the stream"
              : "");
}

}  // namespace

void study_seeds(Study& study) {
  const std::vector<Guess> seeds = both_ways(guesses(study));
  const net::Batch all = study.job.rows(0);
  const std::vector<double> share = shares(study);
  std::map<std::string, Measured> measured;
  std::vector<double> log_weights, log_errors;
  for (const Guess& seed : seeds) {
    const Measured of{inversions(seed.order), sweeps_needed(seed.order),
                      weight_of_inversions(seed.order, share),
                      order::error_of(study.job.net, all, study.job.threads, seed.order)};
    study.add("seeds." + seed.id,
              seed.what +
                  ": Kendall's tau, inversions, sweeps needed at least, error on all rows, "
                  "weight of the inversions",
              std::vector<double>{kendall_tau(seed.order), static_cast<double>(of.inversions),
                                  static_cast<double>(of.sweeps), of.error, of.weight});
    measured.emplace(seed.id, of);
    if (of.weight > 0 && of.error > 0) {
      log_weights.push_back(std::log(of.weight));
      log_errors.push_back(std::log(of.error));
    }
    if (!study.go_on(-1, "errors of the seeds")) return;
  }
  study.add("seeds.weight_correlation",
            "log-log correlation of the seeds' errors with the weights of their inversions",
            fit_line(log_weights, log_errors).correlation);
  study.add("seeds.why_wout", "why ‖W_out‖_F converges faster from a worse error",
            why_faster(measured.at("delta.ascending"), measured.at("wout.ascending")));
  if (!study.options.quick) add_climbs(seeds, study);
}

}  // namespace humpty::lab
