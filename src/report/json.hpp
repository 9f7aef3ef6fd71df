// JSON as every report writes it.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"

namespace humpty::report {

using Json = nlohmann::ordered_json;

Json number(double value);  // null where it is infinite or not a number
Json numbers(const std::vector<double>& values);

Json solution_json(const Solution& solution, const Puzzle& puzzle);
Json salvaged_json(const Salvaged& salvaged);  // that, and "salvage"

}  // namespace humpty::report
