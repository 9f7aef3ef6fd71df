#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

struct StudyCommand {
  std::string what, json;
  std::vector<std::string> folders;
  PairOptions options;
  double time_limit = SolveOptions().time_limit;

  int run();
  int run_solve();
};

std::string name_of(const std::string& folder) {
  const std::size_t end = folder.find_last_not_of('/');
  const std::size_t slash = folder.rfind('/', end);
  return folder.substr(slash == std::string::npos ? 0 : slash + 1, end - slash);
}

std::string table(const std::vector<lab::SignalScores>& nets) {
  std::string text = fmt::format("{:<20} {:>6}", "net", "blocks");
  for (const lab::SignalScores& net : nets)
    if (net.error.empty()) {
      for (const auto& [signal, correct] : net.correct) text += fmt::format(" {:>8}", name(signal));
      break;
    }
  text += fmt::format(" {:>7} {:>7} {:>5} {:>10} {:>6} {:>7}\n", "in five", "≥ 99 %", "right",
                      "separation", "chance", "signal");
  for (const lab::SignalScores& net : nets) {
    if (!net.error.empty()) {
      text += fmt::format("{:<20} {}\n", name_of(net.net), net.error);
      continue;
    }
    text += fmt::format("{:<20} {:>6}", name_of(net.net), net.blocks);
    for (const auto& [signal, correct] : net.correct) text += fmt::format(" {:>8}", correct);
    text += fmt::format(" {:>7} {:>6} {:>5} {:>10.2f} {:>6.2f} {:>7}\n", net.in_five, net.given_99,
                        net.right_99, net.separation, net.chance, net.trace ? "yes" : "no");
  }
  return text;
}

// "24 nets: all pairs right on …; of the pairs given 90 % …": the last lines of the table.
std::string summary(const std::vector<lab::SignalScores>& nets) {
  std::size_t known = 0, complete = 0, given_90 = 0, right_90 = 0, given_99 = 0, right_99 = 0;
  for (const lab::SignalScores& net : nets) {
    if (!net.error.empty()) continue;
    ++known;
    complete += net.correct.front().second == net.blocks;
    given_90 += net.given_90, right_90 += net.right_90;
    given_99 += net.given_99, right_99 += net.right_99;
  }
  return fmt::format(
      "all pairs right on {} of {} nets; of {} pairs given 90 % or more {} are right, of {} given "
      "99 % or more {}\n",
      complete, known, given_90, right_90, given_99, right_99);
}

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string to_json(const std::vector<lab::SignalScores>& nets) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const lab::SignalScores& net : nets) {
    nlohmann::ordered_json entry{{"net", net.net}};
    if (!net.error.empty()) {
      entry["error"] = net.error;
      list.push_back(entry);
      continue;
    }
    entry["blocks"] = net.blocks;
    for (const auto& [signal, correct] : net.correct)
      entry["correct"][std::string(name(signal))] = correct;
    entry["in_five"] = net.in_five;
    entry["signal"] = net.trace;
    entry["separation"] = net.separation;
    entry["chance"] = net.chance;
    entry["seconds"] = net.seconds;
    entry["pairs"] = net.pairs;
    list.push_back(entry);
  }
  return dump({{"nets", list}});
}

std::string line(const lab::SolveScore& score, const lab::SolveScore& paper) {
  if (!score.error.empty()) return fmt::format("{:<16} {}\n", name_of(score.net), score.error);
  return fmt::format("{:<16} {:>6} {:<9} {:<5} {:>3}/{:<3} {:>6.3f} {:>9.2e} {:>7.1f} {:<9}\n",
                     name_of(score.net), score.blocks, name(score.verdict),
                     score.right ? "yes" : "no", score.pairs_right, score.blocks, score.tau,
                     score.mse, score.seconds, name(paper.verdict));
}

