#include "io/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "io/thrown.hpp"
#include "shared.hpp"

namespace humpty::io {
namespace {

using test::says;
using test::thrown_by;
using Names = std::vector<std::string>;
using Values = std::vector<float>;

Table read(const std::string& text, Threads* threads = nullptr) {
  return read_csv(bytes_of(text), "f.csv", threads);
}

void expect_refusal(const std::string& text, std::uint64_t line,
                    std::optional<std::uint64_t> column, std::string_view words) {
  const Error error = thrown_by([&] { read(text); });
  EXPECT_EQ(error.where().file, "f.csv");
  EXPECT_EQ(error.where().line, line) << error.what();
  EXPECT_EQ(error.where().column, column) << error.what();
  EXPECT_TRUE(says(error, words)) << error.what();
}

TEST(Csv, ReadsAPlainTable) {
  const Table table = read("a,b,c\n1,-2.5,3e2\n0.125,+4,.5\n");
  EXPECT_EQ(table.names, (Names{"a", "b", "c"}));
  EXPECT_EQ(table.values.rows, 2u);
  EXPECT_EQ(table.values.cols, 3u);
  EXPECT_EQ(table.values.values, (Values{1, -2.5f, 300, 0.125f, 4, 0.5f}));
}

TEST(Csv, ReadsWhatIsFoundInTheWild) {
  for (const char* text : {
           "a,b\n1,2\n3,4\n",
           "a,b\n1,2\n3,4",
           "a,b\r\n1,2\r\n3,4\r\n",
           "a,b\r\n1,2\r\n3,4",
           "a,b\n1,2\n3,4\n\n",
           "a,b\n1,2\n3,4\r\n \r\n\n",
           "\xef\xbb\xbf"
           "a,b\n1,2\n3,4\n",
           " a , b\n 1, 2 \n\t3,4\t\n",
           "\"a\",\"b\"\n\"1\",\"2\"\n\"3\",\"4\"\n",
           " \"a\" ,b\r\n1, \" 2 \" \r\n3,\"4\"",
       }) {
    const Table table = read(text);
    EXPECT_EQ(table.names, (Names{"a", "b"})) << text;
    EXPECT_EQ(table.values.rows, 2u) << text;
    EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4})) << text;
  }
}

TEST(Csv, ReadsQuotedNames) {
  const std::string header = "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\" c \"\n";
  const Table table = read(header + "1,2,3,4\n");
  EXPECT_EQ(table.names, (Names{"a,b", "say \"hi\"", "two\nlines", " c "}));
  EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4}));
  EXPECT_EQ(table.first_line, 3u);  // the header has two lines
}

TEST(Csv, ReadsFloatsToTheLastBit) {
  EXPECT_EQ(read("a\n0.1\n16777217\n3.4028235e38\n1e-45\n1e-60\n-0\n").values.values,
            (Values{0.1f, 16777216, std::numeric_limits<float>::max(),
                    std::numeric_limits<float>::denorm_min(), 0, 0}));
}

TEST(Csv, TakesNumbersForNamesOnlyIfTheyCountUp) {
  for (const char* text : {"0,1,2\n5,6,7\n", ",0,1\n5,6,7\n", "0\n5\n", "3,7,9\n1,2,3\n"})
    EXPECT_EQ(read(text).values.rows, 1u) << text;
  for (const char* text : {"0.5,1,2\n5,6,7\n", "2,1,0\n5,6,7\n", "1,nan\n5,6\n", "7\n5\n"})
    EXPECT_EQ(read(text).values.rows, 2u) << text;
}

TEST(Csv, WithoutAHeaderColumnsAreNumbered) {
  const Table table = read("1.5,2\n3,4\n");
  EXPECT_EQ(table.names, (Names{"column_0", "column_1"}));
  EXPECT_EQ(table.values.values, (Values{1.5f, 2, 3, 4}));
  EXPECT_EQ(table.notes, (Names{"f.csv: no header: the columns are called column_0 … column_1"}));
  EXPECT_EQ(read("1.5\n3\n").names, (Names{"column"}));
  expect_refusal("1.5,2\n3\n", 2, 2, "the first row has 2 columns, this row 1");
}

TEST(Csv, FindsWhatSeparatesTheValues) {
  for (const char* text : {
           "a;b\n1;2\n3;4\n",
           "a\tb\r\n1\t2\r\n3\t4\r\n",
           "a|b\n1|2\n3|4\n",
           "a b\n1 2\n3 4\n",
           "  a   b \n 1    2\n3\t4  \r\n",
           " a ; \"b\"\n 1 ; 2\n\"3\";4",
           "a | b\n1 | 2\n3 | 4",
           "\"a\" b\n\"1\" 2\n3 4",
       }) {
    const Table table = read(text);
    EXPECT_EQ(table.names, (Names{"a", "b"})) << text;
    EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4})) << text;
    EXPECT_EQ(table.notes.size(), 1u) << text;
  }
  EXPECT_EQ(read("1.5e+00 2e+00\n3 4\n").names, (Names{"column_0", "column_1"}));
}

