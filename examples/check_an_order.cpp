// Checks an order that somebody claims, every rival looked at, and prints what backs the verdict:
//   check_an_order FOLDER 43 34 65 22 …
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <humpty/humpty.hpp>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: check_an_order FOLDER ID ID …\n");
    return 2;
  }
  std::vector<int> order;
  for (int i = 2; i < argc; ++i) order.push_back(std::atoi(argv[i]));
  humpty::VerifyOptions options;
  options.scope = humpty::Scope::all;
  const auto certificate = humpty::verify(humpty::read_puzzle({argv[1]}), order, options);

  std::printf("%s: %s\n", std::string(name(certificate.verdict)).c_str(), certificate.why.c_str());
  std::printf("mean square error %.3g on %zu rows; rounding explains %.3g\n", certificate.mse,
              certificate.rows, certificate.floor_mse);
  if (certificate.nearest)
    std::printf("%zu of %zu rivals refuted; the nearest, %s, has %.3g\n", certificate.refuted,
                certificate.rivals, text(*certificate.nearest).c_str(), certificate.nearest->mse);
  return certificate.verdict == humpty::Verdict::exact ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
