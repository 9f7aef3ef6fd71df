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
constexpr const char *kQuick = "quick", *kThorough = "thorough", *kEveryRow = "every row";

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json rival(const Rival& r) {
  using Kind = Rival::Kind;
  Json json{{"what", text(r)}, {"kind", name(r.kind)}, {"a", r.a}, {"b", r.b}};
  if (r.kind == Kind::segments || r.kind == Kind::cycle_in || r.kind == Kind::cycle_out)
    json["c"] = r.c;
  if (r.kind == Kind::window) json.update({{"expand", r.expand}, {"contract", r.contract}});
  json.update({{"mse", number(r.mse)}, {"rows", r.rows}, {"is_bound", r.is_bound}});
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
  json["complete"] = c.complete;
  json["permutation"] = c.permutation;
  json["pieces_sha256"] = c.pieces_sha256;
  json["rows_sha256"] = c.rows_sha256;
  json["activation"] = name(c.activation);
  json["rows"] = c.rows;
  json["rows_needed"] = c.rows_needed;
  json["mse"] = number(c.mse);
  json["max_abs_error"] = number(c.max_abs_error);
  json["floor"] = c.floor;
  json["floor_mse"] = number(c.floor_mse);
  json["floor_max_abs_error"] = number(c.floor_max_abs_error);
  json["noise"] = number(c.noise);
  json["set_aside"] = c.set_aside;
  json["scope"] = name(c.scope);
  json["check"] = c.every_row ? kEveryRow : c.quick ? kQuick : kThorough;
  json["rivals"] = c.rivals;
  json["refuted"] = c.refuted;
  json["screened"] = c.screened;
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
  Enum word(const char* key, const std::vector<Enum>& values) const {
    const auto given = get<std::string>(key);
    for (Enum value : values)
      if (name(value) == given) return value;
    fail(fmt::format("has the unknown {} '{}'", key, given.substr(0, 40)));
  }
  Reader within(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_object()) fail(fmt::format("has no object '{}'", key));
    return Reader(*found, file_);
  }
  bool has(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && !found->is_null();
  }
  std::vector<Reader> list(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_array()) fail(fmt::format("has no list '{}'", key));
    std::vector<Reader> result;
    for (const Json& each : *found) {
      if (!each.is_object()) fail(fmt::format("has a '{}' of the wrong kind", key));
      result.emplace_back(each, file_);
    }
    return result;
  }
  const Json& json() const { return json_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::bad_format,
                "not a certificate as humpty writes them with --json: it " + what, {.file = file_});
  }

 private:
  const Json& json_;
  const std::string& file_;
};

Rival rival_from(const Reader& read) {
  using Kind = Rival::Kind;
  Rival r;
  r.kind = read.word<Kind>(
      "kind", {Kind::swap, Kind::insertion, Kind::exchange_out, Kind::exchange_in, Kind::segments,
               Kind::reversal, Kind::cycle_out, Kind::cycle_in, Kind::window});
  r.a = read.get<std::size_t>("a");
  r.b = read.get<std::size_t>("b");
  if (read.has("c")) r.c = read.get<std::size_t>("c");
  if (read.has("expand")) r.expand = read.get<std::vector<std::size_t>>("expand");
  if (read.has("contract")) r.contract = read.get<std::vector<std::size_t>>("contract");
  r.mse = read.number("mse");
  r.rows = read.get<std::size_t>("rows");
  r.is_bound = read.get<bool>("is_bound");
  return r;
}

Freedom freedom_from(const Reader& read) {
  Freedom f;
  f.permutations = read.get<std::string>("permutations");
  f.log10_permutations = read.number("log10_permutations");
  f.at_least = read.get<bool>("at_least");
  f.expand = read.get<std::vector<std::vector<int>>>("expand");
  f.contract = read.get<std::vector<std::vector<int>>>("contract");
  f.unordered = read.get<std::vector<std::pair<int, int>>>("unordered");
  return f;
}

void read_check(const Reader& read, Certificate& c) {
  const auto check = read.get<std::string>("check");
  c.quick = check == kQuick, c.every_row = check == kEveryRow;
  if (!c.quick && !c.every_row && check != kThorough) read.fail("has an unknown 'check'");
}

Certificate certificate_from(const Reader& read) {
  Certificate c;
  c.verdict =
      read.word<Verdict>("verdict", {Verdict::exact, Verdict::ambiguous, Verdict::unsolved});
  c.why = read.get<std::string>("why");
  c.complete = read.get<bool>("complete");
  c.permutation = read.get<std::vector<int>>("permutation");
  c.pieces_sha256 = read.get<std::string>("pieces_sha256");
  c.rows_sha256 = read.get<std::string>("rows_sha256");
  c.activation = read.word("activation", all_activations());
  c.rows = read.get<std::size_t>("rows");
  c.rows_needed = read.get<std::size_t>("rows_needed");
  c.mse = read.number("mse");
  c.max_abs_error = read.number("max_abs_error");
  c.floor = read.get<std::string>("floor");
  c.floor_mse = read.number("floor_mse");
  c.floor_max_abs_error = read.number("floor_max_abs_error");
  c.noise = read.number("noise");
  c.set_aside = read.get<std::vector<std::size_t>>("set_aside");
  c.scope = read.word<Scope>("scope", {Scope::floor, Scope::adjacent, Scope::full, Scope::all});
  read_check(read, c);
  c.rivals = read.get<std::size_t>("rivals");
  c.refuted = read.get<std::size_t>("refuted");
  c.screened = read.get<std::size_t>("screened");
  if (read.has("nearest")) c.nearest = rival_from(read.within("nearest"));
  for (const Reader& each : read.list("survivors")) c.survivors.push_back(rival_from(each));
  if (read.has("freedom")) c.freedom = freedom_from(read.within("freedom"));
  c.firm = read.get<std::vector<std::size_t>>("firm");
  c.hints = read.get<std::vector<std::string>>("hints");
  c.passes = read.number("passes");
  return c;
}

