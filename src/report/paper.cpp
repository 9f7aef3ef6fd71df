// The study of the paper as JSON and as Markdown.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/statistics.hpp"
#include "humpty/humpty.hpp"
#include "report/json.hpp"
#include "report/page.hpp"

namespace humpty::lab {
namespace {

using report::Json;
using Ours = decltype(PaperEntry::ours);

Json json_of(const Ours& ours) {
  if (const double* value = std::get_if<double>(&ours)) return report::number(*value);
  if (const std::string* words = std::get_if<std::string>(&ours)) return *words;
  return report::numbers(std::get<std::vector<double>>(ours));
}

// Numbers where the print is numbers and nothing else; otherwise the words.
Json json_of(const std::string& printed) {
  if (printed.empty()) return nullptr;
  const Json list = Json::parse("[" + printed + "]", nullptr, false);
  if (!list.is_array()) return printed;
  return list.size() == 1 ? list[0] : list;
}

Json json_of(const PaperEntry& entry) {
  return {{"id", entry.id},
          {"section", entry.section},
          {"what", entry.what},
          {"ours", json_of(entry.ours)},
          {"paper", json_of(entry.paper)},
          {"status", name(entry.status)},
          {"why", entry.why}};
}

// Three digits are what a picture shows.
Json json_of(const PaperFigure& figure) {
  Json values = Json::array();
  for (float value : figure.data.values)
    values.push_back(report::number(std::atof(fmt::format("{:.3g}", value).c_str())));
  return {{"columns", figure.columns},
          {"rows", figure.data.rows},
          {"cols", figure.data.cols},
          {"values", values}};
}

std::string short_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.5g}", value);
}

std::string short_text(const Ours& ours) {
  if (const double* value = std::get_if<double>(&ours)) return short_text(*value);
  if (const std::string* words = std::get_if<std::string>(&ours)) return *words;
  const auto& values = std::get<std::vector<double>>(ours);
  constexpr std::size_t kFew = 8;
  if (values.size() > kFew)
    return fmt::format("{} values from {} to {}, median {}", values.size(),
                       short_text(range(values)[0]), short_text(range(values)[1]),
                       short_text(median(values)));
  std::vector<std::string> texts;
  for (double value : values) texts.push_back(short_text(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// A bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::size_t count(const Paper& paper, PaperEntry::Status status) {
  std::size_t found = 0;
  for (const PaperEntry& entry : paper.entries) found += entry.status == status;
  return found;
}

std::string heading(const Paper& paper) {
  std::string text = "# I Dropped a Neural Net, number by number\n\n";
  if (paper.published)
    text += fmt::format(
        "The published puzzle. Of the values that the paper prints {} come out the same and {} "
        "differ; {} more are not in the paper.\n",
        count(paper, PaperEntry::Status::same), count(paper, PaperEntry::Status::differs),
        count(paper, PaperEntry::Status::not_in_paper));
  else
    text += "Not the published puzzle: nothing is compared with the paper.\n";
  if (paper.solution.verdict != Verdict::exact)
    text += fmt::format("\nThe order is {}, so whatever depends on it is a guess: {}.\n",
                        name(paper.solution.verdict), paper.solution.certificate.why);
  for (const auto& [why, ids] : reasons(paper))
    text += fmt::format("\n- {}: {}", fmt::join(ids, ", "), why);
  if (!reasons(paper).empty()) text += "\n";
  if (paper.stopped) text += "\nStopped before the end: sections are missing.\n";
  return text;
}

}  // namespace

std::string to_json(const Paper& paper) {
  Json list = Json::array();
  for (const PaperEntry& entry : paper.entries) list.push_back(json_of(entry));
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string paper_page(const Paper& paper, const Puzzle& puzzle, const ReportOptions& options) {
  Json json = Json::parse(report_json(paper.solution, puzzle, options));
  Json entries = Json::array(), figures = Json::object();
  for (const PaperEntry& entry : paper.entries) {
    entries.push_back(json_of(entry));
    entries.back()["printed"] = entry.paper;
  }
  for (const PaperFigure& figure : paper.figures) figures[figure.id] = json_of(figure);
  json["paper"] = {{"published", paper.published},
                   {"stopped", paper.stopped},
                   {"entries", entries},
                   {"figures", figures}};
  return report::filled(report::paper_html,
                        json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::string to_markdown(const Paper& paper) {
  std::string text = heading(paper), section;
  for (const PaperEntry& entry : paper.entries) {
    if (entry.section != section)
      text += fmt::format("\n## {}\n\n| id | what | ours | paper | |\n|---|---|---|---|---|\n",
                          section = entry.section);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.id, cell(entry.what),
                        cell(short_text(entry.ours)), cell(entry.paper),
                        entry.paper.empty() ? "" : name(entry.status));
  }
  return text;
}

}  // namespace humpty::lab
