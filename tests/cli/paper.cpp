#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "made_puzzle.hpp"

namespace humpty {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::Folder;
using test::Outcome;
using test::read_text;
using test::run_program;
using test::write_text;

TEST(PaperCommand, WritesWhatItFound) {
  const test::MadePuzzle made;
  const Outcome run = run_program(made.folder, "paper . -o out/paper --quick");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  const json entries = json::parse(read_text(made.folder / "out/paper/paper.json"));
  ASSERT_TRUE(entries.is_array());
  for (const json& entry : entries)
    for (const char* key : {"id", "section", "what", "ours", "paper", "status", "why"})
      EXPECT_TRUE(entry.contains(key)) << entry;
  const std::string text = read_text(made.folder / "out/paper/paper.md");
  EXPECT_NE(text.find("\n## 3 Pairing\n"), std::string::npos);
  EXPECT_NE(text.find("| `puzzle.blocks` | residual blocks | 4 |"), std::string::npos);
  // Again, over what is there.
  EXPECT_EQ(run_program(made.folder, "paper . -o out/paper --quick").exit_code, 0);
  EXPECT_EQ(json::parse(read_text(made.folder / "out/paper/paper.json")), entries);
}

TEST(PaperCommand, TrainsTheAppendixOnBothTargets) {
  const Folder folder;
  ASSERT_EQ(run_program(folder,
                        "train -o net --blocks 3 --dim 8 --hidden 12 --init zero --lr 7e-3 "
                        "--epochs 60 --rows 300")
                .exit_code,
            0);
  const Outcome run = run_program(folder, "paper net -o paper --quick --train");
  ASSERT_NE(run.exit_code, 2) << run.err;
  std::set<std::string> ids;
  for (const json& entry : json::parse(read_text(folder / "paper/paper.json")))
    ids.insert(entry["id"].get<std::string>());
  for (const char* target : {"true", "pred"})
    for (int batch : {32, 256})
      EXPECT_TRUE(ids.contains(fmt::format("training.{}.{}.mse", target, batch)))
          << target << batch;
  EXPECT_TRUE(ids.contains("data.true_linear"));
}

TEST(PaperCommand, RefusesWhatItCannotStudyOrWrite) {
  const test::MadePuzzle made;
  write_text(made.folder / "taken", "x");
  expect_refused(run_program(made.folder, "paper . -o taken --quick"), {"taken", "is a file"});
  expect_refused(run_program(made.folder, "paper . -o out --probabilities"), {"no probability"});
  EXPECT_FALSE(std::filesystem::exists(made.folder / "out"));
  expect_refused(run_program(made.folder, "paper ."), {"--output"});
}

}  // namespace
}  // namespace humpty
