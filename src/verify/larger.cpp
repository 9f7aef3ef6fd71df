// Changes of three places, n³ of them. Blocks that are linear on the data can be made such that the
// products P2·P1 and P4·P3 commute while no other two do; then these two segments may change places
// and every single change does harm. Three W_in can be cycled where no two can be exchanged. (Both
// were found by people who tried to deceive the verifier, and did.)
//
// They are too many to be kept, so each is looked at on the row that tells most, and only those
// that are not refuted from afar go to the trial with all the others: run, thousands at a time in
// float32, where that is affordable; otherwise estimated (screen.cpp).
#include "verify/larger.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "verify/screen.hpp"

namespace humpty::verifier {
namespace {

constexpr std::size_t kTogether = 4096;   // run at a time
constexpr std::size_t kMostLeft = 16384;  // that the trial is asked to settle
constexpr std::size_t kFew = 1024;        // left by the screen: quicker run than screened again
constexpr std::size_t kMostRows = 16;     // screened
constexpr std::size_t kFarRows = 4;       // of them from afar, the others from less far
constexpr std::size_t kMostRun = 500'000;
constexpr double kQuickFlops = 1e9, kMostFlops = 2e11;

double triples(std::size_t n) { return n < 3 ? 0 : double(n) * double(n - 1) * double(n - 2) / 6; }

std::size_t count_of(const Chain<double>& chain) {
  std::map<std::size_t, std::size_t> widths;
  for (std::size_t b = 0; b < chain.blocks(); ++b) ++widths[chain.hidden(b)];
  double count = triples(chain.blocks() - 1);
  for (const auto& [width, pieces] : widths) count += 4 * triples(pieces);
  return std::size_t(count);
}

// Some of them on one row. True if the watch says go on.
bool look(std::vector<Rival>& batch, std::size_t row, Field& field, const Floor& floor,
          Watch& watch, std::vector<Rival>& left) {
  std::vector<Arrangement> arrangements;
  for (const Rival& rival : batch) arrangements.emplace_back(rival, field.blocks());
  const std::vector<Errors> errors = field.run(arrangements, {row}, 1, Precision::quick)[0];
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (!floor.is_far(errors[i])) left.push_back(std::move(batch[i]));
  batch.clear();
  return watch.go_on("verify", -1, "segments and cycles");
}

void run_them(Field& field, const Floor& floor, std::size_t row, Watch& watch, Larger& result) {
  std::vector<Rival> batch;
  const auto go_on = [&] { return look(batch, row, field, floor, watch, result.left); };
  const Chain<double>& chain = field.chain();
  each_larger(
      chain.blocks(),
      [&](std::size_t a, std::size_t b) { return chain.hidden(a) == chain.hidden(b); },
      [&](Rival&& rival) {
        if (!result.complete) return;
        batch.push_back(std::move(rival));
        if (batch.size() == kTogether) result.complete = go_on();
      });
  if (!batch.empty() && result.complete) result.complete = go_on();
}

bool is_same(const Estimate& a, const Estimate& b) {
  return std::tie(a.kind, a.a, a.b, a.c) == std::tie(b.kind, b.a, b.b, b.c);
}
bool is_before(const Estimate& a, const Estimate& b) {
  return std::tie(a.kind, a.a, a.b, a.c) < std::tie(b.kind, b.a, b.b, b.c);
}

// Those that are near on this row too.
void intersect(std::vector<Estimate>& near, std::vector<Estimate> also) {
  std::sort(also.begin(), also.end(), is_before);
  std::erase_if(near, [&](const Estimate& each) {
    const auto found = std::lower_bound(also.begin(), also.end(), each, is_before);
    return found == also.end() || !is_same(*found, each);
  });
}

void estimate_them(Field& field, const Floor& floor, const Field::Places& rows, Larger& result) {
  std::vector<Estimate> near;
  const Transposed transposed(field.quick_chain());
  for (std::size_t r = 0; r < std::min(kMostRows, rows.size()); ++r) {
    const Screen screen(field.quick_chain(), transposed, field.data().features.row(rows[r]));
    const double limit = r < kFarRows ? floor.far() : floor.far() / 10;
    auto found = screen.near(limit, field.threads());
    field.count_work(double(field.blocks() * field.blocks() * field.blocks()) / 6);
    if (r == 0)
      near = std::move(found);
    else
      intersect(near, std::move(found));
    if (near.size() <= kFew) break;
  }
  std::sort(near.begin(), near.end(),
            [](const Estimate& a, const Estimate& b) { return a.size < b.size; });
  result.complete = near.size() <= kMostLeft;
  if (!result.complete) near.resize(kMostLeft);
  for (const Estimate& each : near) {
    result.left.push_back({each.kind, each.a, each.b});
    result.left.back().c = each.c;
  }
  result.screened = result.count;
}

}  // namespace

Larger look_at_larger(Field& field, const Floor& floor, const Field::Places& rows, bool quick,
                      Watch& watch) {
  Larger result;
  result.count = count_of(field.chain());
  if (result.count == 0) return result;
  // Two thirds of the blocks come after the first change.
  const double flops = double(result.count) * field.chain().flops_per_row() * 2 / 3;
  if (flops <= (quick ? kQuickFlops : kMostFlops) && result.count <= kMostRun)
    run_them(field, floor, rows[0], watch, result);
  else
    estimate_them(field, floor, rows, result);
  return result;
}

}  // namespace humpty::verifier
