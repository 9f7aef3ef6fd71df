// What solving, pairing and verifying find.
#include "parts.hpp"
#include "record.hpp"

namespace humpty::python {
namespace {

void add_small(nb::module_& module) {
  Record<Block> block(module, "Block", "Block", "Two pieces that belong together, at their place.");
  block.field("inp", &Block::in)
      .field("out", &Block::out)
      .field("score", &Block::score)
      .field("margin", &Block::margin);
  block.type().def("__repr__", [](const Block& b) {
    return "Block(inp=" + std::to_string(b.in) + ", out=" + std::to_string(b.out) +
           ", score=" + std::to_string(b.score) + ", margin=" + std::to_string(b.margin) + ")";
  });

  Record<Round> round(module, "Round", "Round", "One sweep of a search.");
  round.field("swaps", &Round::swaps).field("mse", &Round::mse).field("rows", &Round::rows);
  round.type().def("__repr__", [](const Round& r) {
    return "Round(swaps=" + std::to_string(r.swaps) + ", rows=" + std::to_string(r.rows) + ")";
  });

  Record<Timing>(module, "Timing", "Timing", "How long a stage took.")
      .field("stage", &Timing::stage)
      .field("ms", &Timing::ms);

  Record<Cycle>(module, "Cycle", "Cycle")
      .field("blocks", &Cycle::blocks)
      .field("weakest_margin", &Cycle::weakest_margin)
      .field("span", &Cycle::span);

  Record<BradleyTerry>(module, "BradleyTerry", "BradleyTerry", "The paper's re-ranking of a seed.")
      .field("iterations", &BradleyTerry::iterations)
      .field("last_change", &BradleyTerry::last_change)
      .field("converged", &BradleyTerry::converged)
      .array("strength", &BradleyTerry::strength)
      .field("triples", &BradleyTerry::triples)
      .field("cycles", &BradleyTerry::cycles)
      .field("median_margin", &BradleyTerry::median_margin)
      .field("mse", &BradleyTerry::mse);
}

void add_pairing(nb::module_& module) {
  Record<Pairing>(module, "Pairing", "Pairing")
      .field("expand", &Pairing::expand)
      .field("contract", &Pairing::contract)
      .square("scores", &Pairing::scores)
      .square("traces", &Pairing::traces)
      .field("match", &Pairing::match)
      .field("greedy", &Pairing::greedy);

  Record<PairReport> report(module, "PairReport", "PairReport");
  report.field("pairing", &PairReport::pairing)
      .array("margins", &PairReport::margins)
      .array("confidence", &PairReport::confidence)
      .field("candidates", &PairReport::candidates)
      .field("alternatives", &PairReport::alternatives)
      .field("trace", &PairReport::trace)
      .field("separation", &PairReport::separation)
      .field("chance", &PairReport::chance)
      .field("signals", &PairReport::signals);
  report.type()
      .def_prop_ro(
          "scores",
          [](nb::handle self) {
            const Pairing& pairing = nb::cast<const PairReport&>(self).pairing;
            return view(pairing.scores, pairing.expand.size(), self);
          },
          nb::sig("def scores(self) -> numpy.typing.NDArray[numpy.float64]"),
          doc("Pairing::scores"))
      .def_prop_ro(
          "match", [](const PairReport& r) { return r.pairing.match; }, doc("Pairing::match"))
      .def_prop_ro(
          "pairs",
          [](const PairReport& r) {
            std::vector<std::pair<int, int>> pairs;
            for (std::size_t i = 0; i < r.pairing.match.size(); ++i)
              pairs.emplace_back(r.pairing.expand[i], r.pairing.contract[r.pairing.match[i]]);
            return pairs;
          },
          "Ids of the expand and contract pieces that belong together.")
      .def(
          "to_json", [](const PairReport& r) { return to_json(r); }, doc("to_json"))
      .def("__repr__", [](const PairReport& r) {
        return "PairReport(" + std::to_string(r.pairing.match.size()) + " pairs, " +
               (r.trace ? "" : "no ") + "trace of the pairing in the weights)";
      });
}

void add_certificate(nb::module_& module) {
  Record<Rival> rival(module, "Rival", "Rival");
  rival.field("kind", &Rival::kind)
      .field("a", &Rival::a)
      .field("b", &Rival::b)
      .field("c", &Rival::c)
      .field("expand", &Rival::expand)
      .field("contract", &Rival::contract)
      .field("mse", &Rival::mse)
      .field("rows", &Rival::rows)
      .field("is_bound", &Rival::is_bound);
  rival.type()
      .def("__str__", [](const Rival& r) { return text(r); })
      .def("__repr__", [](const Rival& r) { return "Rival('" + text(r) + "')"; });

  Record<Freedom>(module, "Freedom", "Freedom")
      .field("expand", &Freedom::expand)
      .field("contract", &Freedom::contract)
      .field("unordered", &Freedom::unordered)
      .field("permutations", &Freedom::permutations)
      .field("log10_permutations", &Freedom::log10_permutations)
      .field("at_least", &Freedom::at_least);

  Record<Certificate> certificate(
      module, "Certificate", "Certificate",
      "What backs a verdict: the error on all rows, and how much worse the nearest rival is.");
  certificate.field("verdict", &Certificate::verdict)
      .field("rows", &Certificate::rows)
      .field("mse", &Certificate::mse)
      .field("max_abs_error", &Certificate::max_abs_error)
      .field("floor_mse", &Certificate::floor_mse)
      .field("floor_max_abs_error", &Certificate::floor_max_abs_error)
      .field("floor", &Certificate::floor)
      .field("noise", &Certificate::noise)
      .field("set_aside", &Certificate::set_aside)
      .field("scope", &Certificate::scope)
      .field("rivals", &Certificate::rivals)
      .field("refuted", &Certificate::refuted)
      .field("screened", &Certificate::screened)
      .field("quick", &Certificate::quick)
      .field("every_row", &Certificate::every_row)
      .field("nearest", &Certificate::nearest)
      .field("survivors", &Certificate::survivors)
      .field("freedom", &Certificate::freedom)
      .field("rows_needed", &Certificate::rows_needed)
      .field("passes", &Certificate::passes)
      .field("why", &Certificate::why)
      .field("complete", &Certificate::complete)
      .field("hints", &Certificate::hints)
      .field("permutation", &Certificate::permutation)
      .field("activation", &Certificate::activation)
      .field("pieces_sha256", &Certificate::pieces_sha256)
      .field("rows_sha256", &Certificate::rows_sha256)
      .field("firm", &Certificate::firm);
  certificate.type()
      .def(
          "to_json", [](const Certificate& c) { return to_json(c); }, "As JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return certificate_from_json(text); },
          nb::arg("text"), doc("certificate_from_json"))
      .def("differences", &differences, nb::arg("found"), doc("differences"))
      .def("__repr__", [](const Certificate& c) {
        return "Certificate(" + std::string(word(c.verdict)) + ": " + c.why + ")";
      });
}

void add_solution(nb::module_& module) {
  Record<Solution> solution(module, "Solution", "Solution", "What was found.");
  solution.field("verdict", &Solution::verdict)
      .field("activation", &Solution::activation)
      .field("permutation", &Solution::permutation)
      .field("blocks", &Solution::blocks)
      .field("head", &Solution::head)
      .field("stem", &Solution::stem)
      .field("pairing", &Solution::pairing)
      .field("seed", &Solution::seed)
      .field("seed_mse", &Solution::seed_mse)
      .field("seed_order", &Solution::seed_order)
      .field("rounds", &Solution::rounds)
      .field("story", &Solution::story)
      .field("bradley_terry", &Solution::bradley_terry)
      .field("certificate", &Solution::certificate)
      .field("firm_pairs", &Solution::firm_pairs)
      .field("stopped", &Solution::stopped)
      .field("timings", &Solution::timings);
  solution.type()
      .def(nb::init<const Solution&>(), nb::arg("other"))
      .def_prop_ro("permutation_text", &Solution::permutation_text,
                   doc("Solution::permutation_text"))
      .def_prop_ro("sha256", &Solution::sha256, doc("Solution::sha256"))
      .def_prop_ro(
          "mse", [](const Solution& s) { return s.certificate.mse; }, doc("Certificate::mse"));
}

}  // namespace

void add_results(nb::module_& module) {
  add_small(module);
  add_pairing(module);
  add_certificate(module);
  add_solution(module);
}

}  // namespace humpty::python
