// Names with numbers in them, read as people read them: piece_9 before piece_10.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace humpty::puzzle {

bool natural_less(std::string_view a, std::string_view b);

// The last run of digits in a name: 12 in "piece_12" and in "v2-piece_12b". Nothing where there is
// none, or where it does not fit an int.
std::optional<int> last_number(std::string_view name);

}  // namespace humpty::puzzle
