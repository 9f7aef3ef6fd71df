// Many arrangements side by side. A lane is one row under one arrangement; it follows the order
// certified up to its arrangement's first change, so it is forked there from the kept state
// instead of being run from the start. From then on lanes that run the same block at the same
// place are gathered and taken through it together: after their last change all arrangements run
// the same blocks, so nearly all of the work is done in full vectors although each rival may look
// at one row only. (Eight rows of one rival at a time, the first version, cost eight times as much
// where one row is enough to refute.) In float32 all of it costs half as much.
#include "verify/field.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace humpty::verifier {
namespace {

constexpr std::size_t kLanes = 512;        // of one job
constexpr std::size_t kGroupsAtOnce = 16;  // share one look at a block's weights
constexpr std::size_t kRowsAtOnce = 64;
constexpr std::size_t kApart = 4;  // so few lanes are quicker one by one than as part of a vector

template <typename Real>
std::size_t groups_of(std::size_t lanes) {
  return (lanes + kRows<Real> - 1) / kRows<Real>;
}

// Lanes of width d, one after the other, and their way in and out of the chain's groups of kRows.
template <typename Real>
struct Lanes {
  std::size_t d;
  std::vector<Real> values;  // (lanes, d)
  std::vector<Real> packed = std::vector<Real>(kGroupsAtOnce * d * kRows<Real>);

  Real* lane(std::size_t i) { return values.data() + i * d; }
  // Group by group, so that what is side by side when packed is written side by side.
  void pack(const std::size_t* lanes, std::size_t count) {
    for (std::size_t first = 0; first < count; first += kRows<Real>) {
      const Real* from[kRows<Real>];
      for (std::size_t i = 0; i < kRows<Real>; ++i)
        from[i] = lane(lanes[std::min(first + i, count - 1)]);
      Real* to = packed.data() + first * d;
      for (std::size_t f = 0; f < d; ++f, to += kRows<Real>)
        for (std::size_t i = 0; i < kRows<Real>; ++i) to[i] = from[i][f];
    }
  }
  void unpack(const std::size_t* lanes, std::size_t count) {
    for (std::size_t first = 0; first < count; first += kRows<Real>)
      for (std::size_t i = 0; i < std::min(kRows<Real>, count - first); ++i) {
        const Real* from = packed.data() + first * d + i;
        Real* to = lane(lanes[first + i]);
        for (std::size_t f = 0; f < d; ++f) to[f] = from[f * kRows<Real>];
      }
  }
};

// Calls use(first, count) for runs of at most so many groups.
template <typename Real, typename Use>
void in_batches(std::size_t lanes, std::size_t groups, Use use) {
  const std::size_t most = groups * kRows<Real>;
  for (std::size_t first = 0; first < lanes; first += most)
    use(first, std::min(most, lanes - first));
}

// Some arrangements on some rows. The lanes of arrangement i are i · count … (i + 1) · count − 1;
// those of the order certified itself, from which the others are forked, come last.
template <typename Real>
class Job {
 public:
  Job(const Chain<Real>& chain, const Rows& rows,
      const std::vector<const Arrangement*>& arrangements, const std::size_t* numbers,
      std::size_t count, const Threads& threads)
      : chain_(chain),
        rows_(rows),
        threads_(threads),
        arrangements_(arrangements),
        numbers_(numbers),
        count_(count),
        own_(arrangements.size() * count),
        lanes_{chain.d(), std::vector<Real>((own_ + count) * chain.d())} {
    for (const Arrangement* arrangement : arrangements)
      change_.push_back(arrangement->first_change());
    for (std::size_t r = 0; r < count; ++r)
      chain.enter(rows.features.row(numbers[r]), lanes_.lane(own_ + r), 1);
  }

  std::vector<Errors> run() {
    const std::size_t blocks = chain_.blocks(),
                      last_fork = *std::max_element(change_.begin(), change_.end());
    for (std::size_t place = 0; place < blocks; ++place) {
      fork(place);
      std::vector<Step> steps;
      for (std::size_t i = 0; i < arrangements_.size(); ++i)
        if (change_[i] <= place)
          add(arrangements_[i]->in[place], arrangements_[i]->out[place], i * count_, steps);
      if (place < last_fork) add(place, place, own_, steps);
      take(steps);
    }
    fork(blocks);
    return errors();
  }

  std::uint64_t work() const { return work_; }  // rows × blocks, vectors being full or not

 private:
  struct Step {
    std::size_t in, out, lane;
    bool operator<(const Step& other) const {
      return std::tie(in, out, lane) < std::tie(other.in, other.out, other.lane);
    }
  };

  void fork(std::size_t place) {
    for (std::size_t i = 0; i < arrangements_.size(); ++i)
      if (change_[i] == place)
        std::copy_n(lanes_.lane(own_), count_ * chain_.d(), lanes_.lane(i * count_));
  }

  void add(std::size_t in, std::size_t out, std::size_t first, std::vector<Step>& steps) const {
    for (std::size_t r = 0; r < count_; ++r) steps.push_back({in, out, first + r});
  }

