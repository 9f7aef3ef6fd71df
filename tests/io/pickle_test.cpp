#include "io/pickle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "io/builders.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

using test::global;
using test::le;
using test::pickle;
using test::says;
using test::text;
using test::thrown_by;
using Kind = Value::Kind;

constexpr std::array<std::string_view, 1> kAllowed{"some.name"};

// The bytes and what was read from them.
struct Read {
  explicit Read(std::string content)
      : bytes(std::move(content)), tree(bytes_of(bytes), kAllowed, "f.pth", "data.pkl") {}
  std::string bytes;
  Pickle tree;

  const Value& root() const { return tree.root(); }
  const Value& item(std::size_t index) const { return tree[root().items.at(index)]; }
};

Error refusal(const std::string& bytes) {
  return thrown_by([&] { Read{bytes}; });
}

std::int64_t integer_of(const std::string& opcodes) {
  const Read read(pickle(opcodes));
  EXPECT_EQ(read.root().kind, Kind::integer);
  return read.root().integer;
}

TEST(Pickle, ReadsIntegersOfEverySpelling) {
  EXPECT_EQ(integer_of("K\xff"), 255);
  EXPECT_EQ(integer_of("M\x01\x80"), 0x8001);
  EXPECT_EQ(integer_of("J\xfe\xff\xff\xff"), -2);
  EXPECT_EQ(integer_of(std::string("\x8a\0", 2)), 0);
  EXPECT_EQ(integer_of("\x8a\x01\xff"), -1);
  EXPECT_EQ(integer_of(std::string("\x8a\x02\xff\0", 4)), 255);
  EXPECT_EQ(integer_of("\x8a\x08" + le(1ull << 62, 8)), std::int64_t{1} << 62);
  EXPECT_EQ(integer_of("\x8b" + le(3, 4) + le(70000, 3)), 70000);
  EXPECT_EQ(integer_of("I-12\n"), -12);
  EXPECT_EQ(integer_of("L99L\n"), 99);
  EXPECT_EQ(integer_of("\x8a\x09" + le(5, 9)), 5);  // longer than need be
  EXPECT_EQ(integer_of("\x8a\x0a" + std::string(10, '\xff')), -1);
  EXPECT_EQ(Read(pickle("\x8a\x09" + le(0, 8) + le(1, 1))).root().kind, Kind::big);
  EXPECT_EQ(Read(pickle("\x8a\x09" + le(~0ull, 8) + le(0, 1))).root().kind, Kind::big);
  EXPECT_EQ(Read(pickle("L99999999999999999999L\n")).root().kind, Kind::big);
}

TEST(Pickle, ReadsOtherScalars) {
  EXPECT_EQ(Read(pickle("N")).root().kind, Kind::none);
  EXPECT_EQ(Read(pickle("\x88")).root().integer, 1);
  EXPECT_EQ(Read(pickle("\x89")).root().kind, Kind::boolean);
  EXPECT_EQ(Read(pickle("I01\n")).root().kind, Kind::boolean);
  EXPECT_EQ(Read(pickle(std::string("G\xc0\x04\0\0\0\0\0\0", 9))).root().real, -2.5);
  EXPECT_EQ(Read(pickle(text("tёxt"))).root().text, "tёxt");
  EXPECT_EQ(Read(pickle("\x8c\x02hi")).root().text, "hi");
  EXPECT_EQ(Read(pickle("\x8d" + le(2, 8) + "hi")).root().text, "hi");
  EXPECT_EQ(Read(pickle("C\x02hi")).root().kind, Kind::bytes);
}

TEST(Pickle, ReadsContainersInEverySpelling) {
  for (const char* opcodes : {"(K\1K\2t", "K\1K\2\x86", "(K\1K\2l", "](K\1K\2e", "]K\1aK\2a"}) {
    const Read read(pickle(opcodes));
    ASSERT_EQ(read.root().items.size(), 2u) << opcodes;
    EXPECT_EQ(read.item(0).integer, 1);
    EXPECT_EQ(read.item(1).integer, 2);
  }
  for (const char* opcodes : {"(K\1K\2d", "}K\1K\2s", "}(K\1K\2u"}) {
    const Read read(pickle(opcodes));
    EXPECT_EQ(read.root().kind, Kind::dict);
    EXPECT_EQ(read.root().items.size(), 2u);
  }
  const Read ordered(pickle(global("collections", "OrderedDict") + ")RK\1K\2s}b"));
  EXPECT_EQ(ordered.root().kind, Kind::dict);
  EXPECT_EQ(ordered.item(1).integer, 2);
}

TEST(Pickle, KeepsCallsAsData) {
  const Read read(pickle(global("some", "name") + "K\5\x85R"));
  ASSERT_EQ(read.root().kind, Kind::call);
  EXPECT_EQ(read.item(0).text, "some.name");
  EXPECT_EQ(read.tree[read.item(1).items.at(0)].integer, 5);
  const Read stacked("\x80\x04\x95" + le(17, 8) + "\x8c\x04some\x8c\x04name\x93.");
  EXPECT_EQ(stacked.root().text, "some.name");
}

