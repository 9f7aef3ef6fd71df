#pragma once
#include <variant>
#include "humpty/humpty.hpp"
namespace humpty::lab {
// "I Dropped a Neural Net", number by number: what the paper prints or asks, beside what comes out
// of this puzzle. Values are compared only where the puzzle is the published one.
struct PaperEntry {
  enum class Status { same, differs, not_in_paper };

  std::string id, section, what;  // "pairing.gap", "3 Pairing", what it is in a sentence
  std::variant<double, std::vector<double>, std::string> ours;
  std::string paper = {};  // as printed, several numbers comma-joined; empty: nothing to compare
  Status status = Status::not_in_paper;
  std::string why = {};  // it differs
};
std::string_view name(PaperEntry::Status status);  // "same", "differs", "not in paper"

// What a figure is drawn from: one column per series, or a whole matrix.
struct PaperFigure {
  std::string id;
  std::vector<std::string> columns;  // their names; none: a matrix
  Matrix data;
};

struct PaperOptions {
  bool quick = false;  // small samples and no climbs but the tables': seconds, not minutes
  bool train = false;  // the appendix's model from scratch, four times over: minutes each
  Matrix truth = {};   // what the net was trained to answer (column `true`), where that is known
  double time_limit = 120;  // seconds for solving the puzzle (0: none)
  unsigned threads = 0;     // 0: all cores
  std::uint64_t rng = 1;
  OnProgress progress = {};  // false: ends with the sections that are done
};

struct Paper {
  bool published = false;  // this is the paper's own puzzle
  bool stopped = false;    // sections are missing
  Solution solution;       // with the default options; all sections speak of its blocks and places
  std::vector<PaperEntry> entries;
  std::vector<PaperFigure> figures;
};

// Throws bad_data where the rows do not hold the net's outputs.
Paper study_paper(const Puzzle& puzzle, const PaperOptions& options = {});
// Why values differ from print, and the ids of those that do for that reason.
std::vector<std::pair<std::string, std::vector<std::string>>> reasons(const Paper& paper);
std::string to_json(const Paper& paper);      // the entries, as an array
std::string to_markdown(const Paper& paper);  // the same to read
// With its figures, as one HTML file that opens without a network.
std::string paper_page(const Paper& paper, const Puzzle& puzzle, const ReportOptions& options = {});


}