TEST(Csv, NamesMayHoldWhatSeparatesElsewhere) {
  EXPECT_EQ(read("my column\n1\n").names, (Names{"my column"}));
  EXPECT_EQ(read("a;b\n1\n").names, (Names{"a;b"}));
  EXPECT_EQ(read("a;b;c,d e\n1,2\n").names, (Names{"a;b;c", "d e"}));
  EXPECT_TRUE(read("a b,c\n1,2\n").notes.empty());
}

TEST(Csv, ATabMayStandForNothing) {
  const Table table = read("a\tb\tc\n1\t\t3\n\t2\t3\n");
  EXPECT_TRUE(std::isnan(table.values.row(0)[1]) && std::isnan(table.values.row(1)[0]));
  EXPECT_EQ(table.values.row(1)[1], 2);
}

TEST(Csv, MarksWhatIsNoFiniteNumber) {
  for (const char* cell : {"abc", "inf", "-inf", "Infinity", "1e39", "-1e39", "1.5x", "0x10", "1 2",
                           "--1", "+-1", "+", ".", "1e", "1;5"}) {
    const Table table = read("a,b\n1,2\n" + std::string(cell) + ",4\nxyz,5\n");
    EXPECT_TRUE(std::isinf(table.values.row(1)[0])) << cell;
    EXPECT_EQ(table.odd.at(0), cell);
    EXPECT_EQ(table.odd.size(), 1u);
    EXPECT_EQ(table.first_line, 2u);
  }
}

TEST(Csv, MarksWhatIsMissing) {
  for (const char* cell : {"", " ", "\"\"", "nan", "NaN", "NA", "N/A", "null", "None", "<NA>"}) {
    const Table table = read("a,b\n1," + std::string(cell) + "\n3,4\n");
    EXPECT_TRUE(std::isnan(table.values.row(0)[1])) << cell;
    EXPECT_TRUE(table.odd.empty());
  }
}

TEST(Csv, SaysWhereARowIsRagged) {
  expect_refusal("a,b\n1,2\n3\n", 3, 2, "the header has 2 columns, this row 1");
  expect_refusal("a,b\n1,2\n3,4,5\n", 3, 3, "the header has 2 columns, this row 3");
  expect_refusal("a,b\n1,2,\n", 2, 3, "this row 3");
  expect_refusal("a,b\n1,2\n\n3,4\n", 3, {}, "blank line");
}

TEST(Csv, SaysWhatIsWrongWithTheHeader) {
  for (const char* text : {"", "\n1,2\n", "\r\n", "\xef\xbb\xbf", "  \n1\n"})
    expect_refusal(text, 1, {}, "no header");
  expect_refusal("a,b,a\n1,2,3\n", 1, 3, "two columns are called 'a', this and number 1");
  expect_refusal("a,\"b\n1,2\n", 1, 2, "quote");
  expect_refusal("a,b\"c\n1,2\n", 1, 2, "quote");
}

TEST(Csv, SaysWhereAQuoteIsStray) {
  expect_refusal("a,b\n1,\"2\n3,4\n", 2, 2, "quote");
  expect_refusal("a,b\n1,\"2\"3\n", 2, 2, "quote");
}

TEST(Csv, SaysThatThereAreNoRows) {
  expect_refusal("a,b\n", 2, {}, "no rows");
  expect_refusal("a,b", 1, {}, "no rows");
  expect_refusal("a,b\n\n \n", 2, {}, "no rows");
}

TEST(Csv, KeepsItsErrorsToOneShortLine) {
  const std::string name(100000, 'x');
  const Error error = thrown_by([&] { read(name + "\x1b[2J," + name + "\x1b[2J\n1,2\n"); });
  EXPECT_LT(std::string_view(error.what()).size(), 200u);
  EXPECT_EQ(std::string_view(error.what()).find('\x1b'), std::string_view::npos);
  EXPECT_LT(read("a\n" + name + "\n").odd.at(0).size(), 40u);
}

// A table of 2 × 10⁵ columns and as many blank lines would take 160 GB.
TEST(Csv, MakesNoRoomForRowsThatCannotBe) {
  std::string header = "c0";
  for (int c = 1; c < 200000; ++c) header += ",c" + std::to_string(c);
  std::string text = header + "\n";
  for (int row = 0; row < 200000; ++row) text += "1\n";
  expect_refusal(text, 2, 2, "the header has 200000 columns, this row 1");
}

