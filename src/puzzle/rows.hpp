// From a table or arrays to rows: which columns are features, which are the target.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "humpty/humpty.hpp"
#include "io/csv.hpp"
#include "io/read.hpp"

namespace humpty::puzzle {

// Arrays side by side as one table: x (rows × 3) gives x_0, x_1, x_2. Those with another number of
// rows than most values have are left out with a word in `notes`.
io::Table to_table(const io::Arrays& arrays, std::vector<std::string>& notes);

struct Data {
  io::Table table;
  bool arrays = false;  // made from arrays by name
};

// Any file of data.
Data read_data(const std::string& file, Threads& threads, std::vector<std::string>& notes,
               const io::Opened& opened = {});

struct Choice {
  std::string target = "pred", features = {};  // as in ReadOptions
  bool drop_missing = false;
};

// The target is the column of that name, or else all of that stem: pred, or pred_0, pred_1, …; for
// `pred` whatever looks like it will do. The features are those asked for, or else the array that
// is called so (inputs, x, …), or else all columns but answers (true, label, …). Several go by the
// numbers in their names where these are distinct, otherwise as they stand in the file. An index
// as pandas writes it is no feature. Whatever was guessed is said in `notes`. Only what is taken
// must be numbers; rows that lack one are dropped or refused.
Rows to_rows(const Data& data, const Choice& choice, std::vector<std::string>& notes);

// The same where the target may be missing: it then has no columns.
Rows to_features(const Data& data, const Choice& choice, std::vector<std::string>& notes);

// The same where the target is in a file of its own: its column `pred` or whatever looks like it,
// or else all it has.
Rows to_rows(const Data& features, const Data& target, const Choice& choice,
             std::vector<std::string>& notes);

}  // namespace humpty::puzzle
