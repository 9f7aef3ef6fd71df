// Changes of three places: segments that change places, like pieces that are cycled.
#pragma once

#include <vector>

#include "base/watch.hpp"
#include "verify/field.hpp"
#include "verify/floor.hpp"

namespace humpty::verifier {

// Calls use(rival) for each of them. alike(a, b): the pieces of these places have one shape.
// Segments of one block are insertions, and those are rivals anyway.
template <typename Alike, typename Use>
void each_larger(std::size_t blocks, Alike alike, Use use) {
  const auto change = [&](Rival::Kind kind, std::size_t a, std::size_t b, std::size_t c) {
    Rival rival{kind, a, b};
    rival.c = c;
    use(std::move(rival));
  };
  for (std::size_t a = 0; a < blocks; ++a)
    for (std::size_t b = a + 2; b < blocks; ++b)
      for (std::size_t c = b + 2; c <= blocks; ++c) change(Rival::Kind::segments, a, b, c);
  for (std::size_t a = 0; a < blocks; ++a)
    for (std::size_t b = a + 1; b < blocks; ++b)
      for (std::size_t c = a + 1; c < blocks; ++c) {
        if (b == c || !alike(a, b) || !alike(a, c)) continue;
        change(Rival::Kind::cycle_in, a, b, c);
        change(Rival::Kind::cycle_out, a, b, c);
      }
}

// What a first look at them leaves.
struct Larger {
  std::size_t count = 0;     // how many there are
  std::size_t screened = 0;  // of these: estimated first, and run only where that was near
  std::vector<Rival> left;   // not refuted from afar
  bool complete = true;      // false: more are left than are listed
};

// `rows`: all of them, the most telling first. `quick`: by estimates where they are many.
Larger look_at_larger(Field& field, const Floor& floor, const Field::Places& rows, bool quick,
                      Watch& watch);

}  // namespace humpty::verifier
