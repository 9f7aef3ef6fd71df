// Shortest augmenting paths, O(n³): Jonker and Volgenant, "A shortest augmenting path algorithm for
// dense and sparse linear assignment problems" (1987), without their initialisation heuristics:
// those pay at thousands of rows, and n here is the number of blocks. Rows enter one at a time;
// each finds by Dijkstra over reduced costs the cheapest chain of re-assignments that frees a
// column. The potentials u, v keep all reduced costs cost(i,j) − u_i − v_j non-negative and zero on
// matched pairs, which is what proves the final match optimal.
#include "pair/assignment.hpp"

#include <limits>

namespace humpty::pair {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Solver {
  const std::vector<double>& score;
  std::size_t n;
  std::vector<double> u, v, distance;
  std::vector<std::size_t> row_of, before;  // per column; `before`: the column we came from
  std::vector<char> done;

  Solver(const std::vector<double>& scores, std::size_t size)
      : score(scores), n(size), u(n), v(n), distance(n), row_of(n, kNone), before(n), done(n) {}

  double reduced(std::size_t row, std::size_t column) const {
    return -score[row * n + column] - u[row] - v[column];
  }

  // One step of Dijkstra: relaxes the edges of `row`, reached at length `reached` through column
  // `from`, and gives the nearest column not yet done.
  std::size_t scan(std::size_t row, double reached, std::size_t from) {
    std::size_t nearest = kNone;
    for (std::size_t j = 0; j < n; ++j) {
      if (done[j]) continue;
      const double length = reached + reduced(row, j);
      if (length < distance[j]) {
        distance[j] = length;
        before[j] = from;
      }
      if (nearest == kNone || distance[j] < distance[nearest]) nearest = j;
    }
    return nearest;
  }

  void augment(std::size_t start) {
    distance.assign(n, kInfinity);
    done.assign(n, 0);
    std::size_t column = scan(start, 0, kNone);
    while (row_of[column] != kNone) {
      done[column] = 1;
      column = scan(row_of[column], distance[column], column);
    }
    const double total = distance[column];
    u[start] += total;
    for (std::size_t j = 0; j < n; ++j) {
      if (!done[j]) continue;
      u[row_of[j]] += total - distance[j];
      v[j] -= total - distance[j];
    }
    for (; before[column] != kNone; column = before[column])
      row_of[column] = row_of[before[column]];
    row_of[column] = start;
  }
};

}  // namespace

std::vector<std::size_t> assign(const std::vector<double>& score, std::size_t n) {
  Solver solver(score, n);
  for (std::size_t row = 0; row < n; ++row) solver.augment(row);
  std::vector<std::size_t> match(n);
  for (std::size_t column = 0; column < n; ++column) match[solver.row_of[column]] = column;
  return match;
}

}  // namespace humpty::pair
