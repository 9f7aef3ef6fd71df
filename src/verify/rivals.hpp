// The rivals of an order, and which of them the rows refute.
#pragma once

#include <vector>

#include "base/watch.hpp"
#include "verify/field.hpp"
#include "verify/floor.hpp"

namespace humpty::verifier {

// All but the changes of three places (see larger.hpp). `automatic` must have been settled.
std::vector<Rival> rivals_of(const Puzzle& puzzle, const std::vector<int>& permutation,
                             Scope scope);

// `automatic` becomes `all` or `full` where that costs little, otherwise `adjacent`.
Scope settle(Scope scope, const Field& field);

// Which of them see all rows, refuted or not: every one, the nearest, or none.
enum class Whole { every, nearest, none };

// Rivals are added and shown rows until they are refuted or have seen all.
class Trial {
 public:
  struct Found {
    std::vector<Rival> rivals;  // with the error found
    std::vector<char> refuted;
    std::size_t nearest = 0;   // of the rivals, if there are any
    double typical_error = 0;  // of one value under an exchange of neighbours: the median
    bool complete = true;      // every rival was refuted or measured on all rows
  };

  Trial(Field& field, const Floor& floor, Whole whole, Watch& watch);

  // The first that are added choose the rows: exchanges of neighbours must be among them.
  void add(std::vector<Rival> rivals);
  void run();

  const Found& found() const { return found_; }
  bool all_refuted() const;
  const Field::Places& rows() const { return order_; }  // the most telling first

 private:
  void choose_rows();
  void sort_rows(const std::vector<double>& telling);
  void write_errors();
  std::vector<std::size_t> everybody() const;
  std::vector<std::size_t> nearest(std::vector<std::size_t> from, std::size_t count) const;
  std::vector<std::size_t> and_unrefuted(const std::vector<std::size_t>& kept) const;
  bool affordable(const std::vector<std::size_t>& in, std::size_t rows) const;
  void look(const std::vector<std::size_t>& in, std::size_t rows);
  std::vector<std::vector<Errors>> measure(const std::vector<std::size_t>& which,
                                           const Field::Places& rows, std::size_t rows_at_a_time);
  void settle(std::size_t i, std::size_t rows);
  std::vector<Arrangement> arrangements(const std::vector<std::size_t>& which) const;

  Field& field_;
  const Floor& floor_;
  Whole whole_;
  Watch& watch_;
  double count_;
  Found found_;
  std::size_t first_added_ = 0;  // how many
  std::vector<Errors> errors_;
  std::vector<std::size_t> seen_;  // rows, of `order_`
  double spent_ = 0;               // on the first round, in passes
  Field::Places order_;
};

}  // namespace humpty::verifier