std::string long_table(std::size_t rows) {
  std::string text = "a,b,c\n";
  for (std::size_t r = 0; r < rows; ++r)
    text += std::to_string(r) + ",-" + std::to_string(r) + ".5," + (r % 7 ? "1" : "\"2\"") + "\n";
  return text;
}

TEST(Csv, IsTheSameAtAnyNumberOfThreads) {
  constexpr std::size_t rows = 100000;  // some dozen pieces
  const std::string text = long_table(rows);
  const Table one = read(text);
  ASSERT_EQ(one.values.rows, rows);
  for (std::size_t r = 0; r < rows; ++r) {
    ASSERT_EQ(one.values.row(r)[0], static_cast<float>(r));
    ASSERT_EQ(one.values.row(r)[1], -0.5f - static_cast<float>(r));
    ASSERT_EQ(one.values.row(r)[2], r % 7 ? 1.0f : 2.0f);
  }
  Threads threads(3);
  EXPECT_EQ(read(text, &threads).values.values, one.values.values);
}

TEST(Csv, ReportsTheFirstErrorAtAnyNumberOfThreads) {
  std::string text = long_table(100000);
  for (const std::size_t line : {99000u, 70001u, 34567u}) {
    std::size_t at = 0;
    for (std::size_t i = 1; i < line; ++i) at = text.find('\n', at) + 1;
    text[at] = '"';
    Threads threads(3);
    const Error error = thrown_by([&] { read(text, &threads); });
    EXPECT_EQ(error.where().line, line);
    EXPECT_EQ(error.where().column, 1u);
    EXPECT_STREQ(error.what(), thrown_by([&] { read(text); }).what());
  }
}

// Every prefix, exactly sized, so that a sanitizer sees a read past the end.
TEST(Csv, SurvivesEveryPrefix) {
  const std::string whole = "\xef\xbb\xbf\"a\"\"\", b\r\n1.25e-3,\"-2\"\r\n 3,4e1 \r\n5,6\n\r\n";
  EXPECT_EQ(read(whole).values.values, (Values{1.25e-3f, -2, 3, 40, 5, 6}));
  int good = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    auto copy = std::make_unique<std::uint8_t[]>(size);
    std::copy_n(whole.begin(), size, copy.get());
    try {
      read_csv(Bytes(copy.get(), size), "f");
      ++good;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(good, 5);
}

TEST(Csv, ReadsATableOfOneRowOfEachKind) {
  EXPECT_EQ(read("a;b\n1;2").values.values, (Values{1, 2}));
  EXPECT_EQ(read("1.5;2").values.values, (Values{1.5f, 2}));
}

TEST(Csv, WritesShortestDecimals) {
  const Table table{"",
                    {"plain", "a,b", "say \"hi\"", " c"},
                    {2, 4, {0.1f, 1, -2.5f, 1e-45f, 1e20f, 16777216, 3.4028235e38f, -0.0f}}};
  EXPECT_EQ(to_csv(table),
            "plain,\"a,b\",\"say \"\"hi\"\"\",\" c\"\n0.1,1,-2.5,1e-45\n1e+20,16777216,"
            "3.4028235e+38,-0\n");
  const Table back = read(to_csv(table));
  EXPECT_EQ(back.names, table.names);
  EXPECT_EQ(back.values.values, table.values.values);
}

TEST(Csv, WritesNamesThatReadBack) {
  for (const char* name : {"", " ", "\t", "a\rb", "\xef\xbb\xbf",
                           "\xef\xbb\xbf"
                           "a",
                           "\"", "a\n"}) {
    const Table table{"", {name, "other"}, {1, 2, {1, 2}}};
    EXPECT_EQ(read(to_csv(table)).names, table.names);
  }
}

TEST(Csv, WritesNoInfinities) {
  const Table table{"", {"a"}, {1, 1, {std::numeric_limits<float>::infinity()}}};
  EXPECT_EQ(thrown_by([&] { to_csv(table); }).code(), ErrorCode::bad_value);
}

TEST(Csv, ReadsThePublishedTable) {
  HUMPTY_NEEDS(test::jane_street());
  Threads threads(2);
  const Table table = read_csv(test::jane_street() + "/historical_data.csv", &threads);
  EXPECT_EQ(table.values.rows, 10000u);
  EXPECT_EQ(table.names.size(), 50u);
  EXPECT_EQ(table.names[48], "pred");
  EXPECT_EQ(table.names[49], "true");
}

}  // namespace
}  // namespace humpty::io