nlohmann::ordered_json entry(const lab::SolveScore& score, const lab::SolveScore& paper) {
  if (!score.error.empty()) return {{"net", score.net}, {"error", score.error}};
  return {{"net", score.net},
          {"blocks", score.blocks},
          {"verdict", name(score.verdict)},
          {"right", score.right},
          {"pairs_right", score.pairs_right},
          {"tau", score.tau},
          {"mse", score.mse},
          {"seconds", score.seconds},
          {"paper",
           {{"verdict", name(paper.verdict)}, {"right", paper.right}, {"seconds", paper.seconds}}}};
}

// One line per net as it is done: this takes up to the time limit each.
int StudyCommand::run_solve() {
  Terminal terminal;
  SolveOptions solving{.threads = options.threads, .rng = options.rng, .time_limit = time_limit};
  solving.progress = terminal.progress();
  SolveOptions paper = solving;
  paper.method = Method::paper;
  paper.rows = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::size_t exact = 0, wrong = 0, by_paper = 0;
  const bool text = json != "-";
  const std::vector<std::string> puzzles = lab::puzzles_with_answers(folders);
  if (text)
    write_output("-", fmt::format("{:<16} {:>6} {:<9} {:<5} {:>7} {:>6} {:>9} {:>7} {:<9}\n", "net",
                                  "blocks", "verdict", "right", "pairs", "tau", "error", "seconds",
                                  "by paper"));
  for (const std::string& puzzle : puzzles) {
    const lab::SolveScore score = lab::solve_and_score(puzzle, solving);
    const lab::SolveScore beside = lab::solve_and_score(puzzle, paper);
    exact += score.verdict == Verdict::exact && score.right;
    wrong += score.verdict == Verdict::exact && !score.right;
    by_paper += beside.verdict == Verdict::exact;
    list.push_back(entry(score, beside));
    if (text) write_output("-", line(score, beside));
  }
  if (text)
    write_output("-", fmt::format("{} of {} nets exact and right, {} exact and wrong; the paper's "
                                  "method: {}\n",
                                  exact, puzzles.size(), wrong, by_paper));
  if (!json.empty()) write_output(json, dump({{"nets", list}}));
  return wrong == 0 ? 0 : 1;
}

int StudyCommand::run() {
  check_outputs({{"--json", json}});
  if (what == "solve") return run_solve();
  Terminal terminal;
  options.progress = terminal.progress();
  const std::vector<lab::SignalScores> nets = lab::study_signals(folders, options);
  write_both(table(nets) + summary(nets), json, [&] { return to_json(nets); });
  return 0;
}

}  // namespace

void add_study(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("study", "Measure on nets whose answers are known (answer.json)");
  command->footer(R"(
signals: how many pairs each pairing signal gets right on every net; how many true partners are among
the ensemble's five best candidates; how many pairs it gives 99 % or more, and how many of them are
right; how far its pairs stand out, and how far chance gets on the same pieces.

solve: the scoreboard. Every net is solved with the default options and beside it by the paper's
method: verdict, whether the order is the answer, pairs right, Kendall's tau, error, seconds. Fails if
any verdict of exact is wrong.

Example:
  humpty train -o nets/one --blocks 12 --dim 16 --hidden 32;  humpty study signals nets)");
  auto state = std::make_shared<StudyCommand>();
  command->add_option("STUDY", state->what, "What to measure")
      ->required()
      ->check(one_of({"signals", "solve"}));
  command->add_option("PATH", state->folders, "Puzzles with their answers, or folders of them")
      ->required();
  command
      ->add_option("--json", state->json, "Write the table as JSON to FILE ('-': standard output)")
      ->type_name("FILE");
  add_threads(*command, state->options.threads);
  add_time_limit(*command, state->time_limit, "Seconds a net for solve (0: none)");
  add_rng(*command, state->options.rng, "Random number for the shuffled units");
  command->callback([state, command, &exit_code] {
    if (state->what == "signals")
      refuse_without_effect(*command, "on study signals", {"--time-limit"});
    exit_code = state->run();
  });
}

}  // namespace humpty::cli
