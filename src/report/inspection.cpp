#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"

namespace humpty {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void add_range(Json& json, const std::optional<std::pair<double, double>>& range) {
  json["min"] = range ? Json(range->first) : Json(nullptr);
  json["max"] = range ? Json(range->second) : Json(nullptr);
}

Json to_object(const TensorFacts& facts) {
  Json json{{"name", facts.name}, {"shape", facts.shape}, {"dtype", facts.dtype}};
  json["norm"] = facts.norm;
  add_range(json, facts.range);
  json["non_finite"] = facts.non_finite;
  return json;
}

Json to_object(const FileFacts& facts) {
  Json json{{"file", facts.file}};
  json["tensors"] = Json::array();
  for (const TensorFacts& tensor : facts.tensors) json["tensors"].push_back(to_object(tensor));
  json["skipped"] = facts.skipped;
  json["error"] = text_or_null(facts.error);
  return json;
}

Json to_object(const PieceFacts& facts) {
  Json json{{"id", facts.id}, {"file", facts.file}};
  json["role"] = facts.role ? Json(name(*facts.role)) : Json(nullptr);
  json["weight"] = to_object(facts.weight);
  json["bias"] = facts.bias ? to_object(*facts.bias) : Json(nullptr);
  json["transposed"] = facts.transposed;
  return json;
}

Json to_object(const TableFacts& facts) {
  Json json{{"file", facts.file}, {"rows", facts.rows}};
  json["columns"] = Json::array();
  for (const ColumnFacts& column : facts.columns) {
    Json entry{{"name", column.name}, {"use", column.use}};
    add_range(entry, column.range);
    entry["constant"] = column.range && column.range->first == column.range->second;
    json["columns"].push_back(entry);
  }
  json["error"] = text_or_null(facts.error);
  return json;
}

}  // namespace

std::string to_json(const Inspection& inspection) {
  Json json;
  json["pieces"] = Json::array();
  for (const PieceFacts& piece : inspection.pieces) json["pieces"].push_back(to_object(piece));
  json["files"] = Json::array();
  for (const FileFacts& file : inspection.files) json["files"].push_back(to_object(file));
  json["pieces_unknown"] = text_or_null(inspection.pieces_unknown);
  json["roles_unknown"] = text_or_null(inspection.roles_unknown);
  json["tables"] = Json::array();
  for (const TableFacts& table : inspection.tables) json["tables"].push_back(to_object(table));
  json["notes"] = inspection.notes;
  json["obstacle"] = text_or_null(inspection.obstacle);
  json["version"] = version();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace humpty