  // Lanes with the same block ahead go together.
  void take(std::vector<Step>& steps) {
    std::sort(steps.begin(), steps.end());
    std::vector<std::size_t> together;
    for (std::size_t from = 0, to = 0; from < steps.size(); from = to) {
      const Step& step = steps[from];
      together.clear();
      for (; to < steps.size() && steps[to].in == step.in && steps[to].out == step.out; ++to)
        together.push_back(steps[to].lane);
      if (together.size() <= kApart) {
        threads_.check();
        for (std::size_t lane : together) chain_.step_one(step.in, step.out, lanes_.lane(lane));
        work_ += together.size();
        continue;
      }
      const std::size_t groups = chain_.groups_at_once(step.in, kGroupsAtOnce);
      in_batches<Real>(together.size(), groups, [&](std::size_t first, std::size_t some) {
        threads_.check();
        lanes_.pack(together.data() + first, some);
        chain_.step(step.in, step.out, lanes_.packed.data(), groups_of<Real>(some));
        lanes_.unpack(together.data() + first, some);
      });
      work_ += groups_of<Real>(together.size()) * kRows<Real>;
    }
  }

  std::vector<Errors> errors() {
    const std::size_t o = chain_.o();
    std::vector<Errors> errors(arrangements_.size());
    std::vector<Real> y(kGroupsAtOnce * kRows<Real> * o);
    std::vector<std::size_t> all(own_);
    std::iota(all.begin(), all.end(), std::size_t{0});
    in_batches<Real>(own_, kGroupsAtOnce, [&](std::size_t first, std::size_t some) {
      lanes_.pack(all.data() + first, some);
      chain_.head(lanes_.packed.data(), y.data(), groups_of<Real>(some));
      for (std::size_t i = 0; i < some; ++i) {
        const float* target = rows_.target.row(numbers_[(first + i) % count_]);
        for (std::size_t k = 0; k < o; ++k)
          errors[(first + i) / count_].add(
              double{y[(i / kRows<Real> * o + k) * kRows<Real> + i % kRows<Real>]} -
              double{target[k]});
      }
    });
    return errors;
  }

  const Chain<Real>& chain_;
  const Rows& rows_;
  const Threads& threads_;
  const std::vector<const Arrangement*>& arrangements_;
  const std::size_t* numbers_;
  std::size_t count_, own_;
  Lanes<Real> lanes_;
  std::vector<std::size_t> change_;  // the first place at which each arrangement differs
  std::uint64_t work_ = 0;
};

}  // namespace

Field::Field(const Puzzle& puzzle, const std::vector<int>& permutation, Threads& threads)
    : rows_(puzzle.rows),
      chain_(puzzle, permutation, threads),
      quick_chain_(puzzle, permutation, threads),
      threads_(threads) {}

double Field::passes() const {
  return static_cast<double>(work_) / static_cast<double>(blocks() * rows());
}

std::vector<std::vector<Errors>> Field::run(const std::vector<Arrangement>& arrangements,
                                            const Places& rows, std::size_t rows_at_a_time,
                                            Precision precision) {
  // Neighbours in this order fork at about the same place.
  std::vector<std::size_t> by_change(arrangements.size()), change;
  for (const Arrangement& arrangement : arrangements) change.push_back(arrangement.first_change());
  std::iota(by_change.begin(), by_change.end(), std::size_t{0});
  std::stable_sort(by_change.begin(), by_change.end(),
                   [&](std::size_t a, std::size_t b) { return change[a] < change[b]; });

  const std::size_t parts = (rows.size() + rows_at_a_time - 1) / rows_at_a_time,
                    some = std::max<std::size_t>(1, kLanes / rows_at_a_time),
                    jobs = (arrangements.size() + some - 1) / some;
  std::vector<std::vector<Errors>> errors(parts, std::vector<Errors>(arrangements.size()));
  threads_.run(parts * jobs, [&](std::size_t job, unsigned) {
    const std::size_t p = job / jobs, first = job % jobs * some,
                      last = std::min(first + some, arrangements.size());
    std::vector<const Arrangement*> mine;
    for (std::size_t i = first; i < last; ++i) mine.push_back(&arrangements[by_change[i]]);
    const std::size_t from = p * rows_at_a_time;
    const std::size_t count = std::min(rows_at_a_time, rows.size() - from);
    const auto found = precision == Precision::quick
                           ? part(quick_chain_, mine, rows.data() + from, count)
                           : part(chain_, mine, rows.data() + from, count);
    for (std::size_t i = first; i < last; ++i) errors[p][by_change[i]] = found[i - first];
  });
  return errors;
}

std::vector<Errors> Field::total(const std::vector<Arrangement>& arrangements, const Places& rows) {
  std::vector<Errors> sums(arrangements.size());
  for (const auto& part : run(arrangements, rows, std::min(kRowsAtOnce, rows.size())))
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(part[i]);
  return sums;
}

template <typename Real>
std::vector<Errors> Field::part(const Chain<Real>& chain,
                                const std::vector<const Arrangement*>& arrangements,
                                const std::size_t* rows, std::size_t count) {
  Job<Real> job(chain, rows_, arrangements, rows, count, threads_);
  std::vector<Errors> errors = job.run();
  // A pass is one of float64.
  work_ += job.work() * sizeof(Real) / sizeof(double);
  return errors;
}

}  // namespace humpty::verifier
