#include <charconv>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "io/file.hpp"
#include "puzzle_options.hpp"
#include "telling.hpp"

namespace humpty::cli {
namespace {

[[noreturn]] void bad_order(const std::string& from) {
  throw Error(ErrorCode::usage,
              "not an order: give piece ids separated by commas, or a file with them "
              "(text, or JSON with 'permutation')",
              {.file = from});
}

std::vector<int> ids_in(std::string_view text, const std::string& from) {
  std::vector<int> ids;
  while (true) {
    const std::size_t start = text.find_first_not_of(", \t\r\n");
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    int id = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), id);
    if (parsed.ec != std::errc()) bad_order(from);
    ids.push_back(id);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  }
  if (ids.empty()) bad_order(from);
  return ids;
}

// The list itself, a text file of ids, or a JSON file with "permutation" as an array or as text.
std::vector<int> read_order(const std::string& given) {
  if (!std::filesystem::exists(given)) return ids_in(given, "--order");
  const io::File file(given);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return ids_in(text, given);
  const auto found = json.find("permutation");
  if (found == json.end()) bad_order(given);
  if (found->is_string()) return ids_in(found->get<std::string>(), given);
  if (!found->is_array() || !std::all_of(found->begin(), found->end(),
                                         [](const auto& id) { return id.is_number_integer(); }))
    bad_order(given);
  return found->get<std::vector<int>>();
}

struct VerifyCommand {
  PuzzleOptions puzzle;
  VerifyOptions options;
  std::string order, json;

  int run() {
    Terminal terminal;
    const std::vector<int> permutation = read_order(order);
    const Puzzle loaded = puzzle.load(terminal);
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
  humpty solve FOLDER > order.txt;  humpty verify FOLDER --order order.txt --certificate full)");
  auto state = std::make_shared<VerifyCommand>();
  state->puzzle.add_to(*command);
  command
      ->add_option("--order", state->order,
                   "Piece ids as applied, comma-joined, or a file with them")
      ->required()
      ->type_name("LIST|FILE");
  add_scope(*command, state->options.scope);
  command->add_flag("--every-row", state->options.every_row,
                    "Compute every rival on all rows, not only until it is refuted");
  command
      ->add_option("--json", state->json,
                   "Write the certificate as JSON to FILE ('-': standard output)")
      ->type_name("FILE");
  command->callback([state, &exit_code] { exit_code = state->run(); });
}

}  // namespace humpty::cli
