#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"
#include "telling.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

constexpr double kSure = 0.9;

struct PairCommand {
  PuzzleOptions puzzle;
  PairOptions options;
  std::string json;

  int run();
};

std::string signals_text(const PairReport& report) {
  std::vector<std::string> parts;
  for (const auto& [signal, separation] : report.signals)
    parts.push_back(fmt::format("{} {:.1f}", name(signal), separation));
  return fmt::format(
      "pairs stand {:.2f} deviations above strangers ({}), {:.2f} with shuffled units",
      report.separation, fmt::join(parts, ", "), report.chance);
}

std::string unsure_text(const PairReport& report, const std::vector<std::size_t>& unsure) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> parts;
  for (std::size_t i : unsure) {
    if (parts.size() == kShown) {
      parts.push_back(fmt::format("and {} more", unsure.size() - kShown));
      break;
    }
    const Pairing& pairing = report.pairing;
    parts.push_back(fmt::format("{} with {} ({:.0f} %)", pairing.expand[i],
                                pairing.contract[pairing.match[i]], 100 * report.confidence[i]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

double least(const std::vector<double>& confidence) {
  return *std::min_element(confidence.begin(), confidence.end());
}

// Says how sure it is, and gives the pairs that it is not sure of.
std::vector<std::size_t> tell(const PairReport& report, Terminal& terminal) {
  std::vector<std::size_t> unsure;
  for (std::size_t i = 0; i < report.confidence.size(); ++i)
    if (report.confidence[i] < kSure) unsure.push_back(i);
  terminal.say("signals", signals_text(report));
  if (!report.trace)
    terminal.say("pairing", yellow("the weights hold no signal: chance does as well; pairs are "
                                   "guesses, only the data can tell"));
  else if (unsure.empty())
    terminal.say("pairing", fmt::format("{}, each given {:.1f} % or more",
                                        green(fmt::format("{} pairs", report.confidence.size())),
                                        std::floor(1000 * least(report.confidence)) / 10));
  else
    terminal.say("pairing", fmt::format("{} of {} pairs are unsure: {}", unsure.size(),
                                        report.confidence.size(), unsure_text(report, unsure)));
  return unsure;
}

std::string pairs_text(const Pairing& pairing) {
  std::string text;
  for (std::size_t i = 0; i < pairing.expand.size(); ++i)
    text += fmt::format("{},{}\n", pairing.expand[i], pairing.contract[pairing.match[i]]);
  return text;
}

int PairCommand::run() {
  Terminal terminal;
  check_outputs({{"--json", json}});
  puzzle.read.data_optional = true;
  const Puzzle loaded = puzzle.load(terminal);
  options.threads = puzzle.read.threads;
  options.progress = terminal.progress();
  const PairReport report = pair_pieces(loaded, options);
  const bool sure = tell(report, terminal).empty();
  write_both(pairs_text(report.pairing), json, [&] { return to_json(report); });
  return sure && report.trace ? 0 : 1;
}

}  // namespace

void add_pair(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "pair", "Which input projection belongs to which output projection, from the weights alone");
  command->footer(R"(
No rows are needed. Standard output has one line 'in,out' per pair. Exit code 0: every pair is given 90 % or more; 1: some
are not, and standard error says which.

Examples:
  humpty pair FOLDER
  humpty pair FOLDER --signal ratio --json - | jq -c '.pairs[0], .candidates[0]')");
  auto state = std::make_shared<PairCommand>();
  state->puzzle.add_to(*command);
  add_choice<PairSignal>(*command, "--signal", state->options.signal,
                         "What tells the pairs: all signals together, or one of them alone",
                         {{"ensemble", PairSignal::ensemble},
                          {"ratio", PairSignal::ratio},
                          {"norms", PairSignal::norms},
                          {"whitened", PairSignal::whitened},
                          {"bilinear", PairSignal::bilinear}});
  command
      ->add_option("--json", state->json,
                   "Write pairs, scores, margins, confidence and candidates as JSON to FILE ('-': "
                   "standard output, instead of the lines)")
      ->type_name("FILE");
  add_rng(*command, state->options.rng, "Random number for the shuffled units");
  command->callback([state, command, &exit_code] {
    refuse_without_effect(*command, "on pairs told by the weights alone",
                          {"--probabilities", "--activation"});
    exit_code = state->run();
  });
}

}  // namespace humpty::cli