// The first place, as a path, at which two JSON values are not equal; empty if they are.
// Keys may come in any order.
std::string first_difference(const nlohmann::json& a, const nlohmann::json& b,
                             const std::string& path = "") {
  if (a == b) return "";
  if (!a.is_object() || !b.is_object()) return path;
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const auto& [key, value] : b.items())
    if (!a.contains(key)) return prefix + key;
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key)) return prefix + key;
    if (const auto found = first_difference(value, b[key], prefix + key); !found.empty())
      return found;
  }
  return "";
}

// Written again it must be what was read: nothing more, and no text that its numbers do not say.
Certificate checked_certificate(const Json& json, const std::string& file) {
  const Reader read(json, file);
  const Certificate c = certificate_from(read);
  if (const auto path = first_difference(json, certificate_json(c)); !path.empty())
    read.fail(fmt::format("has a '{}' that is not as humpty would write it", path));
  return c;
}

// What a solution says beside its certificate must be what follows from the certificate.
void check_solution(const Reader& whole, const Certificate& c) {
  Solution implied;
  implied.permutation = c.permutation;
  const nlohmann::json certificate = certificate_json(c), solution = whole.json();
  for (const auto& [key, value] : solution.items()) {
    const auto& history = uncertified_keys();
    if (key == "certificate" || std::find(history.begin(), history.end(), key) != history.end())
      continue;
    if (key == "sha256" || key == "blocks" || key == "head" || key == "stem") continue;
    if (!certificate.contains(key))
      whole.fail(fmt::format("has a '{}' that no certificate covers", key));
    if (certificate[key] != value)
      whole.fail(fmt::format("contradicts itself: its '{}' is not its certificate's", key));
  }
  if (whole.get<std::string>("sha256") != implied.sha256())
    whole.fail("contradicts itself: its 'sha256' is not its permutation's");
  std::vector<int> told;
  if (whole.has("stem")) told.push_back(whole.get<int>("stem"));
  for (const Reader& block : whole.list("blocks"))
    told.insert(told.end(), {block.get<int>("in"), block.get<int>("out")});
  told.push_back(whole.get<int>("head"));
  if (told != c.permutation)
    whole.fail("contradicts itself: its stem, blocks and head are not its permutation");
}

// How far two machines may be apart in a number. The floor is what float32 rounding was measured to
// do, and that depends on which products a machine fuses; so does how many rows refute a rival.
double factor_of(const std::string& key) {
  return key == "floor_mse" || key == "floor_max_abs_error" || key == "passes" ? 1.5 : 1.001;
}

bool agree(const std::string& key, const Json& a, const Json& b) {
  if (!a.is_number_float() || !b.is_number_float()) return a == b;
  const double x = a, y = b, factor = factor_of(key);
  return x == y || (x <= y * factor && y <= x * factor);
}

// What two values that should be the same say otherwise, a line each.
void compare(const std::string& path, const std::string& key, const Json& claimed,
             const Json& found, std::vector<std::string>& lines) {
  if (claimed.is_object() && found.is_object()) {
    for (const auto& [name, value] : claimed.items())
      compare(path.empty() ? name : path + "." + name, name, value,
              found.contains(name) ? found[name] : Json(nullptr), lines);
  } else if (claimed.is_array() && found.is_array() && claimed.size() == found.size()) {
    for (std::size_t i = 0; i < claimed.size(); ++i)
      compare(fmt::format("{}[{}]", path, i), key, claimed[i], found[i], lines);
  } else if (!agree(key, claimed, found)) {
    constexpr std::size_t kLongest = 60;
    const auto shown = [](const Json& value) {
      const std::string whole =
          value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true);
      return whole.size() <= kLongest ? whole : whole.substr(0, kLongest) + "...";
    };
    lines.push_back(fmt::format("{}: {} is claimed, {} found", path, shown(claimed), shown(found)));
  }
}

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
  if (!json.contains("certificate")) {
    report::Json alone = json;
    alone.erase("version");
    return report::checked_certificate(alone, file);
  }
  if (!json["certificate"].is_object()) whole.fail("has a 'certificate' of the wrong kind");
  const Certificate c = report::checked_certificate(json["certificate"], file);
  report::check_solution(whole, c);
  return c;
}

const std::vector<std::string>& uncertified_keys() {
  static const std::vector<std::string> keys{"score",         "margin",   "firm_pairs", "seed",
                                             "seed_order",    "seed_mse", "rounds",     "story",
                                             "bradley_terry", "stopped",  "pieces",     "notes",
                                             "timings_ms",    "version",  "salvage"};
  return keys;
}

std::vector<std::string> differences(const Certificate& claimed, const Certificate& found) {
  std::vector<std::string> result;
  if (claimed.pieces_sha256 != found.pieces_sha256) result.push_back("these are other pieces");
  if (claimed.rows_sha256 != found.rows_sha256) result.push_back("these are other rows");
  report::compare("", "", report::certificate_json(claimed), report::certificate_json(found),
                  result);
  return result;
}

}  // namespace humpty
