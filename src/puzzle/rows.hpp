// From a table to rows: which columns are features, which are the target.
#pragma once

#include <string>

#include "humpty/humpty.hpp"
#include "io/csv.hpp"

namespace humpty::puzzle {

// `target` names a column, or the stem of several: pred, or pred_0, pred_1, …. The columns named
// pred and true (and pred_0 …, true_0 …) are never features; all others are, in the order of the
// numbers in their names where these are distinct, otherwise as they stand in the file.
Rows to_rows(const io::Table& table, const std::string& target);

// The same where the target may be missing: it then has no columns.
Rows to_features(const io::Table& table, const std::string& target);

}  // namespace humpty::puzzle