TEST(Pickle, SharesWhatTheMemoShares) {
  const Read read(pickle("(]q\1h\1h\1r" + le(2, 4) + "j" + le(2, 4) + "t"));
  ASSERT_EQ(read.root().items.size(), 4u);
  for (const Value::Handle item : read.root().items) EXPECT_EQ(item, read.root().items[0]);
  const Read memoize("\x80\x04(]\x94K\7\x94h\1t.");
  ASSERT_EQ(memoize.root().items.size(), 3u);
  EXPECT_EQ(memoize.item(2).integer, 7);
}

TEST(Pickle, RefusesForbiddenGlobalsByNameAndOffset) {
  for (const auto& [module, name] : {std::pair{"os", "system"},
                                     {"posix", "system"},
                                     {"nt", "system"},
                                     {"builtins", "eval"},
                                     {"__builtin__", "exec"},
                                     {"subprocess", "Popen"},
                                     {"torch", "load"},
                                     {"some", "nam"}}) {
    const Error error = refusal(pickle(std::string("N") + global(module, name)));
    EXPECT_EQ(error.code(), ErrorCode::unsafe);
    EXPECT_EQ(error.where().offset, 3u);
    EXPECT_TRUE(says(error, fmt::format("'{}.{}'", module, name))) << error.what();
  }
  const Error stacked = refusal("\x80\x04\x8c\x02os\x8c\x06system\x93.");
  EXPECT_EQ(stacked.code(), ErrorCode::unsafe);
  EXPECT_EQ(stacked.where().offset, 14u);
  EXPECT_TRUE(says(stacked, "'os.system'"));
}

TEST(Pickle, TellsWhoeverSavedAWholeModelWhatToDo) {
  for (const char* module : {"torch.nn.modules.linear", "__main__", "my.models"}) {
    const Error error = refusal(pickle(global(module, "Net") + ")\x81"));
    EXPECT_EQ(error.code(), ErrorCode::unsafe);
    EXPECT_TRUE(says(error, "save model.state_dict() instead")) << error.what();
  }
}

TEST(Pickle, RefusesOpcodesByNumberAndOffset) {
  for (const int opcode : {0x69, 0x6f, 0x81, 0x82, 0x92, 0x97, 0x32, 0x50, 0xff}) {
    const Error error = refusal(pickle(std::string("N") + static_cast<char>(opcode)));
    EXPECT_EQ(error.code(), ErrorCode::bad_format);
    EXPECT_EQ(error.where().offset, 3u);
    EXPECT_TRUE(says(error, fmt::format("0x{:02x}", opcode))) << error.what();
  }
}

TEST(Pickle, RefusesNonsense) {
  const std::vector<std::string> all_opcodes{"",
                                             "NN",
                                             "(N",
                                             "t",
                                             "\x85",
                                             "(\x85",
                                             "N(\x85",
                                             "Na",
                                             "Nu",
                                             "]K\1K\2s",
                                             "}(K\1u",
                                             "(K\1d",
                                             "h\1",
                                             "q\1",
                                             "Nr" + le(0xfffffff0, 4),
                                             "N)R",
                                             "Q",
                                             "NNb",
                                             global("some", "name") + "NR",
                                             "NN\x93",
                                             "Ix\n",
                                             "I1",
                                             "X" + le(0xffffffff, 4),
                                             "\x8d" + le(~0ull, 8),
                                             "csome",
                                             "\x80\x06N",
                                             global("collections", "OrderedDict") + "]\x85R"};
  for (const std::string& opcodes : all_opcodes)
    EXPECT_EQ(refusal(pickle(opcodes)).code(), ErrorCode::bad_format) << opcodes;
  for (const char* bytes : {"", "N", "."})
    EXPECT_EQ(refusal(bytes).code(), ErrorCode::bad_format) << bytes;
}

// Each list holds the one before it twice: 2¹⁰⁰ leaves if anyone copied.
TEST(Pickle, SurvivesAMemoBomb) {
  std::string opcodes = "]q" + le(0, 1);
  for (unsigned level = 0; level < 100; ++level)
    opcodes += "](h" + le(level, 1) + "h" + le(level, 1) + "eq" + le(level + 1, 1);
  for (int level = 0; level < 100; ++level) opcodes += "\x86";  // gather the stack into one
  EXPECT_EQ(Read(pickle(opcodes)).root().items.size(), 2u);
}

TEST(Pickle, SurvivesDeepNestingAndCycles) {
  const std::string deep = pickle("N" + std::string(1000000, '\x85'));
  EXPECT_EQ(Read(deep).root().items.size(), 1u);
  EXPECT_EQ(Read(pickle("]q\1h\1a")).root().items.size(), 1u);
  EXPECT_EQ(refusal(pickle(std::string(1000000, '('))).code(), ErrorCode::bad_format);
}

}  // namespace
}  // namespace humpty::io
