// Every arrangement, depth first: the states before each place are kept, so that an arrangement
// costs one block more than its neighbour, not all of them, and eight rows go side by side.
// Whatever eight rows do not refute sees all. Where blocks are few this is a proof: there is no
// larger change that could have been overlooked, and what remains is counted, not inferred.
#include "verify/exhaust.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace humpty::verifier {
namespace {

constexpr std::size_t kLanes = kRows<double>;
constexpr double kMostFlops = 1e10;  // for the first rows
constexpr double kMoreFlops = 2e10;  // for all rows of those that these leave
constexpr std::size_t kMostListed = 1000;
constexpr std::size_t kNearest = 4;  // of those refuted: measured to find the nearest

struct Tried {
  Arrangement arrangement;
  double square_sum;
};

// All arrangements that begin with one choice.
class Branch {
 public:
  Branch(Field& field, const Floor& floor, const Field::Places& rows)
      : threads_(field.threads()),
        chain_(field.chain()),
        data_(field.data()),
        floor_(floor),
        rows_(rows.begin(), rows.begin() + std::ptrdiff_t(std::min(kLanes, rows.size()))),
        count_(double(field.rows() * field.outputs())),
        n_(chain_.blocks()),
        states_(n_ + 1, std::vector<double>(chain_.d() * kLanes)),
        answer_(chain_.o() * kLanes),
        used_in_(n_),
        used_out_(n_),
        arrangement_(n_) {
    for (std::size_t lane = 0; lane < rows_.size(); ++lane)
      chain_.enter(data_.features.row(rows_[lane]), states_[0].data() + lane, kLanes);
  }

  void run(std::size_t in, std::size_t out) { put(0, in, out); }

  std::vector<Arrangement> left;  // that these rows do not refute
  std::vector<Tried> nearest;     // of the others

 private:
  void put(std::size_t place, std::size_t in, std::size_t out) {
    if (chain_.hidden(in) != chain_.hidden(out)) return;
    threads_.check();
    states_[place + 1] = states_[place];
    chain_.step(in, out, states_[place + 1].data(), 1);
    arrangement_.in[place] = std::uint32_t(in), arrangement_.out[place] = std::uint32_t(out);
    used_in_[in] = used_out_[out] = 1;
    if (place + 1 == n_)
      judge();
    else
      go_on(place + 1);
    used_in_[in] = used_out_[out] = 0;
  }

  void go_on(std::size_t place) {
    for (std::size_t in = 0; in < n_; ++in)
      for (std::size_t out = 0; out < n_; ++out)
        if (!used_in_[in] && !used_out_[out]) put(place, in, out);
  }

  void judge() {
    if (arrangement_.first_change() == n_) return;
    chain_.head(states_[n_].data(), answer_.data(), 1);
    Errors errors;
    for (std::size_t lane = 0; lane < rows_.size(); ++lane)
      for (std::size_t k = 0; k < chain_.o(); ++k)
        errors.add(answer_[k * kLanes + lane] - double{data_.target.row(rows_[lane])[k]});
    if (floor_.holds(errors, count_))
      left.push_back(arrangement_);
    else if (std::isfinite(errors.square_sum))
      keep(errors.square_sum);
  }

  void keep(double square_sum) {
    if (nearest.size() == kNearest && square_sum >= nearest.back().square_sum) return;
    if (nearest.size() == kNearest) nearest.pop_back();
    const auto place = std::find_if(nearest.begin(), nearest.end(), [&](const Tried& each) {
      return each.square_sum > square_sum;
    });
    nearest.insert(place, {arrangement_, square_sum});
  }

  const Threads& threads_;  // only asked whether to stop
  const Chain<double>& chain_;
  const Rows& data_;
  const Floor& floor_;
  const Field::Places rows_;
  double count_;
  std::size_t n_;
  std::vector<std::vector<double>> states_;  // before each place: (d, kLanes)
  std::vector<double> answer_;
  std::vector<char> used_in_, used_out_;
  Arrangement arrangement_;
};

Rival measured(const Arrangement& arrangement, const Errors& errors, const Field& field) {
  Rival rival = arrangement.as_rival();
  rival.rows = field.rows();
  rival.is_bound = false;
  rival.mse = errors.square_sum / double(field.rows() * field.outputs());
  return rival;
}

void add_survivors(const std::vector<Arrangement>& left, Field& field, const Floor& floor,
                   Exhausted& result) {
  const auto errors = explaining(left, field.rows(), floor, field);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (errors[i] && ++result.explaining <= kMostListed)
      result.survivors.push_back(measured(left[i], *errors[i], field));
}

// The least error on all rows.
void set_nearest(std::vector<Tried> tried, Field& field, Exhausted& result) {
  std::vector<Rival> measured_ones = result.survivors;
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Tried& a, const Tried& b) { return a.square_sum < b.square_sum; });
  std::vector<Arrangement> some;
  for (std::size_t i = 0; i < std::min(kNearest, tried.size()); ++i)
    some.push_back(tried[i].arrangement);
  Field::Places all(field.rows());
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = row;
  const std::vector<Errors> errors = field.total(some, all);
  for (std::size_t i = 0; i < some.size(); ++i)
    measured_ones.push_back(measured(some[i], errors[i], field));
  const auto least = std::min_element(measured_ones.begin(), measured_ones.end(),
                                      [](const Rival& a, const Rival& b) { return a.mse < b.mse; });
  if (least != measured_ones.end()) result.nearest = *least;
}

// Blocks run, of eight rows each.
double steps_of(const Chain<double>& chain) {
  // The last place has as many choices as arrangements, the one before it as many or more.
  double steps = 0, ways = 1;
  for (std::size_t left = chain.blocks(); left > 0; --left) {
    ways *= double(left) * double(left);
    steps += ways;
  }
  return steps;
}

}  // namespace

double log_arrangements(const Chain<double>& chain) {
  std::map<std::size_t, std::size_t> widths;
  for (std::size_t b = 0; b < chain.blocks(); ++b) ++widths[chain.hidden(b)];
  double sum = std::lgamma(double(chain.blocks()) + 1);
  for (const auto& [width, count] : widths) sum += std::lgamma(double(count) + 1);
  return sum;
}

bool can_exhaust(const Field& field) {
  constexpr std::size_t kMostBlocks = 6;
  const std::size_t n = field.blocks();
  return n <= kMostBlocks &&
         steps_of(field.chain()) * double(kLanes) * field.chain().flops_per_row() / double(n) <=
             kMostFlops;
}

Exhausted exhaust(Field& field, const Floor& floor, const Field::Places& rows, Watch& watch) {
  const std::size_t n = field.blocks();
  Exhausted result;
  result.others = std::size_t(std::round(std::exp(log_arrangements(field.chain())))) - 1;
  std::vector<Branch> branches(n * n, Branch(field, floor, rows));
  field.threads().run(branches.size(),
                      [&](std::size_t job, unsigned) { branches[job].run(job / n, job % n); });
  field.count_work(steps_of(field.chain()) * double(kLanes));
  std::vector<Arrangement> left;
  std::vector<Tried> nearest;
  for (const Branch& branch : branches) {
    left.insert(left.end(), branch.left.begin(), branch.left.end());
    nearest.insert(nearest.end(), branch.nearest.begin(), branch.nearest.end());
  }
  const double more = double(left.size()) * double(field.rows()) * field.chain().flops_per_row();
  if (more > kMoreFlops || !watch.go_on("verify", -1, "every arrangement")) return result;
  add_survivors(left, field, floor, result);
  set_nearest(std::move(nearest), field, result);
  result.complete = true;
  return result;
}

}  // namespace humpty::verifier
