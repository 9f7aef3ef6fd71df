#include "report/anatomy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "lab/anatomy.hpp"
#include "lab/sampling.hpp"
#include "net/stem.hpp"
#include "report/base64.hpp"

namespace humpty::report {
namespace {

constexpr std::size_t kMotionRows = 2000;  // as the paper's delta-norm
constexpr std::size_t kMostAnswers = 2000;
constexpr std::size_t kMostProducts = 96, kFullProduct = 64, kBinnedProduct = 48;
constexpr std::size_t kMostScores = 128;  // a side of the pairing's table
constexpr std::size_t kMostValues = 64;   // of one spectrum
constexpr std::size_t kMostSteps = 60;    // of the order's way
constexpr std::size_t kBins = 48;         // of the histogram
#ifdef __wasm__
constexpr double kSwapWork = 8e9;  // multiply-adds: a second in a page,
#else
constexpr double kSwapWork = 4e10;  // a quarter of one elsewhere
#endif
constexpr double kSpectrumWork = 2e9;  // n · d³

// Four digits are more than a picture shows.
Json brief(double value, int digits = 4) {
  return std::isfinite(value) ? Json(std::stod(fmt::format("{:.{}g}", value, digits)))
                              : Json(nullptr);
}

Json brief(const std::vector<double>& values, int digits = 4) {
  Json list = Json::array();
  for (double value : values) list.push_back(brief(value, digits));
  return list;
}

// -------------------------------------------------------------------------------------- pairing

// 0 … 254 for the range, 255 for pairs that cannot be.
std::string score_bytes(const Matrix& table, double low, double high) {
  std::string bytes;
  const double step = high > low ? 254 / (high - low) : 0;
  for (float score : table.values)
    bytes.push_back(std::isfinite(score)
                        ? static_cast<char>(std::lround((double{score} - low) * step))
                        : '\xff');
  return bytes;
}

std::pair<double, double> finite_range(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  return low <= high ? std::pair(low, high) : std::pair(0.0, 0.0);
}

Json pairing_json(const Solution& solution) {
  const Pairing& pairing = solution.pairing;
  const auto [low, high] = finite_range(pairing.scores);
  const std::size_t side = std::min(kMostScores, pairing.expand.size());
  const auto bytes = [&, low = low, high = high](const Matrix& table) {
    return base64(score_bytes(lab::binned(table, side, lab::Bin::largest), low, high));
  };
  return {{"signal", name(pairing.signal)},
          {"pieces", pairing.expand.size()},
          {"side", side},
          {"low", brief(low)},
          {"high", brief(high)},
          {"before", bytes(lab::scores_by_id(pairing))},
          {"after", bytes(lab::scores_by_pair(pairing, solution.blocks))}};
}

// ids of the contract pieces that go with the table's rows; −1 where there is none.
std::vector<int> partners(const Solution& solution) {
  const Pairing& pairing = solution.pairing;
  std::vector<int> partner;
  for (std::size_t i = 0; i < pairing.expand.size(); ++i) {
    const auto block = std::find_if(solution.blocks.begin(), solution.blocks.end(),
                                    [&](const Block& b) { return b.in == pairing.expand[i]; });
    partner.push_back(block != solution.blocks.end() ? block->out
                      : solution.blocks.empty()      ? pairing.contract[pairing.match[i]]
                                                     : -1);
  }
  return partner;
}

Json histogram_json(const Solution& solution) {
  const Pairing& pairing = solution.pairing;
  const auto [low, high] = finite_range(pairing.scores);
  const std::vector<int> partner = partners(solution);
  std::vector<std::size_t> matched(kBins), unmatched(kBins);
  for (std::size_t i = 0; i < pairing.scores.size(); ++i) {
    if (!std::isfinite(pairing.scores[i])) continue;
    const double share = high > low ? (pairing.scores[i] - low) / (high - low) : 0;
    const auto bin = std::min(kBins - 1, static_cast<std::size_t>(share * kBins));
    const std::size_t n = pairing.contract.size();
    ++(partner[i / n] == pairing.contract[i % n] ? matched : unmatched)[bin];
  }
  return {{"low", brief(low, 7)},
          {"high", brief(high, 7)},
          {"matched", matched},
          {"unmatched", unmatched}};
}

// ---------------------------------------------------------------------------------------- order

// From the seed through the rounds to where it ended; of very many rounds some.
Json way_json(const Solution& solution) {
  Json way = Json::array();
  if (!solution.seed_order.empty())
    way.push_back(
        {{"what", "seed"}, {"mse", number(solution.seed_mse)}, {"order", solution.seed_order}});
  if (solution.bradley_terry)
    way.push_back({{"what", "ranking"},
                   {"mse", number(solution.bradley_terry->mse)},
                   {"order", solution.bradley_terry->order}});
  for (std::size_t i : lab::spread(solution.rounds.size(), kMostSteps))
    way.push_back({{"what", "round"},
                   {"round", i + 1},
                   {"moves", solution.rounds[i].swaps},
                   {"mse", number(solution.rounds[i].mse)},
                   {"order", solution.rounds[i].order}});
  if (solution.blocks.empty()) return way;
  Json order = Json::array();
  for (const Block& block : solution.blocks) order.push_back(block.in);
  way.push_back({{"what", "end"}, {"mse", number(solution.certificate.mse)}, {"order", order}});
  return way;
}

// --------------------------------------------------------------------------------------- blocks

struct Placed {
  const Piece &in, &out;
};

Placed placed(const lab::Assembled& net, std::size_t place) {
  return {net.puzzle.piece(net.permutation[2 * place]),
          net.puzzle.piece(net.permutation[2 * place + 1])};
}

Json spectrum_json(const lab::Assembled& net, std::size_t place) {
  const auto [in, out] = placed(net, place);
  const std::vector<double> values = lab::singular_values(lab::product(in, out));
  std::vector<double> shown;
  for (std::size_t i : lab::spread(values.size(), kMostValues)) shown.push_back(values[i]);
  return {{"place", place},
          {"effective_rank", brief(lab::effective_rank(values))},
          {"values", brief(shown)}};
}

template <typename Make>
Json for_each_place(const std::vector<std::size_t>& places, Threads& threads, Make make) {
  std::vector<Json> made(places.size());
  threads.run(places.size(), [&](std::size_t i, unsigned) { made[i] = make(places[i]); });
  return made;
}

Json spectra_json(const lab::Assembled& net, std::size_t blocks, Threads& threads) {
  const double d = static_cast<double>(placed(net, 0).in.weight.cols);
  const auto affordable = static_cast<std::size_t>(kSpectrumWork / std::max(1.0, d * d * d));
  const auto places = lab::spread(blocks, std::max(affordable, std::size_t{16}));
  return for_each_place(places, threads, [&](std::size_t p) { return spectrum_json(net, p); });
}

// 128 is zero, 1 and 255 are ∓ the largest.
Json product_json(const lab::Assembled& net, std::size_t place, std::size_t side) {
  const auto [in, out] = placed(net, place);
  const Matrix small = lab::binned(lab::product(in, out), side, lab::Bin::mean);
  float largest = 0;
  for (float value : small.values) largest = std::max(largest, std::abs(value));
  std::string bytes;
  for (float value : small.values)
    bytes.push_back(static_cast<char>(
        largest > 0 && std::isfinite(largest) ? std::lround(128 + 127 * value / largest) : 128));
  return {{"place", place}, {"largest", brief(largest)}, {"values", base64(bytes)}};
}

Json products_json(const lab::Assembled& net, std::size_t blocks, Threads& threads) {
  const std::size_t d = placed(net, 0).in.weight.cols,
                    side = d <= kFullProduct ? d : kBinnedProduct;
  return {{"width", d},
          {"side", side},
          {"of", for_each_place(lab::spread(blocks, kMostProducts), threads,
                                [&](std::size_t p) { return product_json(net, p, side); })}};
}

Json norms_json(const lab::Assembled& net, std::size_t blocks) {
  std::vector<double> norms;
  for (std::size_t k = 0; k < blocks; ++k)
    norms.push_back(lab::frobenius_norm(placed(net, k).out.weight));
  return brief(norms);
}

Json motions_json(const lab::Assembled& net, Threads& threads) {
  std::vector<double> delta, active, relative;
  for (const lab::Motion& motion : lab::motions(net, kMotionRows, threads)) {
    delta.push_back(motion.delta_norm);
    active.push_back(motion.active);
    relative.push_back(motion.relative);
  }
  return {{"rows", std::min(kMotionRows, net.puzzle.rows.features.rows)},
          {"delta_norm", brief(delta)},
          {"active", brief(active)},
          {"relative", brief(relative)}};
}

// --------------------------------------------------------------------------------------- errors

// Half of a forward pass for every exchange: as many rows as that can be afforded for.
Json swaps_json(const lab::Assembled& net, std::size_t blocks, Threads& threads) {
  double weights = 0;
  for (const Piece& piece : net.puzzle.pieces)
    weights += static_cast<double>(piece.weight.values.size());
  constexpr double kLeast = 64;
  const double rows = std::max(kLeast, kSwapWork / (weights * static_cast<double>(blocks) / 2));
  const std::size_t all = net.puzzle.rows.features.rows;
  const auto taken = rows < static_cast<double>(all) ? static_cast<std::size_t>(rows) : all;
  return {{"rows", taken}, {"mse", brief(lab::adjacent_swaps(net, taken, threads), 6)}};
}

Json answers_json(const lab::Assembled& net, Threads& threads) {
  Json row = Json::array(), output = row, target = row, residual = row;
  for (const lab::Answer& answer : lab::answers(net, kMostAnswers, threads)) {
    row.push_back(answer.row);
    output.push_back(answer.output);
    target.push_back(brief(answer.target, 7));
    residual.push_back(brief(answer.predicted - answer.target));
  }
  return {{"of", net.puzzle.rows.target.values.size()},
          {"row", row},
          {"output", output},
          {"target", target},
          {"residual", residual}};
}

}  // namespace

Json anatomy_json(const Solution& solution, const Puzzle& puzzle, Threads& threads) {
  Json json = Json::object();
  const Pairing& pairing = solution.pairing;
  if (!pairing.match.empty()) {
    json["pairing"] = pairing_json(solution);
    json["histogram"] = histogram_json(solution);
  }
  json["way"] = way_json(solution);
  const std::size_t blocks = solution.blocks.size();
  if (blocks == 0) return json;
  // A stem is no block: the page shows the stream from where it starts.
  const std::optional<Puzzle> past =
      puzzle.stem() ? std::optional(net::past_stem(puzzle, threads)) : std::nullopt;
  const std::vector<int> permutation(solution.permutation.end() - std::ptrdiff_t(2 * blocks + 1),
                                     solution.permutation.end());
  const lab::Assembled net{past ? *past : puzzle, permutation, solution.activation};
  json["products"] = products_json(net, blocks, threads);
  json["spectra"] = spectra_json(net, blocks, threads);
  json["out_norm"] = norms_json(net, blocks);
  if (puzzle.target == Target::none) return json;
  json["motions"] = motions_json(net, threads);
  json["answers"] = answers_json(net, threads);
  if (puzzle.target != Target::probabilities)  // the search compares logits, the page cannot
    json["swaps"] = swaps_json(net, blocks, threads);
  return json;
}

Json puzzle_json(const Puzzle& puzzle) {
  Json pieces = Json::array();
  std::set<std::size_t> hidden;
  for (const Piece& piece : puzzle.pieces) {
    pieces.push_back({{"id", piece.id},
                      {"role", name(piece.role)},
                      {"shape", {piece.weight.rows, piece.weight.cols}},
                      {"dtype", piece.dtype}});
    if (piece.role == Role::expand) hidden.insert(piece.weight.rows);
  }
  const auto names = [](const std::vector<std::string>& all) {
    return all.size() < 3 ? Json(all) : Json{all.front(), all.back()};
  };
  return {{"pieces", pieces},
          {"hidden", hidden},
          {"rows", puzzle.rows.features.rows},
          {"features", puzzle.rows.features.cols},
          {"feature_names", names(puzzle.rows.feature_names)},
          {"outputs", puzzle.rows.target.cols},
          {"target_names", names(puzzle.rows.target_names)},
          {"target", name(puzzle.target)}};
}

}  // namespace humpty::report
