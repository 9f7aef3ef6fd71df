// Pages of the front end (web/), each built into one file and kept in the program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace humpty::report {

using Chunks = std::span<const std::string_view>;

// web/dist/report.html and paper.html, in pieces: see cmake/embed.cmake.
extern const Chunks report_html, paper_html;

// The page with the JSON put in.
std::string filled(Chunks page, const std::string& json);

}  // namespace humpty::report
