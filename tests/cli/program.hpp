// Runs the program as a user would, and looks at what it wrote and how it ended.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace humpty::test {

namespace fs = std::filesystem;

// A folder of its own for each test, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "humpty-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const std::string& path, std::string_view text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

// `arguments` goes through the shell; the program runs in `folder`.
inline Outcome run(const Folder& folder, const std::string& program, const std::string& arguments) {
  const std::string command = fmt::format("cd '{}' && '{}' {} >.stdout 2>.stderr </dev/null",
                                          folder.path(), program, arguments);
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(folder / ".stdout"),
                  read_text(folder / ".stderr")};
  fs::remove(folder / ".stdout");
  fs::remove(folder / ".stderr");
  return outcome;
}

inline Outcome run_program(const Folder& folder, const std::string& arguments) {
  return run(folder, HUMPTY_PROGRAM, arguments);
}

// Bad input: exit 2, nothing on standard output, one line on standard error that holds the words.
inline void expect_refused(const Outcome& run, const std::vector<std::string>& words) {
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(run.out, "");
  const std::size_t start = run.err.find("humpty: error: ");
  ASSERT_NE(start, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find('\n', start), run.err.size() - 1) << run.err;
  for (const std::string& word : words)
    EXPECT_NE(run.err.find(word, start), std::string::npos)
        << "no '" << word << "' in: " << run.err;
}

}  // namespace humpty::test
