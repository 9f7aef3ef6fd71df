#include "telling.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace humpty::cli {
namespace {

std::string pairing_text(const Solution& solution) {
  const std::vector<double>& scores = solution.pairing.scores;
  if (std::none_of(scores.begin(), scores.end(), [](double score) { return score > 0; }))
    return fmt::format("{} blocks, not scored by their weights", solution.blocks.size());
  const Block& weakest =
      *std::min_element(solution.blocks.begin(), solution.blocks.end(),
                        [](const Block& a, const Block& b) { return a.margin < b.margin; });
  const auto [low, high] =
      std::minmax_element(solution.blocks.begin(), solution.blocks.end(),
                          [](const Block& a, const Block& b) { return a.score < b.score; });
  const char* greedy = solution.pairing.match == solution.pairing.greedy
                           ? "greedy agrees"
                           : "the best of each row alone would differ";
  return fmt::format("{} blocks, {} {:.4f} … {:.4f}, weakest margin {:.4f} ({} with {}); {}",
                     solution.blocks.size(), name(solution.pairing.signal), low->score, high->score,
                     weakest.margin, weakest.in, weakest.out, greedy);
}

std::string order_text(const Solution& solution) {
  if (solution.certificate.rows == 0) return "from " + solution.seed;
  std::size_t swaps = 0;
  for (const Round& round : solution.rounds) swaps += round.swaps;
  // A relaxation starts from nothing.
  const std::string start =
      solution.seed_order.empty()
          ? solution.seed
          : fmt::format("{} (error {:.6f})", solution.seed, solution.seed_mse);
  return fmt::format("from {} in {} rounds, {} moves", start, solution.rounds.size(), swaps);
}

std::string bradley_terry_text(const BradleyTerry& bt) {
  return fmt::format(
      "error {:.6f}; {} iterations, last change {:.1e}{}; {} three-cycles in {} triples", bt.mse,
      bt.iterations, bt.last_change, bt.converged ? "" : " (not converged)", bt.cycles.size(),
      bt.triples);
}

std::string rival_text(const Certificate& c) {
  const Rival& nearest = *c.nearest;
  const char* bound = nearest.is_bound ? "≥ " : "";
  return fmt::format("nearest: {}, error {}{:.3g}, {}{:.3g} times worse; {} of {} refuted",
                     text(nearest), bound, nearest.mse, bound, nearest.mse / c.mse, c.refuted,
                     c.rivals);
}

std::string aside_text(const std::vector<std::size_t>& rows) {
  return fmt::format(
      "{} of the rows set aside (the first is row {}): so large that it would hide "
      "every difference",
      rows.size(), rows[0] + 1);
}

// "{1, 4}, {2, 7, 9}", and no more than a line of it.
std::string classes_text(const std::vector<std::vector<int>>& classes) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min(kMost, classes.size()); ++i) {
    const auto& ids = classes[i];
    const std::vector<int> first(ids.begin(),
                                 ids.begin() + std::min<std::ptrdiff_t>(8, std::ssize(ids)));
    some.push_back(
        fmt::format("{{{}{}}}", fmt::join(first, ", "), first.size() < ids.size() ? ", …" : ""));
  }
  return fmt::format("{}{}", fmt::join(some, ", "), some.size() < classes.size() ? ", …" : "");
}

std::string freedom_text(const Freedom& f) {
  std::vector<std::string> parts{
      fmt::format("{}{} permutations remain", f.at_least ? "at least " : "", f.permutations)};
  if (!f.expand.empty()) parts.push_back("interchangeable W_in " + classes_text(f.expand));
  if (!f.contract.empty()) parts.push_back("interchangeable W_out " + classes_text(f.contract));
  if (!f.unordered.empty())
    parts.push_back(fmt::format("{} pairs of blocks commute, such as those of W_in {} and {}",
                                f.unordered.size(), f.unordered[0].first, f.unordered[0].second));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string firm_text(const Certificate& c) {
  return fmt::format("{} of {} neighbours are clearly worse the other way round", c.firm.size(),
                     (c.permutation.size() - 1) / 2 - 1);
}

}  // namespace

void tell(const Certificate& c, Terminal& terminal) {
  if (c.rows > 0)
    terminal.say(
        "error",
        fmt::format("{:.3g} mean square, {:.3g} at most, on {} rows in float64 ({} "
                    "explains {:.3g} and {:.3g})",
                    c.mse, c.max_abs_error, c.rows, c.floor, c.floor_mse, c.floor_max_abs_error));
  if (!c.set_aside.empty()) terminal.say("aside", aside_text(c.set_aside));
  if (c.nearest) terminal.say("rivals", rival_text(c));
  const std::string verdict(name(c.verdict));
  terminal.say(
      "verdict",
      fmt::format("{}: {}", c.verdict == Verdict::exact ? green(verdict) : yellow(verdict), c.why));
  if (c.freedom) terminal.say("open", freedom_text(*c.freedom));
  if (c.verdict == Verdict::unsolved && c.rows > 0 && c.permutation.size() > 4)
    terminal.say("firm", firm_text(c));
  if (!c.hints.empty())
    terminal.say("helps", fmt::format("what would help: {}", fmt::join(c.hints, "; ")));
}

void tell(const Solution& solution, Terminal& terminal) {
  terminal.say("pairing", pairing_text(solution));
  terminal.say("order", order_text(solution));
  if (solution.bradley_terry) terminal.say("ranking", bradley_terry_text(*solution.bradley_terry));
  if (!solution.stopped.empty())
    terminal.say("stopped",
                 fmt::format("early ({}); this is the best found until then",
                             solution.stopped == "asked to" ? "ctrl-C" : "--time-limit"));
  tell(solution.certificate, terminal);
  if (solution.verdict == Verdict::unsolved)
    terminal.say("pairs", fmt::format("{} of {} stand out by their weights alone",
                                      solution.firm_pairs.size(), solution.blocks.size()));
  terminal.say("sha256", solution.sha256());
  std::vector<std::string> times;
  double total = 0;
  for (const Timing& timing : solution.timings) {
    times.push_back(fmt::format("{} {:.0f} ms", timing.stage, timing.ms));
    total += timing.ms;
  }
  terminal.say("time", fmt::format("{} = {:.0f} ms", fmt::join(times, " + "), total));
}

void tell(const Salvaged& salvaged, Terminal& terminal) {
  for (const Salvaged::LeftOut& left : salvaged.left_out)
    terminal.say("left", fmt::format("piece {}: {}", left.piece, left.why));
  for (const std::string& remark : salvaged.remarks) terminal.say("salvage", remark);
  tell(salvaged.solution, terminal);
}

}  // namespace humpty::cli
