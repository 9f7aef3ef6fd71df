// What "I Dropped a Neural Net" (Hyunwoo Park, with its appendices) prints, as it prints it, and
// why a value differs where it does. This is the one place that knows the paper's numbers; nothing
// is computed from them. A value is the same if it rounds to the printed digits.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "lab/paper.hpp"

namespace humpty::lab {
namespace {

constexpr const char* kPublished =
    "093be1cf2d24094db903cbc3e8d33d306ebca49c6accaa264e44b0b675e7d9c4";

constexpr const char* kUpperEnd =
    "these weights give 3.232; no pair of the published pieces reaches 3.28, which looks like a "
    "slip";
constexpr const char* kOtherRows =
    "the paper does not say which rows decide; the first 2,000, which reproduce its other two "
    "tables to the last digit, repair this order with the least possible number of swaps, one per "
    "inversion; no choice of rows that was tried gives the printed rounds";
constexpr const char* kStoppingRule =
    "the paper does not name its stopping rule; at T = 0.001 the strengths go on drifting "
    "(bt.change_at_280, bt.last_change), but their order is that of the first iteration "
    "(bt.settled)";
constexpr const char* kOnlyABound =
    "√d is the bound, reached by a multiple of the identity; most of ‖M‖_F lies off the diagonal "
    "(theory.off_share), which is why the same appendix measures 1.76 and more";
constexpr const char* kTraining =
    "the paper names neither batch size nor target nor initialisation; from PyTorch's default "
    "initialisation none of the four combinations tried gives its model";
constexpr const char* kNotHalf =
    "½ is the proof's assumption; at the states that reach them these blocks' units are open 15 to "
    "33 % of the time, so E[tr J_r] is a third to two thirds of ½ tr(W_out W_in)";
constexpr const char* kSpan =
    "one of the 22 cycles spans 16 places, all others fewer than 15 (bt.cycle_spans)";
constexpr const char* kNormalised =
    "not to mean 0 and standard deviation 1; all columns have about the same range, as if one "
    "scale "
    "had been used for all";

struct Printed {
  const char *id, *values, *why = "";
};

constexpr Printed kPrinted[] = {
    {"puzzle.pieces", "97"},
    {"puzzle.blocks", "48"},
    {"puzzle.width", "48"},
    {"puzzle.hidden", "96"},
    {"puzzle.head", "85"},
    {"puzzle.rows", "10000"},
    {"puzzle.search_space", "122"},
    {"puzzle.mse", "0.000000"},
    {"data.normalised", "normalised", kNormalised},
    {"pairing.correct", "48"},
    {"pairing.incorrect", "2256"},
    {"pairing.correct_range", "1.76, 3.28", kUpperEnd},
    {"pairing.incorrect_range", "0.00, 0.58"},
    {"pairing.gap", "1.18"},
    {"pairing.traces", "-13.5, -7.4"},
    {"pairing.negative", "48"},
    {"pairing.greedy", "48"},
    {"seed.delta", "0.036794"},
    {"seed.wout", "0.075851"},
    {"bt.comparisons", "1128"},
    {"bt.mse", "0.00299"},
    {"bt.improvement", "12"},
    {"bt.iterations", "280", kStoppingRule},
    {"bt.triples", "17296"},
    {"bt.cycles", "22"},
    {"bt.violations", "66"},
    {"bt.violations_percent", "0.38"},
    {"bt.cycle_span", "<15", kSpan},
    {"bt.cycle_margin", "1.8e-4"},
    {"bt.median_margin", "0.041"},
    {"table.bt.0", "0.002989"},
    {"table.bt.1", "21, 0.001025, 21", kOtherRows},
    {"table.bt.2", "7, 0.000553, 28", kOtherRows},
    {"table.bt.3", "5, 0.000200, 33", kOtherRows},
    {"table.bt.4", "3, 0.000052, 36", kOtherRows},
    {"table.bt.5", "1, 0.000000, 37", kOtherRows},
    {"table.delta.0", "0.036794"},
    {"table.delta.1", "23, 0.021690, 23"},
    {"table.delta.2", "20, 0.012919, 43"},
    {"table.delta.3", "21, 0.008559, 64"},
    {"table.delta.4", "15, 0.005873, 79"},
    {"table.delta.5", "11, 0.004097, 90"},
    {"table.delta.6", "9, 0.002745, 99"},
    {"table.delta.7", "12, 0.001012, 111"},
    {"table.delta.8", "5, 0.000380, 116"},
    {"table.delta.9", "2, 0.000247, 118"},
    {"table.delta.10", "1, 0.000182, 119"},
    {"table.delta.11", "1, 0.000118, 120"},
    {"table.delta.12", "1, 0.000052, 121"},
    {"table.delta.13", "1, 0.000000, 122"},
    {"table.wout.0", "0.075851"},
    {"table.wout.1", "30, 0.005936, 30"},
    {"table.wout.2", "16, 0.003397, 46"},
    {"table.wout.3", "12, 0.001405, 58"},
    {"table.wout.4", "9, 0.000568, 67"},
    {"table.wout.5", "4, 0.000223, 71"},
    {"table.wout.6", "1, 0.000000, 72"},
    {"route.delta.rounds", "13"},
    {"route.delta.swaps", "122"},
    {"route.wout.rounds", "6"},
    {"route.wout.swaps", "72"},
    {"route.bt.rounds", "5", kOtherRows},
    {"route.bt.swaps", "37", kOtherRows},
    {"route.fewer_rounds", "2"},
    {"route.fewer_swaps", "1.7"},
    {"theory.gates_range", "0.5, 0.5", kNotHalf},
    {"theory.bound", "6.93"},
    {"theory.level", "6.93", kOnlyABound},
    {"theory.wrong_model", "0.14"},
    {"training.true.32.mse", "0.0006", kTraining},
    {"training.pred.32.mse", "0.0006", kTraining},
    {"training.true.256.mse", "0.0006", kTraining},
    {"training.pred.256.mse", "0.0006", kTraining},
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(", ", at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 2;
  }
  return parts;
}

// Half a unit of the last printed digit.
double half_a_digit(const std::string& number) {
  const std::size_t e = std::min(number.find('e'), number.size()), point = number.find('.');
  const double decimals = point < e ? static_cast<double>(e - point - 1) : 0;
  const double exponent = e < number.size() ? std::atof(number.c_str() + e + 1) : 0;
  return 0.5 * std::pow(10.0, exponent - decimals);
}

bool agrees(double ours, const std::string& printed) {
  constexpr double kSlack = 1 + 1e-9;
  if (printed[0] == '<') return ours < std::atof(printed.c_str() + 1);
  return std::abs(ours - std::atof(printed.c_str())) <= half_a_digit(printed) * kSlack;
}

struct Agrees {
  const std::string& printed;

