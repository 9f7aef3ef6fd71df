// The library for a page's worker: one function that takes a request and gives an answer, both JSON
// text. Files go in and out by the module's own file system, where the worker puts them; paths are
// relative to the folder it works in, so that messages name files as their user does.
//
// Requests and answers are described in web/src/solver/protocol.ts, which is their only caller.
#include <emscripten.h>

#include <cstdlib>
#include <cstring>

#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/unzip.hpp"

// News while a request is being worked on.
EM_JS(void, humpty_tell, (const char* news), { Module.tell(UTF8ToString(news)); });

namespace humpty::web {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void tell(const Json& news) { humpty_tell(text(news).c_str()); }

OnProgress telling() {
  return [](const Progress& progress) {
    tell({{"stage", progress.stage}, {"done", progress.done}, {"note", progress.note}});
    return true;
  };
}

// What one puzzle needs from request to request.
struct Session {
  Puzzle puzzle;
  Solution solution;
};

ReadOptions read_options(const Json& request) {
  ReadOptions options;
  options.data = request.value("data", "");
  options.target = request.value("target", options.target);
  options.no_data = request.value("noData", false);
  options.threads = request.value("threads", 0u);
  return options;
}

std::vector<std::string> paths(const Json& request) {
  return request.at("paths").get<std::vector<std::string>>();
}

Json inspect(Session&, const Json& request) {
  return Json::parse(to_json(humpty::inspect(paths(request), read_options(request))));
}

Json unpack(Session&, const Json& request) {
  const std::string archive = request.at("archive");
  const io::File file(archive);
  return io::unzip(file.bytes(), archive, request.at("folder"), request.at("limit"));
}

Json solve(Session& session, const Json& request) {
  session = {};
  tell({{"stage", "read"}, {"done", 0}, {"note", "reading the files"}});
  session.puzzle = read_puzzle(paths(request), read_options(request));
  SolveOptions options;
  options.threads = request.value("threads", 0u);
  options.time_limit = request.value("timeLimit", options.time_limit);
  options.progress = telling();
  session.solution = humpty::solve(session.puzzle, options);
  return Json::parse(to_json(session.solution, session.puzzle));
}

using Action = Json (*)(Session&, const Json&);
constexpr std::pair<std::string_view, Action> kActions[] = {
    {"inspect", inspect}, {"unpack", unpack}, {"solve", solve}};

Json act(const Json& request) {
  static Session session;  // a worker has one puzzle at a time
  for (const auto& [name, action] : kActions)
    if (request.at("do") == name) return {{"answer", action(session, request)}};
  throw Error(ErrorCode::usage, "no such request");
}

// Nothing may leave by an exception: the page goes on with whatever was wrong.
Json answer(const char* request) {
  try {
    return act(Json::parse(request));
  } catch (const Error& error) {
    return {{"error", error.what()}};
  } catch (const std::bad_alloc&) {
    return {{"error", "not enough memory in this page; the program itself has no such limit"}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace
}  // namespace humpty::web

// The answer is the caller's to free.
extern "C" EMSCRIPTEN_KEEPALIVE char* humpty_call(const char* request) {
  return strdup(humpty::web::text(humpty::web::answer(request)).c_str());
}
