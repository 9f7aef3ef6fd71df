// Ambiguous: how many arrangements explain the rows, and which pieces make the difference?
//
// Two kinds of freedom are told apart. Pieces can be interchangeable: copies, twins closer than the
// rounding, halves of blocks that do nothing. The surviving exchanges of two W_in, and of two
// W_out, join such pieces into classes, and blocks of the same classes are of the same kind. And
// blocks of different kinds can commute. Which of them do is found by testing: at first every block
// is taken to depend on all before it; wherever one directly follows another in that partial order
// (there is then a sequence in which they are neighbours) their exchange is tried, and if the rows
// do not mind, the dependence is struck out, which makes others direct; until all direct ones have
// been tried. This is Mazurkiewicz's theory of traces: the arrangements that remain are the
// sequences that respect the partial order, blocks of one kind keeping their order, times the
// factorial of each class's size.
//
// Counting the sequences is hard in general and easy where the order falls apart: into parts that
// come one after the other (multiply) or have nothing to do with each other (multiply, and the ways
// to merge them). What falls apart no further is counted over its sets of blocks that can come
// first. Some arrangements are drawn from all that are claimed and checked on all rows; if one
// fails, the count is that of the survivors alone. Either way it is a bound: of 6,000 tiny nets,
// most made to mislead, it was too small for 116, so only trying all arrangements says how many
// remain.
#include "verify/freedom.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/random.hpp"

namespace humpty::verifier {
namespace {

using Kind = Rival::Kind;
using Blocks = std::vector<std::size_t>;

constexpr std::size_t kTestRows = 512;  // for the exchange of two blocks
constexpr std::size_t kDrawn = 4;       // arrangements checked on all rows
constexpr std::size_t kMostSets = 200000;
constexpr std::size_t kMostTests = 4000;

// label[i] of i: the least member of its class.
std::vector<std::size_t> classes(const Trial::Found& found, Kind kind, std::size_t blocks) {
  std::vector<std::size_t> label(blocks);
  std::iota(label.begin(), label.end(), std::size_t{0});
  for (std::size_t i = 0; i < found.rivals.size(); ++i) {
    const Rival& rival = found.rivals[i];
    if (found.refuted[i] || rival.kind != kind) continue;
    const auto [low, high] = std::minmax(label[rival.a], label[rival.b]);
    for (std::size_t& each : label)
      if (each == high) each = low;
  }
  return label;
}

std::vector<std::vector<int>> members(const std::vector<std::size_t>& label,
                                      const std::vector<int>& permutation, std::size_t side) {
  std::map<std::size_t, std::vector<int>> by_label;
  for (std::size_t place = 0; place < label.size(); ++place)
    by_label[label[place]].push_back(permutation[2 * place + side]);
  std::vector<std::vector<int>> result;
  for (auto& [each, ids] : by_label) {
    std::sort(ids.begin(), ids.end());
    if (ids.size() > 1) result.push_back(std::move(ids));
  }
  return result;
}

Before closure(Before before) {
  const std::size_t n = before.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      if (before[i][k])
        for (std::size_t j = 0; j < n; ++j) before[i][j] |= before[k][j];
  return before;
}

// ---- counting

// Parts of `blocks` that are connected by `joined`.
template <typename Joined>
std::vector<Blocks> parts(const Blocks& blocks, Joined joined) {
  std::vector<Blocks> result;
  std::set<std::size_t> left(blocks.begin(), blocks.end());
  while (!left.empty()) {
    Blocks part{*left.begin()};
    left.erase(left.begin());
    for (std::size_t i = 0; i < part.size(); ++i)
      for (auto it = left.begin(); it != left.end();)
        if (joined(part[i], *it))
          part.push_back(*it), it = left.erase(it);
        else
          ++it;
    result.push_back(std::move(part));
  }
  return result;
}

// Over the sets of blocks that can come first, one block more at a time.
std::optional<double> log_by_sets(const Before& before, const Blocks& blocks) {
  if (blocks.size() > 64) return std::nullopt;
  std::vector<std::uint64_t> needs(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t j = 0; j < blocks.size(); ++j)
      if (before[blocks[j]][blocks[i]]) needs[i] |= std::uint64_t{1} << j;
  std::unordered_map<std::uint64_t, double> ways{{0, 1.0}};
  std::size_t sets = 0;
  for (std::size_t step = 0; step < blocks.size(); ++step) {
    std::unordered_map<std::uint64_t, double> next;
    for (const auto& [set, count] : ways)
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        if (!(set & bit) && (needs[i] & ~set) == 0) next[set | bit] += count;
      }
    if ((sets += next.size()) > kMostSets) return std::nullopt;
    ways = std::move(next);
  }
  return std::log(ways.begin()->second);
}

std::optional<double> log_count(const Before& before, const Blocks& blocks) {
  if (blocks.size() <= 1) return 0;
  const auto comparable = [&](std::size_t a, std::size_t b) {
    return before[a][b] || before[b][a];
  };
  const auto series =
      parts(blocks, [&](std::size_t a, std::size_t b) { return !comparable(a, b); });
  const auto parallel = series.size() > 1 ? std::vector<Blocks>{} : parts(blocks, comparable);
  if (series.size() == 1 && parallel.size() == 1) return log_by_sets(before, blocks);
  double sum = parallel.empty() ? 0 : std::lgamma(double(blocks.size()) + 1);
  for (const Blocks& part : parallel.empty() ? series : parallel) {
    const auto count = log_count(before, part);
    if (!count) return std::nullopt;
    sum += *count - (parallel.empty() ? 0 : std::lgamma(double(part.size()) + 1));
  }
  return sum;
}

double log_factorials(const std::vector<std::size_t>& label) {
  std::map<std::size_t, std::size_t> sizes;
  for (std::size_t each : label) ++sizes[each];
  double sum = 0;
  for (const auto& [each, size] : sizes) sum += std::lgamma(double(size) + 1);
  return sum;
}

// ---- finding the partial order

class Search {
 public:
  const std::vector<std::size_t> in, out;  // classes of the places' pieces
  Before before;                           // as far as it is known

