// The library for a page's worker: one function that takes a request and gives an answer, both JSON
// text. Files go in and out by the module's own file system, where the worker puts them; paths are
// relative to the folder it works in, so that messages name files as their user does.
//
// Requests and answers are described in web/src/solver/protocol.ts, whose worker is the only
// caller.
#include <emscripten.h>

#include <chrono>
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
using Clock = std::chrono::steady_clock;

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A page draws sixty times a second; most notes would never be seen.
OnProgress telling() {
  return [last = Clock::time_point{}](const Progress& progress) mutable {
    constexpr double kEvery = 16;
    if (ms_since(last) < kEvery) return true;
    last = Clock::now();
    const Json news{{"stage", progress.stage}, {"done", progress.done}, {"note", progress.note}};
    humpty_tell(text(news).c_str());
    return true;
  };
}

// What one puzzle needs from request to request.
struct Session {
  Puzzle puzzle;
  Solution solution;
  ReportOptions report;
};

ReadOptions read_options(const Json& request) {
  ReadOptions options;
  options.data = request.value("data", "");
  options.target = request.value("target", options.target);
  options.threads = request.value("threads", 0u);
  if (const std::string activation = request.value("activation", ""); !activation.empty())
    options.activation = activation_named(activation);
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

// Trains a net and drops it into a folder: a puzzle of the page's own.
Json make(Session&, const Json& request) {
  constexpr std::size_t kRows = 2000, kDim = 16, kBlocks = 12;
  const std::uint64_t rng = request.value("rng", 1u);
  const Rows rows = lab::make_task(lab::Task::regression, kRows, kDim, 1, rng);
  lab::TrainOptions options = lab::demo_regime(kBlocks, kDim);
  options.rng = rng;
  options.threads = request.value("threads", 0u);
  options.progress = telling();
  lab::TrainedNet net = lab::train(options, rows.features, rows.target);
  Json about{{"blocks", kBlocks}, {"dim", kDim}, {"rows", kRows}, {"loss", net.loss}};
  const lab::Dropped dropped =
      lab::drop(std::move(net.pieces), rows, options.activation, rng, options.threads);
  lab::write_puzzle(request.at("folder"), dropped, text(about), true);
  about["permutation"] = dropped.permutation;  // to compare with, once it is solved
  return about;
}

// The report's JSON without what only a finished solution has and takes long to compute.
Json so_far(const Solution& solution, const Session& session) {
  Solution part = solution;
  part.blocks.clear();
  part.permutation.clear();
  return Json::parse(report_json(part, session.puzzle, session.report));
}

Json solve(Session& session, const Json& request) {
  session = {};
  session.report.inputs = request.value("inputs", paths(request));
  session.report.threads = request.value("threads", 0u);
  session.report.command = request.value("command", "");
  const auto start = Clock::now();
  session.puzzle = read_puzzle(paths(request), read_options(request));
  const double read_ms = ms_since(start);
  SolveOptions options;
  options.threads = session.report.threads;
  options.time_limit = request.value("timeLimit", options.time_limit);
  options.progress = telling();
  options.news = [&session](const Solution& solution) {
    humpty_tell(text({{"report", so_far(solution, session)}}).c_str());
  };
  session.solution = humpty::solve(session.puzzle, options);
  session.solution.timings.insert(session.solution.timings.begin(), {"read", read_ms});
  return Json::parse(to_json(session.solution, session.puzzle));
}

// All that the report's page draws.
Json report(Session& session, const Json&) {
  return Json::parse(report_json(session.solution, session.puzzle, session.report));
}

// That page itself, as a file.
Json page(Session& session, const Json& request) {
  io::write_file(request.at("file"), report_page(session.solution, session.puzzle, session.report));
  return nullptr;
}

// The net put together, as a file.
Json model(Session& session, const Json& request) {
  const Solution& solution = session.solution;
  write_model(request.at("file"), arranged(session.puzzle.pieces, solution.permutation),
              {.activation = solution.activation,
               .metadata = {{"verdict", std::string(name(solution.verdict))}}});
  return nullptr;
}

using Action = Json (*)(Session&, const Json&);
constexpr std::pair<std::string_view, Action> kActions[] = {
    {"inspect", inspect}, {"unpack", unpack}, {"make", make},   {"solve", solve},
    {"report", report},   {"page", page},     {"model", model},
};

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
  } catch (const std::bad_alloc&) {
    return {{"error",
             "not enough memory: a page has 2 GB at most, the program itself as much as the "
             "machine"}};
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
