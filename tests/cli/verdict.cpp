#include <algorithm>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "made_puzzle.hpp"

namespace humpty {
namespace {

using nlohmann::json;
using test::MadePuzzle;
using test::Outcome;
using test::run_program;

constexpr const char* kAnswer = "0,1,2,3,4,5,6,7,8\n";

bool contains(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST(CertificateFile, HoldsForTheSamePiecesAndRows) {
  MadePuzzle made;
  made.solve("--json solution.json");
  const Outcome solved =
      run_program(made.folder, "verify . --certificate solution.json --json again.json");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_TRUE(contains(solved.err, "the certificate holds")) << solved.err;
  EXPECT_EQ(run_program(made.folder, "verify . --certificate again.json").exit_code, 0);
}

TEST(CertificateFile, AClaimThatDoesNotComeOutIsNamed) {
  MadePuzzle made;
  made.solve("--json solution.json");
  const json certificate =
      json::parse(test::read_text(made.folder / "solution.json"))["certificate"];
  const auto refuted = [&](const char* key, const json& value, const char* word) {
    json forged = certificate;
    forged[key] = value;
    test::write_text(made.folder / "forged.json", forged.dump());
    const Outcome run = run_program(made.folder, "verify . --certificate forged.json");
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_TRUE(contains(run.err, word)) << run.err;
  };
  refuted("permutation", json::parse("[2,3,0,1,4,5,6,7,8]"), "verdict: exact is claimed, unsolved");
  refuted("mse", 1e-20, "mse: 1e-20 is claimed");
  refuted("refuted", 3, "refuted: 3 is claimed");
  refuted("rows_sha256", "00", "these are other rows");
  made.rows.target.values[7] += 1;
  io::write_csv(made.folder / "data.csv", test::to_table(made.rows));
  const Outcome other = run_program(made.folder, "verify . --certificate solution.json");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(contains(other.err, "these are other rows")) << other.err;
}

// Every leaf of a JSON value, and every list or object that is empty.
void collect(const json& value, const json::json_pointer& at,
             std::vector<json::json_pointer>& leaves) {
  if (value.is_structured() && !value.empty())
    for (const auto& [key, inner] : value.items())
      collect(inner, value.is_array() ? at / std::size_t(std::stoul(key)) : at / key, leaves);
  else
    leaves.push_back(at);
}

json edited(const json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>() + 1;
  if (value.is_number()) return value.get<double>() * 2 + 1e-30;
  if (value.is_string()) return value.get<std::string>() + "x";
  if (value.is_array()) return json::array({1});
  return 1;  // null
}

// Whatever is edited, the file is refused or the claim found wrong: but for how the order was
// found, which no certificate covers and `verify` says so.
void expect_every_edit_noticed(const MadePuzzle& made) {
  const json solution = json::parse(test::read_text(made.folder / "solution.json"));
  std::vector<json::json_pointer> leaves;
  collect(solution, json::json_pointer(), leaves);
  const std::vector<std::string>& open = uncertified_keys();
  std::size_t noticed = 0;
  for (const json::json_pointer& leaf : leaves) {
    const std::string path = leaf.to_string(), top = path.substr(1, path.find('/', 1) - 1),
                      last = leaf.back();
    if (std::find(open.begin(), open.end(), top) != open.end() || last == "score" ||
        last == "margin")
      continue;
    json forged = solution;
    forged[leaf] = edited(solution[leaf]);
    test::write_text(made.folder / "forged.json", forged.dump());
    const Outcome run = run_program(made.folder, "verify . --certificate forged.json");
    EXPECT_NE(run.exit_code, 0) << path;
    EXPECT_FALSE(contains(run.err, "the certificate holds")) << path << "\n" << run.err;
    ++noticed;
  }
  EXPECT_GT(noticed, 50u);
  json more = solution;
  more["proven"] = true;
  test::write_text(made.folder / "forged.json", more.dump());
  test::expect_refused(run_program(made.folder, "verify . --certificate forged.json"),
                       {"'proven' that no certificate covers"});
}

TEST(CertificateFile, NoFieldCanBeEditedUnnoticed) {
  MadePuzzle made;
  made.solve("--json solution.json");
  expect_every_edit_noticed(made);
}

TEST(CertificateFile, NoFieldOfAnAmbiguousOneCanBeEditedUnnoticed) {
  MadePuzzle made;
  made.applied[5].weight = made.applied[1].weight;
  made.applied[5].bias = made.applied[1].bias;
  std::mt19937 rng(12);
  made.rows = test::random_rows(made.applied, 60, rng);
  test::write_piece(made.piece_path(5), made.applied[5]);
  io::write_csv(made.folder / "data.csv", test::to_table(made.rows));
  EXPECT_EQ(made.solve("--json solution.json").exit_code, 1);
  expect_every_edit_noticed(made);
}

TEST(CertificateFile, WhatIsNoneIsRefused) {
  MadePuzzle made;
  for (const char* text : {"", "[]", "{}", R"({"certificate": 3})", R"({"verdict": "sure"})",
                           R"({"verdict": "exact", "permutation": "all"})"}) {
    test::write_text(made.folder / "bad.json", text);
    test::expect_refused(run_program(made.folder, "verify . --certificate bad.json"),
                         {"bad.json", "not a certificate"});
  }
  test::expect_refused(run_program(made.folder, "verify . --certificate none.json"), {"none.json"});
  test::expect_refused(run_program(made.folder, "verify ."), {"--order"});
}

TEST(PoorData, WithoutRowsTheAnswerIsAGuess) {
  MadePuzzle made;
  const Outcome run = run_program(made.folder, "solve pieces --no-data");
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), ','), 8);
  EXPECT_TRUE(contains(run.err, "unsolved: a guess from the weights alone")) << run.err;
}