  bool operator()(double ours) const { return agrees(ours, printed); }
  bool operator()(const std::string& ours) const { return ours.starts_with(printed); }
  bool operator()(const std::vector<double>& ours) const {
    const std::vector<std::string> parts = split(printed);
    if (ours.size() != parts.size()) return false;
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (!agrees(ours[i], parts[i])) return false;
    return true;
  }
};

void compare(const Printed& printed, PaperEntry& entry) {
  entry.paper = printed.values;
  const bool same = std::visit(Agrees{entry.paper}, entry.ours);
  entry.status = same ? PaperEntry::Status::same : PaperEntry::Status::differs;
  if (!same) entry.why = *printed.why ? printed.why : "not explained";
}

// A row that the paper's table has and ours, being shorter, has not: put after the table's last.
void add_missing_row(const Printed& printed, std::vector<PaperEntry>& entries) {
  const std::string id = printed.id, table = id.substr(0, id.rfind('.') + 1);
  auto last = entries.end();
  for (auto entry = entries.begin(); entry != entries.end(); ++entry)
    if (entry->id.starts_with(table)) last = entry;
  if (last == entries.end()) return;  // the section was not reached
  PaperEntry entry{id, last->section, "a round of the paper's that is not needed here",
                   std::string("none")};
  compare(printed, entry);
  entries.insert(last + 1, std::move(entry));
}

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> reasons(const Paper& paper) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const PaperEntry& entry : paper.entries) {
    if (entry.status != PaperEntry::Status::differs) continue;
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const auto& each) { return each.first == entry.why; });
    if (same == found.end())
      found.push_back({entry.why, {entry.id}});
    else
      same->second.push_back(entry.id);
  }
  return found;
}

bool is_published(const Solution& solution) { return solution.sha256() == kPublished; }

void compare_with_print(std::vector<PaperEntry>& entries) {
  for (const Printed& printed : kPrinted) {
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const PaperEntry& each) { return each.id == printed.id; });
    if (entry != entries.end())
      compare(printed, *entry);
    else
      add_missing_row(printed, entries);
  }
}

}  // namespace humpty::lab