  Search(Field& field, const Floor& floor, const Trial::Found& found, Watch& watch)
      : in(classes(found, Kind::exchange_in, field.blocks())),
        out(classes(found, Kind::exchange_out, field.blocks())),
        field_(field),
        floor_(floor),
        watch_(watch),
        n_(field.blocks()),
        depends_(n_, std::vector<char>(n_)),
        tested_(n_, std::vector<char>(n_)) {
    for (std::size_t x = 0; x < n_; ++x)
      for (std::size_t y = x + 1; y < n_; ++y) {
        depends_[x][y] = 1;
        tested_[x][y] = same_kind(x, y);
      }
    for (std::size_t i = 0; i < found.rivals.size(); ++i) {
      const Rival& rival = found.rivals[i];
      if (rival.kind != Kind::swap || rival.b != rival.a + 1 || same_kind(rival.a, rival.b))
        continue;
      tested_[rival.a][rival.b] = 1;
      depends_[rival.a][rival.b] = found.refuted[i];
    }
  }

  // Until every direct dependence was tried, or too many.
  void run() {
    std::size_t tests = 0;
    for (;;) {
      before = closure(depends_);
      std::vector<std::pair<std::size_t, std::size_t>> direct;
      std::vector<Arrangement> exchanged;
      for (std::size_t x = 0; x < n_; ++x)
        for (std::size_t y = x + 1; y < n_; ++y)
          if (before[x][y] && !tested_[x][y] && follows_directly(x, y)) {
            direct.emplace_back(x, y);
            exchanged.push_back(of_sequence(neighbours(y, x)));
          }
      if (direct.empty()) return;
      if ((tests += direct.size()) > kMostTests || !watch_.go_on("verify", -1, "what commutes"))
        return;
      const auto explained = explaining(exchanged, kTestRows, floor_, field_);
      for (std::size_t i = 0; i < direct.size(); ++i) {
        const auto [x, y] = direct[i];
        tested_[x][y] = 1;
        depends_[x][y] = !explained[i].has_value();
      }
    }
  }

  bool same_kind(std::size_t x, std::size_t y) const { return in[x] == in[y] && out[x] == out[y]; }

  // Is this arrangement among those claimed?
  bool covers(const Arrangement& arrangement) const {
    std::vector<char> used(n_);
    Blocks sequence;
    for (std::size_t place = 0; place < n_; ++place) {
      std::size_t block = 0;
      while (block < n_ && (used[block] || in[block] != in[arrangement.in[place]] ||
                            out[block] != out[arrangement.out[place]]))
        ++block;
      if (block == n_) return false;
      used[block] = 1;
      for (std::size_t earlier : sequence)
        if (before[block][earlier]) return false;
      sequence.push_back(block);
    }
    return true;
  }

