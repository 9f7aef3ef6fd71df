// A finished solution as JSON. Infinities and NaN have no JSON form and become null.
#include <cmath>

#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"

namespace humpty {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (double value : values) array.push_back(number(value));
  return array;
}

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

Json rival(const Rival& r) {
  return {{"what", text(r)},      {"a", r.a},       {"b", r.b},
          {"mse", number(r.mse)}, {"rows", r.rows}, {"is_bound", r.is_bound}};
}

void add(Json& json, const Certificate& c) {
  json["mse"] = number(c.mse);
  json["max_abs_error"] = number(c.max_abs_error);
  json["floor_mse"] = number(c.floor_mse);
  json["floor_max_abs_error"] = number(c.floor_max_abs_error);
  json["floor"] = c.floor;
  json["scope"] = name(c.scope);
  json["rivals"] = c.rivals;
  json["refuted"] = c.refuted;
  json["nearest"] = c.nearest ? rival(*c.nearest) : Json(nullptr);
  json["rows"] = c.rows;
  json["passes"] = c.passes;
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

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const Certificate& certificate) {
  Json json;
  json["verdict"] = name(certificate.verdict);
  json["why"] = certificate.why;
  add(json, certificate);
  json["version"] = version();
  return dump(json);
}

std::string to_json(const Solution& solution, const Puzzle& puzzle) {
  const Certificate& c = solution.certificate;
  Json json;
  json["verdict"] = name(solution.verdict);
  json["why"] = c.why;
  json["permutation"] = solution.permutation;
  json["sha256"] = solution.sha256();
  json["blocks"] = blocks(solution);
  json["head"] = solution.head;
  add(json, c);
  json["activation"] = name(puzzle.activation);
  json["seed"] = solution.seed;
  json["seed_order"] = solution.seed_order;
  json["seed_mse"] = number(solution.seed_mse);
  json["rounds"] = rounds(solution);
  if (solution.bradley_terry) json["bradley_terry"] = bradley_terry(*solution.bradley_terry);
  json["stopped"] = solution.stopped.empty() ? Json(nullptr) : Json(solution.stopped);
  json["pieces"] = pieces(puzzle);
  json["timings_ms"] = timings(solution);
  json["version"] = version();
  return dump(json);
}

}  // namespace humpty
