# A page of the front end as C++: humpty_embed(humpty web/dist/report.html report_html) gives the
# target a source that defines humpty::report::report_html. Compilers need take no string literal
# longer than 65,536 characters, so it is a list of shorter ones; "sv" tells each one's length, which
# clang would not count so far. The pages are ASCII.
function(humpty_embed target page name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} text)
  string(LENGTH "${text}" length)
  set(literals "")
  foreach(at RANGE 0 ${length} 30000)
    string(SUBSTRING "${text}" ${at} 30000 chunk)
    string(APPEND literals "R\"humpty(${chunk})humpty\"sv,\n")
  endforeach()
  set(made ${PROJECT_BINARY_DIR}/embedded/${name}.cpp)
  file(CONFIGURE OUTPUT ${made} @ONLY CONTENT [[
#include "report/page.hpp"

namespace humpty::report {
namespace {
using namespace std::string_view_literals;
constexpr std::string_view kChunks[] = {
@literals@};
}
const Chunks @name@(kChunks);
}  // namespace humpty::report
]])
  target_sources(${target} PRIVATE ${made})
endfunction()
