// How a search came to an order: told with the order it led to, and with no other.
#pragma once

#include "humpty/humpty.hpp"

namespace humpty::strategy {

struct Way {
  std::string seed;  // what it started from, in words
  double seed_mse = 0;
  std::vector<int> seed_order = {};  // expand ids; none where it starts from nothing
  std::optional<BradleyTerry> bradley_terry = {};
  std::vector<Round> rounds = {};
};

}  // namespace humpty::strategy
