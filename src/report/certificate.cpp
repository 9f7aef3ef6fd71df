// Certificates to JSON and back. A certificate names the pieces and rows it is about by their
// SHA-256, the order, what was measured and which rivals were looked at; whoever has the same
// pieces and rows can repeat every step of it, and `differences` says what does not come out.
#include "report/certificate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace humpty {
namespace report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMost = 1000;  // entries of a list that could be n² long

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

constexpr std::pair<Rival::Kind, const char*> kKinds[] = {
    {Rival::Kind::swap, "swap"},
    {Rival::Kind::insertion, "insertion"},
    {Rival::Kind::exchange_out, "exchange_out"},
    {Rival::Kind::exchange_in, "exchange_in"}};

Json rival(const Rival& r) {
  Json json{{"what", text(r)}};
  for (const auto& [kind, word] : kKinds)
    if (kind == r.kind) json["kind"] = word;
  json.update({{"a", r.a}, {"b", r.b}, {"mse", number(r.mse)}, {"rows", r.rows}});
  json["is_bound"] = r.is_bound;
  return json;
}

template <typename List, typename Write>
Json some(const List& list, Write write) {
  Json array = Json::array();
  for (std::size_t i = 0; i < std::min(kMost, list.size()); ++i) array.push_back(write(list[i]));
  return array;
}

Json freedom(const Freedom& f) {
  return {{"permutations", f.permutations},
          {"log10_permutations", number(f.log10_permutations)},
          {"at_least", f.at_least},
          {"expand", f.expand},
          {"contract", f.contract},
          {"unordered", some(f.unordered, [](const auto& pair) {
             return Json::array({pair.first, pair.second});
           })}};
}

}  // namespace

Json certificate_json(const Certificate& c) {
  Json json;
  json["verdict"] = name(c.verdict);
  json["why"] = c.why;
  json["permutation"] = c.permutation;
  json["pieces_sha256"] = c.pieces_sha256;
  json["rows_sha256"] = c.rows_sha256;
  json["rows"] = c.rows;
  json["rows_needed"] = c.rows_needed;
  json["mse"] = number(c.mse);
  json["max_abs_error"] = number(c.max_abs_error);
  json["floor"] = c.floor;
  json["floor_mse"] = number(c.floor_mse);
  json["floor_max_abs_error"] = number(c.floor_max_abs_error);
  json["noise"] = number(c.noise);
  json["scope"] = name(c.scope);
  json["rivals"] = c.rivals;
  json["refuted"] = c.refuted;
  json["nearest"] = c.nearest ? rival(*c.nearest) : Json(nullptr);
  json["survivors"] = some(c.survivors, rival);
  json["freedom"] = c.freedom ? freedom(*c.freedom) : Json(nullptr);
  json["firm"] = c.firm;
  json["hints"] = c.hints;
  json["passes"] = number(c.passes);
  return json;
}

namespace {

// Reads one certificate, complaining by name about what is missing or of the wrong kind.
class Reader {
 public:
  Reader(const Json& json, const std::string& file) : json_(json), file_(file) {}

  template <typename Value>
  Value get(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("has no '{}'", key));
    try {
      return found->get<Value>();
    } catch (const Json::exception&) {
      fail(fmt::format("has a '{}' of the wrong kind", key));
    }
  }
  double number(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && found->is_null() ? NAN : get<double>(key);
  }
  // A value of an enumeration by its name.
  template <typename Enum>
  Enum word(const char* key, std::initializer_list<Enum> values) const {
    const auto given = get<std::string>(key);
    for (Enum value : values)
      if (name(value) == given) return value;
    fail(fmt::format("has the unknown {} '{}'", key, given.substr(0, 40)));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::bad_format,
                "not a certificate as humpty writes them with --json: it " + what, {.file = file_});
  }

 private:
  const Json& json_;
  const std::string& file_;
};

}  // namespace
}  // namespace report

std::string to_json(const Certificate& certificate) {
  report::Json json = report::certificate_json(certificate);
  json["version"] = version();
  return json.dump(2, ' ', false, report::Json::error_handler_t::replace) + "\n";
}

Certificate certificate_from_json(const std::string& text, const std::string& file) {
  const auto json = report::Json::parse(text, nullptr, false);
  const report::Reader whole(json, file);
  if (!json.is_object()) whole.fail("is no JSON object");
  const auto nested = json.find("certificate");
  const report::Json& object = nested == json.end() ? json : *nested;
  if (!object.is_object()) whole.fail("has a 'certificate' of the wrong kind");
  const report::Reader read(object, file);
  Certificate c;
  c.verdict = read.word("verdict", {Verdict::exact, Verdict::ambiguous, Verdict::unsolved});
  c.permutation = read.get<std::vector<int>>("permutation");
  c.pieces_sha256 = read.get<std::string>("pieces_sha256");
  c.rows_sha256 = read.get<std::string>("rows_sha256");
  c.rows = read.get<std::size_t>("rows");
  c.mse = read.number("mse");
  c.max_abs_error = read.number("max_abs_error");
  c.floor = read.get<std::string>("floor");
  c.floor_mse = read.number("floor_mse");
  c.floor_max_abs_error = read.number("floor_max_abs_error");
  c.noise = read.number("noise");
  c.scope = read.word("scope", {Scope::floor, Scope::adjacent, Scope::full});
  c.rivals = read.get<std::size_t>("rivals");
  c.refuted = read.get<std::size_t>("refuted");
  return c;
}

std::vector<std::string> differences(const Certificate& claimed, const Certificate& found) {
  std::vector<std::string> result;
  const auto compare = [&](const char* what, const auto& a, const auto& b) {
    if (a != b) result.push_back(fmt::format("{}: {} is claimed, {} found", what, a, b));
  };
  // Other machines fuse and sum otherwise; that shows in the last digits of an error which is
  // rounding itself, so what is compared is its size.
  const auto close = [&](const char* what, double a, double b) {
    constexpr double factor = 1.5;
    const bool same =
        (std::isnan(a) && std::isnan(b)) || a == b || (a <= b * factor && b <= a * factor);
    if (!same) result.push_back(fmt::format("{}: {:.4g} is claimed, {:.4g} found", what, a, b));
  };
  if (claimed.pieces_sha256 != found.pieces_sha256) result.push_back("these are other pieces");
  if (claimed.rows_sha256 != found.rows_sha256) result.push_back("these are other rows");
  compare("verdict", name(claimed.verdict), name(found.verdict));
  compare("rows", claimed.rows, found.rows);
  compare("floor", claimed.floor, found.floor);
  compare("rivals", claimed.rivals, found.rivals);
  compare("refuted", claimed.refuted, found.refuted);
  close("mean square error", claimed.mse, found.mse);
  close("largest error", claimed.max_abs_error, found.max_abs_error);
  close("floor of the mean square", claimed.floor_mse, found.floor_mse);
  close("floor of the largest error", claimed.floor_max_abs_error, found.floor_max_abs_error);
  return result;
}

}  // namespace humpty
