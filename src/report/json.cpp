// A finished solution as JSON. Infinities and NaN have no JSON form and become null.
#include "report/json.hpp"

#include <cmath>

#include "report/certificate.hpp"

namespace humpty {
namespace report {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (double value : values) array.push_back(number(value));
  return array;
}

namespace {

Json blocks(const Solution& solution) {
  Json array = Json::array();
  for (const Block& block : solution.blocks)
    array.push_back({{"in", block.in},
                     {"out", block.out},
                     {"score", number(block.score)},
                     {"margin", number(block.margin)}});
  return array;
}

Json rounds(const Solution& solution) {
  Json array = Json::array();
  for (const Round& round : solution.rounds)
    array.push_back({{"swaps", round.swaps}, {"mse", number(round.mse)}, {"rows", round.rows}});
  return array;
}

Json bradley_terry(const BradleyTerry& bt) {
  Json cycles = Json::array();
  for (const Cycle& cycle : bt.cycles)
    cycles.push_back({{"blocks", cycle.blocks},
                      {"weakest_margin", number(cycle.weakest_margin)},
                      {"span", cycle.span}});
  return {{"iterations", bt.iterations},
          {"last_change", number(bt.last_change)},
          {"converged", bt.converged},
          {"triples", bt.triples},
          {"cycles", cycles},
          {"median_margin", number(bt.median_margin)},
          {"mse", number(bt.mse)},
          {"strength", numbers(bt.strength)}};
}

void add(Json& json, const Certificate& c) {
  json["mse"] = number(c.mse);
  json["max_abs_error"] = number(c.max_abs_error);
  json["floor_mse"] = number(c.floor_mse);
  json["floor_max_abs_error"] = number(c.floor_max_abs_error);
  json["rows"] = c.rows;
}

Json pieces(const Puzzle& puzzle) {
  Json table = Json::object();
  for (const Piece& piece : puzzle.pieces) table[std::to_string(piece.id)] = piece.file;
  return table;
}

Json timings(const Solution& solution) {
  Json table = Json::object();
  for (const Timing& timing : solution.timings) table[timing.stage] = timing.ms;
  return table;
}

}  // namespace

Json solution_json(const Solution& solution, const Puzzle& puzzle) {
  const Certificate& c = solution.certificate;
  Json json;
  json["verdict"] = name(solution.verdict);
  json["why"] = c.why;
  json["permutation"] = solution.permutation;
  json["sha256"] = solution.sha256();
  json["blocks"] = blocks(solution);
  json["head"] = solution.head;
  json["stem"] = solution.stem ? Json(*solution.stem) : Json(nullptr);
  add(json, c);
  json["certificate"] = certificate_json(c);
  json["firm_pairs"] = solution.firm_pairs;
  json["activation"] = name(solution.activation);
  json["seed"] = solution.seed;
  json["seed_order"] = solution.seed_order;
  json["seed_mse"] = number(solution.seed_mse);
  json["rounds"] = rounds(solution);
  json["story"] = solution.story;
  if (solution.bradley_terry) json["bradley_terry"] = bradley_terry(*solution.bradley_terry);
  json["stopped"] = solution.stopped.empty() ? Json(nullptr) : Json(solution.stopped);
  json["pieces"] = pieces(puzzle);
  json["notes"] = puzzle.notes;
  json["timings_ms"] = timings(solution);
  json["version"] = version();
  return json;
}

Json salvaged_json(const Salvaged& salvaged) {
  Json json = solution_json(salvaged.solution, salvaged.puzzle), left = Json::array();
  for (const Salvaged::LeftOut& each : salvaged.left_out)
    left.push_back({{"piece", each.piece}, {"why", each.why}});
  json["salvage"] = {{"left_out", left},
                     {"gap", salvaged.gap ? Json(*salvaged.gap) : Json(nullptr)},
                     {"or_here", salvaged.or_here},
                     {"remarks", salvaged.remarks}};
  return json;
}

}  // namespace report

namespace {

using report::Json;

std::string text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const PairReport& report) {
  const Pairing& pairing = report.pairing;
  const std::size_t n = pairing.expand.size();
  Json json, pairs = Json::array(), scores = Json::array(), others = Json::array();
  for (std::size_t i = 0; i < n; ++i) {
    pairs.push_back({pairing.expand[i], pairing.contract[pairing.match[i]]});
    scores.push_back(report::number(pairing.scores[i * n + pairing.match[i]]));
  }
  for (const std::vector<int>& contract : report.alternatives) {
    Json other = Json::array();
    for (std::size_t i = 0; i < n; ++i) other.push_back({pairing.expand[i], contract[i]});
    others.push_back(other);
  }
  json["pairs"] = pairs;
  json["scores"] = scores;
  json["margins"] = report::numbers(report.margins);
  json["confidence"] = report::numbers(report.confidence);
  json["candidates"] = report.candidates;
  json["alternatives"] = others;
  json["signal"] = report.trace;
  json["separation"] = report::number(report.separation);
  json["chance"] = report::number(report.chance);
  json["separations"] = Json::object();
  for (const auto& [signal, separation] : report.signals)
    json["separations"][std::string(name(signal))] = report::number(separation);
  json["version"] = version();
  return text(json);
}

std::string to_json(const Solution& solution, const Puzzle& puzzle) {
  return text(report::solution_json(solution, puzzle));
}

std::string to_json(const Salvaged& salvaged) { return text(report::salvaged_json(salvaged)); }

}  // namespace humpty