  Arrangement draw(Random& random) const {
    Blocks sequence;
    std::vector<char> used(n_);
    while (sequence.size() < n_) {
      Blocks ready;
      for (std::size_t x = 0; x < n_; ++x) {
        bool free = !used[x];
        for (std::size_t y = 0; free && y < n_; ++y) free = used[y] || !before[y][x];
        if (free) ready.push_back(x);
      }
      sequence.push_back(ready[random.index(ready.size())]);
      used[sequence.back()] = 1;
    }
    Arrangement result = of_sequence(sequence);
    shuffle_classes(in, result.in, random);
    shuffle_classes(out, result.out, random);
    return result;
  }

 private:
  bool follows_directly(std::size_t x, std::size_t y) const {
    for (std::size_t k = 0; k < n_; ++k)
      if (before[x][k] && before[k][y]) return false;
    return true;
  }

  // A sequence that respects the order in which `first` and `second`, the one directly after the
  // other, are neighbours: all that must precede either, then the two, then the rest. The two are
  // given the wrong way round here.
  Blocks neighbours(std::size_t first, std::size_t second) const {
    Blocks sequence, rest;
    for (std::size_t x = 0; x < n_; ++x) {
      if (x == first || x == second) continue;
      (before[x][first] || before[x][second] ? sequence : rest).push_back(x);
    }
    sequence.insert(sequence.end(), {first, second});
    sequence.insert(sequence.end(), rest.begin(), rest.end());
    return sequence;
  }

  static Arrangement of_sequence(const Blocks& sequence) {
    Arrangement arrangement(sequence.size());
    for (std::size_t place = 0; place < sequence.size(); ++place)
      arrangement.in[place] = arrangement.out[place] = std::uint32_t(sequence[place]);
    return arrangement;
  }

  static void shuffle_classes(const std::vector<std::size_t>& label,
                              std::vector<std::uint32_t>& pieces, Random& random) {
    std::map<std::size_t, std::vector<std::uint32_t>> by_label;
    for (std::uint32_t piece : pieces) by_label[label[piece]].push_back(piece);
    for (auto& [each, some] : by_label) random.shuffle(some);
    for (std::uint32_t& piece : pieces) {
      auto& some = by_label[label[piece]];
      piece = some.back();
      some.pop_back();
    }
  }

  Field& field_;
  const Floor& floor_;
  Watch& watch_;
  std::size_t n_;
  Before depends_, tested_;
};

}  // namespace

void set_count(double log_permutations, Freedom& freedom) {
  constexpr double kExactly = 9e15;  // what a double counts without a gap
  freedom.log10_permutations = log_permutations / std::log(10);
  const double count = std::exp(log_permutations);
  freedom.permutations = count < kExactly
                             ? fmt::format("{:.0f}", std::round(count))
                             : fmt::format("about 10^{:.1f}", freedom.log10_permutations);
}

std::optional<double> log_sequences(const Before& before) {
  Blocks all(before.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return log_count(before, all);
}

Freedom find_freedom(Field& field, const Floor& floor, const std::vector<int>& permutation,
                     const Trial::Found& found, Larger& larger, Watch& watch) {
  Freedom freedom;
  Search search(field, floor, found, watch);
  search.run();
  std::vector<Arrangement> survivors, drawn;
  for (std::size_t i = 0; i < found.rivals.size(); ++i)
    if (!found.refuted[i]) survivors.emplace_back(found.rivals[i], field.blocks());
  std::erase_if(larger.left, [&](const Rival& rival) {
    return search.covers(Arrangement(rival, field.blocks()));
  });
  Random random(1);
  for (std::size_t i = 0; i < kDrawn; ++i) drawn.push_back(search.draw(random));
  const auto good = explaining(drawn, field.rows(), floor, field);
  const bool right =
      std::all_of(good.begin(), good.end(), [](const auto& each) { return each.has_value(); });
  const std::optional<double> sequences = log_sequences(search.before);
  freedom.at_least = true;
  set_count(right ? sequences.value_or(0) + log_factorials(search.in) + log_factorials(search.out)
                  : std::log1p(double(survivors.size())),
            freedom);
  freedom.expand = members(search.in, permutation, 0);
  freedom.contract = members(search.out, permutation, 1);
  for (std::size_t x = 0; x < field.blocks(); ++x)
    for (std::size_t y = x + 1; y < field.blocks(); ++y)
      if (!search.before[x][y] && !search.same_kind(x, y))
        freedom.unordered.emplace_back(permutation[2 * x], permutation[2 * y]);
  return freedom;
}

}  // namespace humpty::verifier
