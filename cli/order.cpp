#include "order.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "io/file.hpp"

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

}  // namespace

std::string read_text(const std::string& path) {
  const io::File file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::vector<int> read_order(const std::string& given, const std::vector<Piece>& pieces) {
  if (given == "graph") return graph_order(pieces);
  std::error_code too_long;  // a list of ids may be longer than any name
  if (!std::filesystem::exists(given, too_long)) return ids_in(given, "--order");
  const std::string text = read_text(given);
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

}  // namespace humpty::cli
