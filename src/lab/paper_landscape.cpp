// Section 6.3 of the paper asks whether the landscape is nice and whether there are local minima.
// So: adjacent-swap climbing from random orders and from the recovered order disturbed by k random
// exchanges or moves; how often it arrives, and where it sticks. An eighth of the paper's rows
// decide here, for there are hundreds of climbs.
#include <fmt/format.h>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "lab/paper.hpp"
#include "order/seeds.hpp"

namespace humpty::lab {
namespace {

constexpr std::size_t kRows = 256;

order::Order solved(const Study& study) {
  return order::ascending(std::vector<double>(study.blocks()));
}

void exchange(order::Order& order, Random& random) {
  const std::size_t a = random.index(order.size()), b = random.index(order.size() - 1);
  std::swap(order[a], order[b + (b >= a)]);
}

void move(order::Order& order, Random& random) {
  const std::size_t from = random.index(order.size()), to = random.index(order.size() - 1);
  const std::size_t block = order[from];
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to + (to >= from)), block);
}

std::size_t arrivals(const std::vector<Climb>& climbs) {
  return static_cast<std::size_t>(
      std::count_if(climbs.begin(), climbs.end(), [](const Climb& c) { return c.arrived(); }));
}

// How often each place holds a wrong block.
std::vector<double> wrong_at(const std::vector<const Climb*>& stuck, std::size_t blocks) {
  std::vector<double> share(blocks);
  for (const Climb* climb : stuck)
    for (std::size_t k = 0; k < blocks; ++k)
      share[k] += (climb->order[k] != k) / static_cast<double>(stuck.size());
  return share;
}

void add_stuck(const std::vector<Climb>& climbs, Study& study) {
  std::vector<const Climb*> stuck;
  std::vector<double> errors, taus;
  std::vector<order::Order> minima;
  for (const Climb& climb : climbs)
    if (!climb.arrived()) {
      stuck.push_back(&climb);
      errors.push_back(climb.error);
      taus.push_back(kendall_tau(climb.order));
      minima.push_back(climb.order);
    }
  if (stuck.empty()) return;
  std::sort(minima.begin(), minima.end());
  minima.erase(std::unique(minima.begin(), minima.end()), minima.end());
  study.add("landscape.minima", "different orders in which climbs from random starts stick",
            static_cast<double>(minima.size()));
  study.add("landscape.stuck_error", "their error on the deciding rows: least, median, greatest",
            std::vector<double>{range(errors)[0], median(errors), range(errors)[1]});
  study.add("landscape.stuck_tau", "their Kendall's tau: least, median, greatest",
            std::vector<double>{range(taus)[0], median(taus), range(taus)[1]});
  study.add("landscape.stuck_places", "how often each place holds a wrong block there",
            wrong_at(stuck, study.blocks()));
}

std::vector<order::Order> disturbed(std::size_t count, std::size_t times,
                                    void (*disturb)(order::Order&, Random&), Random& random,
                                    const Study& study) {
  std::vector<order::Order> starts(count, solved(study));
  for (order::Order& order : starts)
    for (std::size_t i = 0; i < times; ++i) disturb(order, random);
  return starts;
}

std::string what_arrived(const std::string& from, std::size_t trials) {
  return fmt::format("of {} climbs from {}, how many reach the recovered order", trials, from);
}

}  // namespace

void study_landscape(Study& study) {
  if (study.blocks() < 2) return;
  Random random(study.options.rng);
  const std::size_t starts = study.sample(200, 1), trials = study.sample(20, 1),
                    most = study.sample(32, 1);
  std::vector<order::Order> shuffled(starts, solved(study));
  for (order::Order& order : shuffled) random.shuffle(order);
  const std::vector<Climb> climbs = climb_from(shuffled, kRows, study);
  study.add("landscape.random", what_arrived("random orders", starts),
            static_cast<double>(arrivals(climbs)));
  add_stuck(climbs, study);
  for (std::size_t times = 1; times <= most; times *= 2) {
    for (const bool moves : {false, true}) {
      if (study.job.watch.stopped()) return;
      const auto from = disturbed(trials, times, moves ? move : exchange, random, study);
      study.add(fmt::format("landscape.{}.{}", moves ? "moves" : "swaps", times),
                what_arrived(fmt::format("the recovered order after {} random {}{}", times,
                                         moves ? "move" : "exchange", times > 1 ? "s" : ""),
                             trials),
                static_cast<double>(arrivals(climb_from(from, kRows, study))));
    }
  }
}

}  // namespace humpty::lab
