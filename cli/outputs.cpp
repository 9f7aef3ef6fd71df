#include "outputs.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "layout.hpp"

namespace humpty::cli {
namespace {

// The same text for the same file, however it is named.
std::string place_of(const std::string& file) {
  std::error_code failed;
  const std::filesystem::path place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file, failed), failed);
  return file == "-" || failed ? file : place.string();
}

}  // namespace

void check_outputs(const std::vector<Output>& outputs) {
  std::map<std::string, std::string> taken;
  for (const auto& [option, file] : outputs) {
    if (file.empty()) continue;
    if (file != "-") io::check_writable(file);
    const auto [before, fresh] = taken.emplace(place_of(file), option);
    if (!fresh && file != "/dev/null")
      throw Error(ErrorCode::usage,
                  fmt::format("{} and {} would both go to {}; give one of them another name",
                              before->second, option, file == "-" ? "standard output" : file));
  }
}

void write_output(const std::string& file, const std::string& text) {
  if (file != "-") return io::write_file(file, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(ErrorCode::not_writable, "could not write to standard output");
}

void do_all(const std::vector<std::function<void()>>& steps) {
  std::exception_ptr first;
  for (const auto& step : steps) try {
      step();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

void write_both(const std::string& text, const std::string& json_file,
                const std::function<std::string()>& json) {
  do_all({[&] {
            if (json_file != "-") write_output("-", for_locale(text));
          },
          [&] {
            if (!json_file.empty()) write_output(json_file, json());
          }});
}

}  // namespace humpty::cli
