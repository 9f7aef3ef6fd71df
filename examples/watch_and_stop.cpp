// Shows the progress of a solution and stops it after a number of reports:
//   watch_and_stop FOLDER 3
// What a stopped search has found so far comes back all the same, truthfully labelled.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <humpty/humpty.hpp>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: watch_and_stop FOLDER REPORTS\n");
    return 2;
  }
  int left = std::atoi(argv[2]);
  humpty::SolveOptions options;
  options.progress = [&left](const humpty::Progress& now) {
    std::printf("%s: %s\n", std::string(now.stage).c_str(), now.note.c_str());
    return --left > 0;
  };
  const auto solution = humpty::solve(humpty::read_puzzle({argv[1]}), options);
  std::printf("%s, %s, error %.3g: %s\n", solution.stopped.empty() ? "finished" : "stopped",
              std::string(name(solution.verdict)).c_str(), solution.certificate.mse,
              solution.permutation_text().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
