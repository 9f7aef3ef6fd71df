// The page's text and the JSON in it. What a browser makes of them is tests/web.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nets.hpp"
#include "report/base64.hpp"

namespace humpty {
namespace {

using nlohmann::json;

struct Solved {
  Puzzle puzzle;
  Solution solution;

  explicit Solved(std::size_t blocks = 4,
                  const SolveOptions& options = {.threads = 2, .time_limit = 0}) {
    std::mt19937 rng(11);
    const std::vector<Piece> applied = test::random_net(blocks, 5, 8, 1, rng);
    puzzle = make_puzzle(applied, test::random_rows(applied, 60, rng));
    solution = solve(puzzle, options);
  }
};

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from) + from.size();
  return text.substr(start, text.find(to, start) - start);
}

std::string data_of(const std::string& page) {
  return between(page, R"(<script type="application/json" id="humpty-data">)", "</script>");
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Base64, IsThatOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(report::base64(""), "");
  EXPECT_EQ(report::base64("f"), "Zg==");
  EXPECT_EQ(report::base64("fo"), "Zm8=");
  EXPECT_EQ(report::base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(report::base64("\xff\xfe"), "//4=");
}

TEST(ReportPage, HoldsTheJsonThatItDraws) {
  const Solved solved;
  const ReportOptions options{"humpty solve here", {"here"}, 1};
  const json data = json::parse(data_of(report_page(solved.solution, solved.puzzle, options)));
  EXPECT_EQ(data, json::parse(report_json(solved.solution, solved.puzzle, options)));
  EXPECT_EQ(data["verdict"], "exact");
  EXPECT_EQ(data["permutation"], json(solved.solution.permutation));
  EXPECT_EQ(data["provenance"]["command"], "humpty solve here");
  EXPECT_EQ(data["puzzle"]["pieces"].size(), 9u);
  const json& anatomy = data["anatomy"];
  EXPECT_EQ(anatomy["products"]["of"].size(), 4u);
  EXPECT_EQ(anatomy["products"]["side"], 5);
  EXPECT_EQ(anatomy["spectra"].size(), 4u);
  EXPECT_EQ(anatomy["spectra"][0]["values"].size(), 5u);
  EXPECT_EQ(anatomy["motions"]["delta_norm"].size(), 4u);
  EXPECT_EQ(anatomy["swaps"]["mse"].size(), 3u);
  EXPECT_EQ(anatomy["answers"]["row"].size(), 60u);
  EXPECT_EQ(anatomy["way"].back()["order"].size(), 4u);
}

TEST(ReportPage, CountsEveryPairInItsHistogram) {
  const Solved solved;
  const json anatomy = json::parse(report_json(solved.solution, solved.puzzle))["anatomy"];
  const auto sum = [](const json& counts) {
    int total = 0;
    for (const json& each : counts) total += each.get<int>();
    return total;
  };
  EXPECT_EQ(sum(anatomy["histogram"]["matched"]), 4);
  EXPECT_EQ(sum(anatomy["histogram"]["unmatched"]), 12);
}

TEST(ReportPage, IsTheSameAtAnyNumberOfThreads) {
  const Solved solved;
  EXPECT_EQ(report_page(solved.solution, solved.puzzle, {.threads = 1}),
            report_page(solved.solution, solved.puzzle, {.threads = 3}));
}

TEST(ReportPage, NoNameOfAFileEndsItsScript) {
  Solved solved;
  const std::string plain = report_page(solved.solution, solved.puzzle);
  const std::string name = "</script><script>alert('\u2028')</script><!--";
  solved.puzzle.pieces[0].file = name;
  const std::string page = report_page(solved.solution, solved.puzzle, {name, {name}, 1});
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script"), count(plain, "</script"));
  EXPECT_EQ(count(page, "\u2028"), 0u);
  EXPECT_EQ(json::parse(data_of(page))["provenance"]["command"], name);
}

TEST(ReportPage, FetchesNothing) {
  const Solved solved;
  const std::string page = report_page(solved.solution, solved.puzzle);
  for (const char* word : {" src=", "<link", "@import", "fetch("})
    EXPECT_EQ(count(page, word), 0u) << word;
  EXPECT_EQ(count(page, "default-src 'none'"), 1u);
}

TEST(ReportPage, ASearchThatHasOnlyPairedHasOnlyAPairing) {
  const Solved solved;
  Solution so_far;
  so_far.pairing = solved.solution.pairing;
  const json anatomy = json::parse(report_json(so_far, solved.puzzle))["anatomy"];
  EXPECT_TRUE(anatomy.contains("pairing"));
  EXPECT_TRUE(anatomy.contains("histogram"));
  EXPECT_FALSE(anatomy.contains("products"));
  EXPECT_TRUE(anatomy["way"].empty());
  EXPECT_TRUE(json::parse(report_json({}, solved.puzzle)).contains("anatomy"));
}

TEST(ReportPage, WithoutRowsThereIsWhatTheWeightsSay) {
  Solved solved;
  solved.puzzle.rows = {};
  solved.puzzle.target = Target::none;
  const Solution guess = solve(solved.puzzle, {.time_limit = 0});
  const json data = json::parse(report_json(guess, solved.puzzle));
  EXPECT_EQ(data["verdict"], "unsolved");
  EXPECT_EQ(data["anatomy"]["out_norm"].size(), 4u);
  EXPECT_FALSE(data["anatomy"].contains("motions"));
}

TEST(ReportPage, StaysSmallForHundredsOfBlocks) {
  const Solved solved(140, {.method = Method::paper, .time_limit = 0.2});
  const std::string page = report_page(solved.solution, solved.puzzle);
  EXPECT_LT(page.size(), 2'000'000u);
  const json anatomy = json::parse(data_of(page))["anatomy"];
  EXPECT_EQ(anatomy["pairing"]["side"], 128);
  EXPECT_EQ(anatomy["products"]["of"].size(), 96u);
  EXPECT_EQ(anatomy["out_norm"].size(), 140u);
}

TEST(Rounds, KeepTheOrderAsItStoodThen) {
  const Solved solved(8, {.method = Method::paper, .descending = true, .time_limit = 0});
  ASSERT_FALSE(solved.solution.rounds.empty());
  std::vector<int> order;
  for (const Block& block : solved.solution.blocks) order.push_back(block.in);
  EXPECT_EQ(solved.solution.rounds.back().order, order);
}

TEST(ReportPage, OfASalvageNamesWhatWasLeftOut) {
  const Solved solved;
  const Salvaged salvaged{solved.solution, solved.puzzle, {{7, "a decoy"}}, {}, {}, {"remark"}};
  const json data = json::parse(data_of(report_page(salvaged)));
  EXPECT_EQ(data["salvage"]["left_out"][0]["why"], "a decoy");
  EXPECT_EQ(data["anatomy"]["spectra"].size(), 4u);
}

}  // namespace
}  // namespace humpty
