#include "puzzle/files.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "io/builders.hpp"
#include "io/npy.hpp"
#include "io/read.hpp"
#include "io/tar_builder.hpp"
#include "io/temp_folder.hpp"

namespace humpty::puzzle {
namespace {

namespace fs = std::filesystem;

std::string names(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += fs::path(file).filename().string() + " ";
  return text;
}

struct Places : ::testing::Test {
  test::TempFolder folder;
  std::string array(const std::string& name) const {
    return folder.write(name, io::to_npy({"", {1, 1}, io::DType::float32, {1}}));
  }
};

TEST_F(Places, AFolderAsPublishedHasItsPiecesInAFolderAndItsRowsBeside) {
  array("pieces/p_1.npy");
  array("other.npz");
  folder.write("rows.csv", "x,pred\n1,2\n");
  const Files found = find_files({folder.path()}, "");
  EXPECT_EQ(names(found.pieces), "p_1.npy ");
  EXPECT_EQ(names({choose_data(found, "")}), "rows.csv ");
}

TEST_F(Places, WithoutACsvTheOneOtherFileIsTheData) {
  array("pieces/p_1.npy");
  array("rows.npy");
  EXPECT_EQ(names({choose_data(find_files({folder.path()}, ""), "")}), "rows.npy ");
  array("more.npy");
  EXPECT_THROW(choose_data(find_files({folder.path()}, ""), ""), Error);
}

TEST_F(Places, DataAmongThePiecesIsNoPiece) {
  array("p_1.npy");
  const std::string data = array("rows.npy");
  EXPECT_EQ(names(find_files({folder.path()}, data).pieces), "p_1.npy ");
  EXPECT_EQ(names(find_files({folder.path("p_1.npy"), data}, data).pieces), "p_1.npy ");
}

TEST_F(Places, WhatIsNotCalledAnythingIsToldByItsContent) {
  array("piece_1");
  array("piece_2.dat");
  array("piece_3.npy.bak");
  folder.write("notes", "text\n");
  folder.write("readme.md", "text\n");
  EXPECT_EQ(names(find_files({folder.path()}, "").pieces), "piece_1 piece_2.dat ");
  folder.write("table.txt", "x,pred\n1,2\n");
  EXPECT_EQ(names(find_files({folder.path("table.txt")}, "").data), "table.txt ");
}

TEST_F(Places, AFolderCalledPiecesHasItsRowsOneLevelUp) {
  array("pieces/p_1.npy");
  folder.write("rows.csv.gz", "");
  EXPECT_EQ(names({choose_data(find_files({folder.path("pieces")}, ""), "")}), "rows.csv.gz ");
  EXPECT_EQ(names({choose_data(find_files({folder.path("pieces") + "/"}, ""), "")}),
            "rows.csv.gz ");
  folder.write("pieces/own.csv", "");
  EXPECT_EQ(names({choose_data(find_files({folder.path("pieces")}, ""), "")}), "own.csv ");
  array("layers/p_1.npy");
  EXPECT_TRUE(find_files({folder.path("layers")}, "").data.empty());
}

TEST_F(Places, AnArchiveIsLookedIntoLikeAFolder) {
  const std::string piece = io::to_npy({"", {1, 1}, io::DType::float32, {1}});
  for (const std::string& content :
       {test::tar_of({{"net/pieces/p_1.npy", piece},
                      {"net/rows.csv", "x,pred\n1,2\n"},
                      {"net/more.npy", piece},
                      {"net/._p_1.npy", "?"}}),
        test::zip_of({{.name = "net/pieces/p_1.npy", .content = piece, .deflated = true},
                      {.name = "net/rows.csv", .content = "x,pred\n1,2\n"},
                      {.name = "net/more.npy", .content = piece},
                      {.name = "__MACOSX/net/._p_1.npy", .content = "?"}})}) {
    const std::string archive = folder.write("net.archive", content);
    const Files found = find_files({archive}, "");
    EXPECT_EQ(found.pieces, std::vector<std::string>{archive + "/net/pieces/p_1.npy"});
    EXPECT_EQ(choose_data(found, ""), archive + "/net/rows.csv");
    EXPECT_EQ(names(found.maybe_data), "more.npy ");
    EXPECT_EQ(io::read_tensors(found.pieces[0], found.opened).tensors.size(), 1u);
  }
}

TEST_F(Places, AnIndexStandsForItsShards) {
  folder.write("m-1-of-2.safetensors", "");
  folder.write("m-2-of-2.safetensors", "");
  folder.write("m.safetensors.index.json", "{}");
  EXPECT_EQ(names(find_files({folder.path()}, "").pieces), "m.safetensors.index.json ");
}

}  // namespace
}  // namespace humpty::puzzle
