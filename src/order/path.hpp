// The shortest way through a set of points.
#pragma once

#include "base/parallel.hpp"
#include "order/walk.hpp"

namespace humpty::order {

// Between any two of n points: (n, n), symmetric, zero on the diagonal.
struct Distances {
  std::size_t size = 0;
  std::vector<double> values = {};

  bool empty() const { return size == 0; }
  double operator()(std::size_t a, std::size_t b) const { return values[a * size + b]; }
};

struct Path {
  Order order;  // either way round: the one whose first point has the lower number
  double length = 0;
  bool proven = false;  // that none is shorter
};

// Visits every point once, from anywhere to anywhere.
Path shortest_path(const Distances& distances, Threads& threads);

// How far a path's steps lie below the distances between any two points, in their standard
// deviations: near zero where the points lie in a heap, large where they lie along a curve.
double standing_out(const Distances& distances, const Path& path);

}  // namespace humpty::order
