// Depth first over the places: every expand piece that is left, with every contract piece that is
// left and fits. The state of each place is kept, so arrangements that begin alike share what they
// have in common, and the hidden units are computed once for all contract pieces: of n blocks the
// last two places make up nearly all of the work, (n!)² of each. One tile of rows has to do. With
// enough rows the right arrangement is the only one at the floor there; with few, no search by
// steps gets anywhere, because an error on five rows has no slope that means anything, and looking
// at all is the only way.
#include "order/exhaust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace humpty::order {
namespace {

using net::kTileRows;

void keep_best(Chain chain, std::size_t count, std::vector<Chain>& best) {
  const auto after =
      std::upper_bound(best.begin(), best.end(), chain,
                       [](const Chain& a, const Chain& b) { return a.error < b.error; });
  best.insert(after, std::move(chain));
  if (best.size() > count) best.pop_back();
}

class Visitor {
 public:
  Visitor(const net::Net& net, const net::Batch& batch, Partners partners, std::size_t count,
          const Threads& threads)
      : net_(net),
        batch_(batch),
        partners_(partners),
        count_(count),
        threads_(threads),
        states_(net::floats((net.blocks() + 1) * state_size())),
        hidden_(net::floats(net.blocks() * hidden_size())),
        answer_(net::floats(net.o() * kTileRows)),
        in_used_(net.blocks()),
        out_used_(net.blocks()) {
    std::copy_n(batch.features(0), state_size(), states_.get());
  }

  // All arrangements that begin with this expand piece.
  void begin_with(std::size_t in) { put(in); }

  std::vector<Chain> take() { return std::move(best_); }

 private:
  std::size_t state_size() const { return net_.d() * kTileRows; }
  std::size_t hidden_size() const { return net_.hidden() * kTileRows; }
  float* state(std::size_t place) { return states_.get() + place * state_size(); }

  bool fits(std::size_t in, std::size_t out) const {
    return !out_used_[out] &&
           (partners_ == Partners::any ? net_.hidden(in) == net_.hidden(out) : in == out);
  }

  // The expand piece at the next place, with every contract piece that fits.
  void put(std::size_t in) {
    const std::size_t place = chain_.size();
    float* hidden = hidden_.get() + place * hidden_size();
    threads_.check();
    net_.answers(in, state(place), hidden);
    in_used_[in] = 1;
    for (std::size_t out = 0; out < net_.blocks(); ++out) {
      if (!fits(in, out)) continue;
      net_.add_answers(out, hidden, state(place), state(place + 1));
      out_used_[out] = 1;
      chain_.push_back({in, out});
      go_on();
      chain_.pop_back();
      out_used_[out] = 0;
    }
    in_used_[in] = 0;
  }

  void go_on() {
    if (chain_.size() == net_.blocks()) return finish();
    for (std::size_t in = 0; in < net_.blocks(); ++in)
      if (!in_used_[in]) put(in);
  }

  void finish() {
    double squares[kTileRows];
    net_.head(state(chain_.size()), answer_.get());
    const double sum =
        net::squared_errors(answer_.get(), batch_.target(0), net_.o(), batch_.rows_in(0), squares);
    const double error = sum / static_cast<double>(batch_.rows_in(0) * net_.o());
    if (std::isnan(error) || (best_.size() == count_ && !(error < best_.back().error))) return;
    keep_best({chain_, error}, count_, best_);
  }

  const net::Net& net_;
  const net::Batch& batch_;
  Partners partners_;
  std::size_t count_;
  const Threads& threads_;
  net::Floats states_, hidden_, answer_;
  std::vector<char> in_used_, out_used_;
  std::vector<net::Candidate> chain_;
  std::vector<Chain> best_;
};

}  // namespace

double cost_of_all(std::size_t blocks, std::size_t h, std::size_t d, Partners partners) {
  const double layer = 2.0 * kTileRows * static_cast<double>(h * d);
  double cost = 0, begun = 1;  // arrangements of the places so far
  for (auto left = static_cast<double>(blocks); left > 0; --left) {
    const double choices = partners == Partners::any ? left : 1;
    cost += begun * left * (1 + choices) * layer;
    begun *= left * choices;
  }
  return cost;
}

std::vector<Chain> best_of_all(const net::Net& net, const net::Batch& batch, Partners partners,
                               std::size_t count, Threads& threads) {
  std::vector<std::vector<Chain>> found(net.blocks());
  threads.run(net.blocks(), [&](std::size_t in, unsigned) {
    Visitor visitor(net, batch, partners, count, threads);
    visitor.begin_with(in);
    found[in] = visitor.take();
  });
  std::vector<Chain> best;
  for (std::vector<Chain>& some : found)
    for (Chain& chain : some) keep_best(std::move(chain), count, best);
  return best;
}

}  // namespace humpty::order
