#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "order.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"
#include "telling.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

struct VerifyCommand {
  PuzzleOptions puzzle;
  VerifyOptions options;
  std::string order, certificate, json;

  // --certificate is a scope or a file with a certificate to check.
  std::optional<Certificate> claim() {
    if (certificate.empty()) return std::nullopt;
    for (Scope scope : {Scope::adjacent, Scope::full, Scope::all})
      if (certificate == name(scope)) return options.scope = scope, std::nullopt;
    const Certificate claimed = certificate_from_json(read_text(certificate), certificate);
    if (claimed.scope != Scope::floor) options.scope = claimed.scope;
    options.noise = claimed.noise;
    options.quick = claimed.quick;
    options.every_row = claimed.every_row;
    puzzle.read.activation = puzzle.read.activation.value_or(claimed.activation);
    return claimed;
  }

  int run(const CLI::App& command) {
    Terminal terminal;
    check_outputs({{"--json", json}});
    const std::optional<Certificate> claimed = claim();
    if (claimed) refuse_without_effect(command, "with a certificate that states it", {"--noise"});
    if (order.empty() && !claimed)
      throw Error(ErrorCode::usage,
                  "nothing to verify: give --order LIST|FILE, or --certificate FILE as written by "
                  "--json");
    const Puzzle loaded = puzzle.load(terminal);
    const std::vector<int> permutation =
        order.empty() ? claimed->permutation : read_order(order, loaded.pieces);
    options.threads = puzzle.read.threads;
    options.progress = terminal.progress();
    const Certificate found = verify(loaded, permutation, options);
    tell(found, terminal);
    const std::vector<std::string> otherwise =
        claimed ? differences(*claimed, found) : std::vector<std::string>{};
    for (const std::string& line : otherwise) terminal.say("claim", yellow(line));
    if (claimed && otherwise.empty())
      terminal.say("claim", green("the certificate holds") +
                                fmt::format("; not part of it, if the file has them: {}",
                                            fmt::join(uncertified_keys(), ", ")));
    write_both(std::string(name(found.verdict)) + "\n", json, [&] { return to_json(found); });
    return found.verdict == Verdict::exact && otherwise.empty() ? 0 : 1;
  }
};

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("verify", "Check an order independently: own code, float64, all rows");
  command->footer(R"(
Standard output is the verdict alone. Example:
  humpty solve FOLDER > order.txt;  humpty verify FOLDER --order order.txt --certificate full
  humpty solve FOLDER --json solution.json;  humpty verify FOLDER --certificate solution.json)");
  auto state = std::make_shared<VerifyCommand>();
  state->puzzle.add_to(*command);
  command->add_option("--order", state->order, kOrderHelp)->type_name("LIST|FILE");
  command
      ->add_option(
          "--certificate", state->certificate,
          "Rivals to refute, adjacent or full, or all arrangements (default: the most that "
          "is cheap); or a file written by --json, whose every claim is checked again")
      ->type_name("adjacent|full|all|FILE");
  add_noise(*command, state->options.noise);
  command->add_flag("--every-row", state->options.every_row,
                    "Compute every rival on all rows, not only until it is refuted");
  command
      ->add_option("--json", state->json,
                   "Write the certificate as JSON to FILE ('-': standard output)")
      ->type_name("FILE");
  command->callback([state, command, &exit_code] {
    state->puzzle.check(*command);
    exit_code = state->run(*command);
  });
}

}  // namespace humpty::cli
