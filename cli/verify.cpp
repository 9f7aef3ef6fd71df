#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "order.hpp"
#include "puzzle_options.hpp"
#include "telling.hpp"

namespace humpty::cli {
namespace {

struct VerifyCommand {
  PuzzleOptions puzzle;
  VerifyOptions options;
  std::string order, json;

  int run() {
    Terminal terminal;
    const Puzzle loaded = puzzle.load(terminal);
    const std::vector<int> permutation = read_order(order, loaded.pieces);
    options.threads = puzzle.read.threads;
    options.progress = terminal.progress();
    const Certificate certificate = verify(loaded, permutation, options);
    tell(certificate, terminal);
    if (!json.empty()) write_output(json, to_json(certificate));
    if (json != "-") write_output("-", std::string(name(certificate.verdict)) + "\n");
    return certificate.verdict == Verdict::exact ? 0 : 1;
  }
};

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("verify", "Check an order independently: own code, float64, all rows");
  command->footer(R"(
Standard output is the verdict alone. Example:
  humpty solve FOLDER > order.txt;  humpty verify FOLDER --order order.txt --full)");
  auto state = std::make_shared<VerifyCommand>();
  state->puzzle.add_to(*command);
  command->add_option("--order", state->order, kOrderHelp)->required()->type_name("LIST|FILE");
  command->add_flag("--full", state->options.full, "Compute every rival exactly, on all rows");
  command
      ->add_option("--json", state->json,
                   "Write the certificate as JSON to FILE ('-': standard output)")
      ->type_name("FILE");
  command->callback([state, &exit_code] { exit_code = state->run(); });
}

}  // namespace humpty::cli
