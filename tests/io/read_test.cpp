#include "io/read.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/builders.hpp"
#include "io/file.hpp"
#include "io/golden.hpp"
#include "io/tar_builder.hpp"
#include "io/temp_folder.hpp"
#include "io/thrown.hpp"
#include "shared.hpp"

namespace humpty::io {
namespace {

using test::floats;
using test::golden;
using test::golden_path;
using test::names;
using test::says;
using test::TempFolder;
using test::thrown_by;
using test::Values;
using Words = std::vector<std::string>;

TEST(ReadTensors, TellsFormatsByTheirContent) {
  const TempFolder folder;
  for (const auto& [file, format] : {
           std::pair("golden.pth", Format::torch),
           std::pair("golden_script.pt", Format::torch),
           std::pair("golden_legacy.pt", Format::torch_legacy),
           std::pair("golden.npy", Format::npy),
           std::pair("golden.npz", Format::npz),
           std::pair("golden_deflated.npz", Format::npz),
           std::pair("golden.safetensors", Format::safetensors),
           std::pair("golden.onnx", Format::onnx),
           std::pair("golden.gguf", Format::gguf),
       }) {
    const std::string misnamed = folder.write("model.csv", golden(file));
    EXPECT_EQ(format_of(misnamed), format) << file;
    const Tensors all = read_tensors(misnamed);
    EXPECT_EQ(all.file, misnamed);
    EXPECT_EQ(names(all), names(read_tensors(golden_path(file))));
    EXPECT_FALSE(all.tensors.empty()) << file;
  }
}

TEST(ReadTensors, ReadsFoldersAndIndexes) {
  const TempFolder folder;
  folder.write("model.safetensors", golden("golden.safetensors"));
  EXPECT_EQ(format_of(folder.path()), Format::shards);
  EXPECT_EQ(read_tensors(folder.path()).tensors.size(), 5u);
  const std::string index =
      folder.write("index", R"({"weight_map": {"weight": "model.safetensors"}})");
  EXPECT_EQ(format_of(index), Format::shards);
  EXPECT_EQ(read_tensors(index).tensors.size(), 5u);
}

TEST(ReadTensors, SaysWhatElseAFileLooksLike) {
  const TempFolder folder;
  const auto refusal = [&](const std::string& content) {
    return thrown_by([&] { read_tensors(folder.write("f", content)); });
  };
  for (const auto& [content, words] : {
           std::pair(std::string(), "is empty"),
           std::pair(std::string("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"),
           std::pair(std::string("<!DOCTYPE html>"), "the download went wrong"),
           std::pair(std::string("a,b\n1,2\n"), "looks like text"),
           std::pair(std::string("{\"a\": 1}"), "looks like JSON"),
           std::pair(std::string("BZh9"), "unpack it first"),
           std::pair(std::string("\x1f\x8b\x08"), "cut short"),
           std::pair(std::string("PAR1"), "pandas.read_parquet('FILE').to_csv("),
           std::pair(std::string("ARROW1"), "pandas.read_feather('FILE').to_csv("),
           std::pair(std::string("\x89HDF\r\n"), "HDF5"),
           std::pair(std::string("\x80\x04\x95") + std::string(20, '\0'), "a bare pickle"),
           std::pair(test::zip_of({{.name = "a.txt", .content = "?"}}), "zip archive without"),
           std::pair(test::tar_of({{"a", "1"}}), "tar archive"),
           std::pair(std::string("\x01\x02\x03"), "it starts with 01 02 03"),
       }) {
    const Error error = refusal(content);
    EXPECT_EQ(error.code(), ErrorCode::bad_format);
    EXPECT_EQ(error.where().file, folder.path("f"));
    EXPECT_TRUE(says(error, words)) << error.what();
  }
  const std::string cut = golden("golden.pth").substr(0, 1000);
  EXPECT_TRUE(says(refusal(cut), "cut short"));
  EXPECT_EQ(refusal(cut).where().file, folder.path("f"));
  EXPECT_EQ(thrown_by([&] { read_tensors(folder.path("none")); }).code(), ErrorCode::not_found);
}

TEST(ReadTable, ReadsTextAsATable) {
  const TempFolder folder;
  const auto data = read_table(folder.write("data.bin", "a,b\n1,2\n3,4\n"));
  const Table& table = std::get<Table>(data);
  EXPECT_EQ(table.names, (Words{"a", "b"}));
  EXPECT_EQ(table.values.values, (Values{1, 2, 3, 4}));
}

TEST(ReadTable, GivesArraysByName) {
  const auto data = read_table(golden_path("golden.npz"));
  const Arrays& all = std::get<Arrays>(data);
  ASSERT_EQ(all.arrays.size(), 2u);
  EXPECT_EQ(all.arrays[0].name, "weight");
  EXPECT_EQ(all.arrays[0].values.rows, 3u);
  EXPECT_EQ(all.arrays[0].values.cols, 2u);
  EXPECT_EQ(all.arrays[0].values.values, test::kTurned);
  EXPECT_EQ(all.arrays[1].name, "blocks.0.bias");
  EXPECT_EQ(all.arrays[1].values.rows, 2u);
  EXPECT_EQ(all.arrays[1].values.cols, 1u);
  EXPECT_EQ(all.skipped, (Words{"tensor 'steps': an array of 0 dimensions is not read",
                                "tensor 'scalar': an array of 0 dimensions is not read"}));
}

TEST(ReadTable, GivesThePublishedDataFromTextAndFromTorch) {
  HUMPTY_NEEDS(test::jane_street());
  const auto text = read_table(test::jane_street() + "/historical_data.csv");
  const auto torch = read_table(test::jane_street() + "/historical_data.pt");
  const Table& table = std::get<Table>(text);
  const Arrays& all = std::get<Arrays>(torch);
  ASSERT_EQ(all.arrays.size(), 3u);
  std::map<std::string, const Matrix*> found;
  for (const NamedArray& array : all.arrays) found[array.name] = &array.values;
  ASSERT_TRUE(found["inputs"] && found["preds"] && found["targets"]);
  ASSERT_EQ(found["inputs"]->rows, 10000u);
  ASSERT_EQ(found["inputs"]->cols, 48u);
  ASSERT_EQ(found["preds"]->values.size(), 10000u);
  for (std::size_t row = 0; row < 10000; row += 997)
    for (std::size_t column = 0; column < 48; ++column)
      EXPECT_NEAR(found["inputs"]->row(row)[column], table.values.row(row)[column], 1e-6);
}

TEST(ReadTable, SaysWhatIsNoData) {
  const TempFolder folder;
  const Error error = thrown_by([&] { read_table(folder.write("f", "BZh9\x01")); });
  EXPECT_TRUE(says(error, "unpack it first")) << error.what();
}

}  // namespace
}  // namespace humpty::io
