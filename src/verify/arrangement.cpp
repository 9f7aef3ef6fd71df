#include "verify/arrangement.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace humpty {
namespace verifier {
namespace {

using Kind = Rival::Kind;
using Places = std::vector<std::uint32_t>;

void change(const Rival& rival, Places& places) {
  const auto at = [&](std::size_t place) { return places.begin() + std::ptrdiff_t(place); };
  switch (rival.kind) {
    case Kind::swap:
    case Kind::exchange_in:
    case Kind::exchange_out:
      std::swap(places[rival.a], places[rival.b]);
      return;
    case Kind::insertion:
      if (rival.a < rival.b)
        std::rotate(at(rival.a), at(rival.a) + 1, at(rival.b) + 1);
      else
        std::rotate(at(rival.b), at(rival.a), at(rival.a) + 1);
      return;
    case Kind::segments:
      std::rotate(at(rival.a), at(rival.b), at(rival.c));
      return;
    case Kind::reversal:
      std::reverse(at(rival.a), at(rival.b) + 1);
      return;
    case Kind::cycle_in:
    case Kind::cycle_out: {
      const std::uint32_t last = places[rival.c];
      places[rival.c] = places[rival.b];
      places[rival.b] = places[rival.a];
      places[rival.a] = last;
      return;
    }
    case Kind::window:
      return;
  }
}

void rearrange(std::size_t first, const std::vector<std::size_t>& window, Places& places) {
  for (std::size_t i = 0; i < window.size(); ++i)
    places[first + i] = std::uint32_t(first + window[i]);
}

bool is_of_expand_only(Kind kind) { return kind == Kind::exchange_in || kind == Kind::cycle_in; }
bool is_of_contract_only(Kind kind) {
  return kind == Kind::exchange_out || kind == Kind::cycle_out;
}

}  // namespace

Arrangement::Arrangement(std::size_t blocks) : in(blocks), out(blocks) {
  std::iota(in.begin(), in.end(), 0u);
  std::iota(out.begin(), out.end(), 0u);
}

Arrangement::Arrangement(const Rival& rival, std::size_t blocks) : Arrangement(blocks) {
  if (!is_of_contract_only(rival.kind)) change(rival, in);
  if (!is_of_expand_only(rival.kind)) change(rival, out);
  rearrange(rival.a, rival.expand, in);
  rearrange(rival.a, rival.contract, out);
}

std::size_t Arrangement::first_change() const {
  std::size_t place = 0;
  while (place < in.size() && in[place] == place && out[place] == place) ++place;
  return place;
}

Rival Arrangement::as_window() const {
  std::size_t end = in.size();
  while (end > 0 && in[end - 1] == end - 1 && out[end - 1] == end - 1) --end;
  Rival rival{Kind::window, std::min(first_change(), end)};
  rival.b = std::max(end, rival.a + 1) - 1;
  for (std::size_t place = rival.a; place < end; ++place) {
    rival.expand.push_back(in[place] - rival.a);
    rival.contract.push_back(out[place] - rival.a);
  }
  return rival;
}

Rival Arrangement::as_rival() const {
  for (Kind kind : {Kind::swap, Kind::insertion, Kind::exchange_in, Kind::exchange_out})
    for (std::size_t a = 0; a < in.size(); ++a)
      for (std::size_t b = 0; b < in.size(); ++b)
        if (const Rival rival{kind, a, b}; a != b && *this == Arrangement(rival, in.size()))
          return rival;
  return as_window();
}

}  // namespace verifier

namespace {

// "block 3", "blocks 3 to 5": the places from first to last − 1, counted from 1.
std::string run_text(std::size_t first, std::size_t last) {
  return last - first == 1 ? fmt::format("block {}", last)
                           : fmt::format("blocks {} to {}", first + 1, last);
}

std::string window_text(const Rival& rival) {
  const auto numbers = [&](std::vector<std::size_t> places) {
    for (std::size_t& place : places) place += rival.a + 1;
    return fmt::format("{}", fmt::join(places, " "));
  };
  const std::string where = run_text(rival.a, rival.a + rival.expand.size());
  if (rival.expand == rival.contract)
    return fmt::format("running {} in the order {}", where, numbers(rival.expand));
  return fmt::format("running {} with W_in {} and W_out {}", where, numbers(rival.expand),
                     numbers(rival.contract));
}

}  // namespace

std::string text(const Rival& rival) {
  const std::size_t a = rival.a + 1, b = rival.b + 1, c = rival.c + 1;
  switch (rival.kind) {
    case Rival::Kind::swap:
      return fmt::format("exchanging blocks {} and {}", a, b);
    case Rival::Kind::insertion:
      return fmt::format("moving block {} to place {}", a, b);
    case Rival::Kind::exchange_out:
      return fmt::format("exchanging W_out of blocks {} and {}", a, b);
    case Rival::Kind::exchange_in:
      return fmt::format("exchanging W_in of blocks {} and {}", a, b);
    case Rival::Kind::segments:
      return fmt::format("running {} after {}", run_text(rival.a, rival.b),
                         run_text(rival.b, rival.c));
    case Rival::Kind::reversal:
      return fmt::format("running blocks {} to {} in reverse", a, b);
    case Rival::Kind::cycle_out:
      return fmt::format("moving W_out of block {} to {}, of {} to {}, of {} to {}", a, b, b, c, c,
                         a);
    case Rival::Kind::cycle_in:
      return fmt::format("moving W_in of block {} to {}, of {} to {}, of {} to {}", a, b, b, c, c,
                         a);
    case Rival::Kind::window:
      return window_text(rival);
  }
  return "?";
}

namespace {

// Whether the change can be made to that many blocks.
bool fits(const Rival& rival, std::size_t blocks) {
  using Kind = Rival::Kind;
  const auto is_window = [&](const std::vector<std::size_t>& places) {
    std::vector<std::size_t> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != i) return false;
    return rival.a <= blocks && places.size() <= blocks - rival.a;
  };
  const bool three = rival.kind == Kind::cycle_in || rival.kind == Kind::cycle_out;
  if (rival.kind == Kind::segments)
    return rival.a < rival.b && rival.b < rival.c && rival.c <= blocks;
  if (rival.kind == Kind::reversal && rival.a > rival.b) return false;
  if (rival.kind == Kind::window) return is_window(rival.expand) && is_window(rival.contract);
  return rival.a < blocks && rival.b < blocks && (!three || rival.c < blocks);
}

}  // namespace

std::vector<int> after(const Rival& rival, std::vector<int> permutation) {
  const std::size_t first = first_block(permutation.size()), blocks = (permutation.size() - 1) / 2;
  if (!fits(rival, blocks))
    throw Error(ErrorCode::usage,
                fmt::format("no such change can be made: there are only {} blocks", blocks));
  const verifier::Arrangement arrangement(rival, blocks);
  const std::vector<int> before = permutation;
  for (std::size_t place = 0; place < blocks; ++place) {
    permutation[first + 2 * place] = before[first + 2 * arrangement.in[place]];
    permutation[first + 2 * place + 1] = before[first + 2 * arrangement.out[place] + 1];
  }
  return permutation;
}

}  // namespace humpty