TEST(PoorData, TheTruthAsTargetIsNeverExact) {
  MadePuzzle made;
  made.replace_in_data("pred", "true");
  const Outcome run = made.solve("--target true");
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_EQ(run.out, kAnswer);
  EXPECT_TRUE(contains(run.err, "a best guess")) << run.err;
}

TEST(PoorData, RoundedTargetsAreSolvedAndTheFloorIsSaid) {
  MadePuzzle made;
  for (float& y : made.rows.target.values)
    y = static_cast<float>(std::nearbyint(double{y} * 1e4) / 1e4);
  io::write_csv(made.folder / "data.csv", test::to_table(made.rows));
  const Outcome run = made.solve();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, kAnswer);
  EXPECT_TRUE(contains(run.err, "rounded to 4 decimals")) << run.err;
}

TEST(PoorData, AnOutlierIsSetAsideAndABadRowNamed) {
  MadePuzzle made;
  for (std::size_t f = 0; f < 5; ++f) made.rows.features.row(17)[f] *= 1e6f;
  made.rows.target.values[17] =
      static_cast<float>(test::plain_forward(made.applied, made.rows.features.row(17))[0]);
  io::write_csv(made.folder / "data.csv", test::to_table(made.rows));
  const Outcome outlier = made.solve();
  EXPECT_EQ(outlier.exit_code, 0) << outlier.err;
  EXPECT_TRUE(contains(outlier.err, "the first is row 18")) << outlier.err;
  made.rows.target.values[30] += 0.5f;
  io::write_csv(made.folder / "data.csv", test::to_table(made.rows));
  const Outcome bad = made.solve();
  EXPECT_EQ(bad.exit_code, 1) << bad.err;
  EXPECT_TRUE(contains(bad.err, "a look at row 31:")) << bad.err;
  EXPECT_FALSE(contains(bad.err, "--noise")) << bad.err;
}

TEST(PoorData, AProbabilityOutOfRangeIsNamed) {
  MadePuzzle made;
  made.rows.target.values[3] = 1.5f;
  io::write_csv(made.folder / "data.csv", test::to_table(made.rows));
  test::expect_refused(made.solve("--probabilities"), {"data.csv", "is no probability"});
}

TEST(SalvageCommand, DamageIsRefusedByDefaultAndNamedWithTheOption) {
  MadePuzzle made;
  std::mt19937 rng(5);
  test::write_piece(made.piece_path(9), test::random_piece(9, 8, 5, 0.4f, rng));
  test::expect_refused(made.solve(), {"5 expand and 4 contract", "--salvage"});
  const Outcome run = made.solve("--salvage --json out.json");
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_EQ(run.out, kAnswer) << run.err;
  const json salvage = json::parse(test::read_text(made.folder / "out.json"))["salvage"];
  ASSERT_EQ(salvage["left_out"].size(), 1u);
  EXPECT_EQ(salvage["left_out"][0]["piece"], 9);
}

TEST(SalvageCommand, AnActivationThatIsNotGivenIsSettledByTheRowsAndSaid) {
  const test::Folder folder;
  const char* net = "--blocks 4 --dim 10 --hidden 20 --init zero --lr 7e-3 --epochs 60 --rows 400";
  ASSERT_EQ(run_program(folder, fmt::format("train -o net --activation leaky {}", net)).exit_code,
            0);
  std::mt19937 rng(5);
  test::write_piece(folder / "net/pieces/piece_99.pth", test::random_piece(99, 20, 10, 0.3f, rng));
  const Outcome run = run_program(folder, "solve net --salvage --json out.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("no activation was given; by the rows it is taken to be leaky"),
            std::string::npos)
      << run.err;
  const json answer = json::parse(test::read_text(folder / "net/answer.json"));
  const json found = json::parse(test::read_text(folder / "out.json"));
  EXPECT_EQ(found["permutation"], answer["permutation"]) << run.err;
  EXPECT_EQ(found["activation"], "leaky");
}

}  // namespace
}  // namespace humpty
