// Solve, pair, verify.
#include "io/file.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "record.hpp"

namespace humpty::python {
namespace {

SolveOptions solve_options(Given given) {
  SolveOptions options;
  given.to("method", options.method)
      .to("seed", options.seed)
      .to("start", options.start)
      .to("pairs", options.pairs)
      .to("descending", options.descending)
      .to("bradley_terry", options.bradley_terry)
      .to_positive("temperature", options.temperature)
      .to("rows", options.rows)
      .to("threads", options.threads)
      .to("rng", options.rng)
      .to("time_limit", options.time_limit)
      .to("certificate", options.certificate)
      .to("noise", options.noise)
      .end();
  return options;
}

// `run` with the options, which get the line's progress and cancel flag.
template <class Options, class Run>
auto attended(Options options, const nb::object& listener, const Run& run) {
  return call(listener, [&](Line& line) {
    options.progress = line.progress();
    options.cancel = line.cancel();
    return run(options);
  });
}

PairOptions pair_options(Given given) {
  PairOptions options;
  given.to("signal", options.signal).to("threads", options.threads).to("rng", options.rng).end();
  return options;
}

VerifyOptions verify_options(Given given) {
  VerifyOptions options;
  given.to("certificate", options.scope)
      .to("every_row", options.every_row)
      .to("noise", options.noise)
      .to("threads", options.threads)
      .end();
  return options;
}

}  // namespace

void add_solving(nb::module_& module) {
  module.def(
      "solve",
      [](const Puzzle& puzzle, const nb::object& listener, const nb::kwargs& given) {
        return attended(solve_options(Given(given)), listener,
                        [&](const SolveOptions& options) { return solve(puzzle, options); });
      },
      nb::arg("puzzle"), nb::arg("listener").none(), nb::arg("given"),
      nb::sig("def solve(puzzle: Puzzle, listener: object, **given: object) -> Solution"));
  module.def(
      "pair",
      [](const Puzzle& puzzle, const nb::object& listener, const nb::kwargs& given) {
        return attended(pair_options(Given(given)), listener,
                        [&](const PairOptions& options) { return pair_pieces(puzzle, options); });
      },
      nb::arg("puzzle"), nb::arg("listener").none(), nb::arg("given"),
      nb::sig("def pair(puzzle: Puzzle, listener: object, **given: object) -> PairReport"),
      doc("PairReport"));
  module.def(
      "pair_sides",
      [](const std::vector<Piece>& expand, const std::vector<Piece>& contract, const Piece* head,
         const nb::object& listener, const nb::kwargs& given) {
        return attended(pair_options(Given(given)), listener, [&](const PairOptions& options) {
          return pair_pieces(expand, contract, head, options);
        });
      },
      nb::arg("expand"), nb::arg("contract"), nb::arg("head").none(), nb::arg("listener").none(),
      nb::arg("given"),
      nb::sig("def pair_sides(expand: collections.abc.Sequence[Piece], contract: "
              "collections.abc.Sequence[Piece], head: Piece | None, listener: object, **given: "
              "object) -> PairReport"),
      doc("pair_pieces"));
  module.def(
      "verify",
      [](const Puzzle& given_puzzle, const std::vector<int>& permutation,
         const std::string& activation, const nb::object& listener, const nb::kwargs& given) {
        std::optional<Puzzle> other;
        if (activation != "auto" && activation != word(given_puzzle.activation)) {
          other = given_puzzle;
          other->activation = named<Activation>(activation);
        }
        const Puzzle& puzzle = other ? *other : given_puzzle;
        return attended(verify_options(Given(given)), listener, [&](const VerifyOptions& options) {
          return verify(puzzle, permutation, options);
        });
      },
      nb::arg("puzzle"), nb::arg("permutation"), nb::arg("activation"), nb::arg("listener").none(),
      nb::arg("given"),
      nb::sig("def verify(puzzle: Puzzle, permutation: collections.abc.Sequence[int], activation: "
              "str, listener: object, **given: object) -> Certificate"),
      doc("verify"));
  module.def(
      "solution_json",
      [](const Solution& solution, const Puzzle& puzzle) { return to_json(solution, puzzle); },
      nb::arg("solution"), nb::arg("puzzle"), doc("to_json"));
  module.def(
      "report_page",
      [](const Solution& solution, const Puzzle& puzzle, const std::vector<std::string>& inputs) {
        return call(nb::none(), [&](Line&) {
          return report_page(solution, puzzle, {.command = "humpty.solve", .inputs = inputs});
        });
      },
      nb::arg("solution"), nb::arg("puzzle"), nb::arg("inputs"), doc("report_page"));
  module.def(
      "write_file",
      [](const std::string& file, const std::string& text) { io::write_file(file, text); },
      nb::arg("file"), nb::arg("text"), "Writes beside and renames.");
}

}  // namespace humpty::python
