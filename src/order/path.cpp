// The shortest Hamiltonian path. To kFew points by dynamic programming over subsets (Held and Karp,
// 1962): 2ⁿ · n² steps, and proven. Beyond that by local search from several starts: the nearest
// neighbour again and again, then reversals of runs (2-opt) and moves of runs of one to three
// points, either way round (or-opt), until none of them shortens the path. Points along a curve
// leave that search little to go wrong; the starts are the points farthest from all others, because
// the ends of a curve are among them, and because that choice does not depend on how the points are
// numbered.
#include "order/path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "order/seeds.hpp"

namespace humpty::order {
namespace {

constexpr std::size_t kFew = 12;     // points: four thousand subsets
constexpr std::size_t kStarts = 16;  // of the local search
constexpr std::size_t kRun = 3;      // points that move together
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double length_of(const Distances& distances, const Order& order) {
  double length = 0;
  for (std::size_t i = 1; i < order.size(); ++i) length += distances(order[i - 1], order[i]);
  return length;
}

// The shortest path through the points of a set that ends in one of them, and the point before.
struct Ending {
  double length = kInfinity;
  std::size_t before = 0;
};

Order by_subsets(const Distances& distances) {
  const std::size_t n = distances.size, sets = std::size_t{1} << n;
  std::vector<Ending> endings(sets * n);
  for (std::size_t end = 0; end < n; ++end) endings[(std::size_t{1} << end) * n + end].length = 0;
  for (std::size_t set = 1; set < sets; ++set)
    for (std::size_t end = 0; end < n; ++end) {
      const double length = endings[set * n + end].length;
      if (length == kInfinity) continue;
      for (std::size_t next = 0; next < n; ++next) {
        if (set >> next & 1) continue;
        Ending& longer = endings[(set | std::size_t{1} << next) * n + next];
        if (length + distances(end, next) < longer.length)
          longer = {length + distances(end, next), end};
      }
    }
  std::size_t set = sets - 1, end = 0;
  for (std::size_t other = 1; other < n; ++other)
    if (endings[set * n + other].length < endings[set * n + end].length) end = other;
  Order order;
  while (order.size() < n) {
    order.push_back(end);
    const std::size_t before = endings[set * n + end].before;
    set ^= std::size_t{1} << end;
    end = before;
  }
  return order;
}

Order nearest_first(const Distances& distances, std::size_t start) {
  Order order{start}, left;
  for (std::size_t point = 0; point < distances.size; ++point)
    if (point != start) left.push_back(point);
  while (!left.empty()) {
    const auto nearest =
        std::min_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
          return distances(order.back(), a) < distances(order.back(), b);
        });
    order.push_back(*nearest);
    left.erase(nearest);
  }
  return order;
}

// A path that is being shortened. Places −1 and n lie beyond its ends, where a step costs nothing.
class Shortening {
 public:
  Shortening(const Distances& distances, Order order)
      : distances_(distances),
        order_(std::move(order)),
        least_(1e-12 * length_of(distances, order_)) {}

  Order run(const Threads& threads) {
    while (reverse_runs() || move_runs()) threads.check();
    return order_;
  }

 private:
  using Place = std::ptrdiff_t;

  Place size() const { return static_cast<Place>(order_.size()); }
  auto at(Place place) { return order_.begin() + place; }
  double step(Place a, Place b) const {
    if (a < 0 || b < 0 || a >= size() || b >= size()) return 0;
    return distances_(order_[static_cast<std::size_t>(a)], order_[static_cast<std::size_t>(b)]);
  }

  bool reverse_runs() {
    bool shorter = false;
    for (Place first = 0; first < size(); ++first)
      for (Place last = first + 1; last < size(); ++last) {
        const double gain = step(first - 1, first) + step(last, last + 1) - step(first - 1, last) -
                            step(first, last + 1);
        if (!(gain > least_)) continue;
        std::reverse(at(first), at(last + 1));
        shorter = true;
      }
    return shorter;
  }

  bool move_runs() {
    bool shorter = false;
    for (Place run = 1; run <= Place{kRun}; ++run)
      for (Place first = 0; first + run <= size(); ++first) shorter |= move_run(first, run);
    return shorter;
  }

  // To the best place for it, between `to` and `to` + 1.
  bool move_run(Place first, Place run) {
    const Place last = first + run - 1;
    const double out = step(first - 1, first) + step(last, last + 1) - step(first - 1, last + 1);
    double best = least_;
    Place best_to = 0;
    bool best_turned = false;
    for (Place to = -1; to < size(); ++to) {
      if (to >= first - 1 && to <= last) continue;
      for (bool turned : {false, true}) {
        const double in = step(to, turned ? last : first) + step(turned ? first : last, to + 1) -
                          step(to, to + 1);
        if (!(out - in > best)) continue;
        best = out - in;
        best_to = to;
        best_turned = turned;
      }
    }
    if (!(best > least_)) return false;
    if (best_turned) std::reverse(at(first), at(last + 1));
    if (best_to < first)
      std::rotate(at(best_to + 1), at(first), at(last + 1));
    else
      std::rotate(at(first), at(last + 1), at(best_to + 1));
    return true;
  }

  const Distances& distances_;
  Order order_;
  double least_;  // that counts as shorter: less is rounding, and might go round in circles
};

// The points farthest from all others first.
Order outermost(const Distances& distances) {
  std::vector<double> nearness(distances.size);
  for (std::size_t a = 0; a < distances.size; ++a)
    for (std::size_t b = 0; b < distances.size; ++b) nearness[a] -= distances(a, b);
  return ascending(nearness);
}

Order by_local_search(const Distances& distances, Threads& threads) {
  const Order starts = outermost(distances);
  std::vector<Order> found(std::min(kStarts, starts.size()));
  threads.run(found.size(), [&](std::size_t k, unsigned) {
    found[k] = Shortening(distances, nearest_first(distances, starts[k])).run(threads);
  });
  return *std::min_element(found.begin(), found.end(), [&](const Order& a, const Order& b) {
    return length_of(distances, a) < length_of(distances, b);
  });
}

}  // namespace

Path shortest_path(const Distances& distances, Threads& threads) {
  Path path;
  path.proven = distances.size <= kFew;
  if (distances.empty()) return path;
  path.order = path.proven ? by_subsets(distances) : by_local_search(distances, threads);
  if (path.order.front() > path.order.back()) std::reverse(path.order.begin(), path.order.end());
  path.length = length_of(distances, path.order);
  return path;
}

double standing_out(const Distances& distances, const Path& path) {
  double sum = 0, square = 0, count = 0;
  for (std::size_t a = 0; a < distances.size; ++a)
    for (std::size_t b = 0; b < a; ++b, ++count) {
      sum += distances(a, b);
      square += distances(a, b) * distances(a, b);
    }
  if (count < 2) return 0;
  const double mean = sum / count, variance = square / count - mean * mean,
               steps = static_cast<double>(path.order.size() - 1);
  return variance > 0 ? (mean - path.length / steps) / std::sqrt(variance) : 0;
}

}  // namespace humpty::order
