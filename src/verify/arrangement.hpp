// Which pieces run where, told from the order certified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::verifier {

// What runs at each place: whose W_in and whose W_out, by their places in the order certified.
struct Arrangement {
  explicit Arrangement(std::size_t blocks);             // the order certified
  Arrangement(const Rival& rival, std::size_t blocks);  // a change away from it
  std::size_t first_change() const;  // the first place that differs; how many there are, if none
  Rival as_window() const;           // from the first place that differs to the last
  Rival as_rival() const;            // of the plainest kind that it is; for a few blocks

  bool operator==(const Arrangement&) const = default;
  bool operator<(const Arrangement& other) const {
    return std::tie(in, out) < std::tie(other.in, other.out);
  }

  std::vector<std::uint32_t> in, out;
};

}  // namespace humpty::verifier
