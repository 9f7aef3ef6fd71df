// A page is the built front end with one JSON text in it, in a script element that browsers do not
// run. The front end is ASCII and names the place for the JSON once.
#include "report/page.hpp"

#include "report/anatomy.hpp"
#include "report/json.hpp"

namespace humpty {
namespace report {
namespace {

constexpr std::string_view kPlace = "HUMPTY_DATA_GOES_HERE";

// Within a script element "<" could begin the tag that ends it; JSON may write it otherwise, as it
// may whatever is not ASCII.
std::string for_script(const std::string& json) {
  std::string safe;
  for (char c : json)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

Json provenance(const ReportOptions& options) {
  return {{"command", options.command}, {"inputs", options.inputs}, {"version", version()}};
}

std::string completed(Json json, const Solution& solution, const Puzzle& puzzle,
                      const ReportOptions& options) {
  Threads threads(options.threads);
  json["puzzle"] = puzzle_json(puzzle);
  json["anatomy"] = anatomy_json(solution, puzzle, threads);
  json["provenance"] = provenance(options);
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

std::string filled(Chunks page, const std::string& json) {
  std::string text;
  for (std::string_view chunk : page) text += chunk;
  const std::size_t place = text.find(kPlace);
  return text.replace(place, kPlace.size(), for_script(json));
}

}  // namespace report

std::string report_json(const Solution& solution, const Puzzle& puzzle,
                        const ReportOptions& options) {
  return report::completed(report::solution_json(solution, puzzle), solution, puzzle, options);
}

std::string report_json(const Salvaged& salvaged, const ReportOptions& options) {
  return report::completed(report::salvaged_json(salvaged), salvaged.solution, salvaged.puzzle,
                           options);
}

std::string report_page(const Solution& solution, const Puzzle& puzzle,
                        const ReportOptions& options) {
  return report::filled(report::report_html, report_json(solution, puzzle, options));
}

std::string report_page(const Salvaged& salvaged, const ReportOptions& options) {
  return report::filled(report::report_html, report_json(salvaged, options));
}

}  // namespace humpty
