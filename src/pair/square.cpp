// Where h = d and the second moments do not tell the roles (puzzle/square_roles.cpp), the tie
// between the two sides of a unit still may: it is the same form for all blocks, learnt also from
// blocks whose roles their shapes tell. So square pieces stand on both sides, in both roles. Half
// of their pairs are nonsense by construction and only add noise. Then a perfect matching of the
// square pieces, each pair the way round that scores better: greedily, then by exchanges of
// partners between two pairs until none helps (the exact algorithm is long, and scores are far from
// exact).
#include "pair/square.hpp"

#include <algorithm>
#include <limits>

namespace humpty::pair {
namespace {

bool square(const Piece* piece) { return piece->weight.rows == piece->weight.cols; }

std::vector<const Piece*> squares(const std::vector<const Piece*>& pieces) {
  std::vector<const Piece*> found;
  std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(found), square);
  return found;
}

// All square pieces, those that stood as expand pieces first.
std::vector<const Piece*> all_squares(const Sides& sides) {
  std::vector<const Piece*> all = squares(sides.expand);
  const std::vector<const Piece*> more = squares(sides.contract);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<const Piece*> with_squares(const std::vector<const Piece*>& pieces,
                                       const std::vector<const Piece*>& all) {
  std::vector<const Piece*> result;
  std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(result),
               [](const Piece* piece) { return !square(piece); });
  result.insert(result.end(), all.begin(), all.end());
  return result;
}

class Matching {
 public:
  Matching(const Table& table, std::size_t first, std::size_t count, std::size_t n)
      : table_(table), first_(first), n_(n), partner_(count) {
    greedy();
    while (exchange()) {
    }
  }
  std::size_t partner(std::size_t a) const { return partner_[a]; }
  bool expands(std::size_t a) const { return score(a, partner_[a]) >= score(partner_[a], a); }

 private:
  double score(std::size_t in, std::size_t out) const {
    return table_[(first_ + in) * n_ + first_ + out];
  }
  double weight(std::size_t a, std::size_t b) const { return std::max(score(a, b), score(b, a)); }

  void greedy() {
    std::vector<bool> taken(partner_.size());
    for (std::size_t made = 0; made < partner_.size(); made += 2) {
      double best = -std::numeric_limits<double>::infinity();
      std::size_t a = 0, b = 0;
      for (std::size_t i = 0; i < partner_.size(); ++i)
        for (std::size_t j = i + 1; j < partner_.size(); ++j)
          if (!taken[i] && !taken[j] && weight(i, j) > best) best = weight(i, j), a = i, b = j;
      join(a, b);
      taken[a] = taken[b] = true;
    }
  }

  void join(std::size_t a, std::size_t b) { partner_[a] = b, partner_[b] = a; }

  // One pass over all two pairs and their two other ways to pair; true if any was better.
  bool exchange() {
    bool better = false;
    for (std::size_t a = 0; a < partner_.size(); ++a)
      for (std::size_t c = 0; c < partner_.size(); ++c) {
        const std::size_t b = partner_[a], d = partner_[c];
        if (c == a || c == b) continue;
        const double now = weight(a, b) + weight(c, d);
        if (weight(a, c) + weight(b, d) <= now + 1e-9) continue;
        join(a, c);
        join(b, d);
        better = true;
      }
    return better;
  }

  const Table& table_;
  std::size_t first_, n_;
  std::vector<std::size_t> partner_;
};

void sort_by_id(std::vector<const Piece*>& pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece* a, const Piece* b) { return a->id < b->id; });
}

}  // namespace

Sides doubled(const Sides& sides) {
  const std::vector<const Piece*> all = all_squares(sides);
  return Sides(with_squares(sides.expand, all), with_squares(sides.contract, all), sides.head);
}

Sides oriented(const Sides& sides, const Table& doubled_scores) {
  const std::vector<const Piece*> all = all_squares(sides);
  std::vector<const Piece*> expand = with_squares(sides.expand, {}),
                            contract = with_squares(sides.contract, {});
  const Matching matching(doubled_scores, expand.size(), all.size(), expand.size() + all.size());
  for (std::size_t a = 0; a < all.size(); ++a)
    if (a < matching.partner(a)) {
      const std::size_t b = matching.partner(a);
      expand.push_back(all[matching.expands(a) ? a : b]);
      contract.push_back(all[matching.expands(a) ? b : a]);
    }
  sort_by_id(expand);
  sort_by_id(contract);
  return Sides(std::move(expand), std::move(contract), sides.head);
}

}  // namespace humpty::pair
