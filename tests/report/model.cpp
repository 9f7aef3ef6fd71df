// Reassembled nets as files. Real PyTorch and onnxruntime load them in tests/formats.
#include <cmath>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "io/golden.hpp"
#include "io/npy.hpp"
#include "io/onnx.hpp"
#include "io/safetensors.hpp"
#include "io/torch.hpp"
#include "nets.hpp"

namespace humpty {
namespace {

using Words = std::vector<std::string>;

struct Made {
  std::vector<Piece> pieces;  // by id
  std::vector<int> order{4, 1, 0, 3, 2};

  Made() {
    std::mt19937 rng(5);
    pieces = test::random_net(2, 3, 4, 1, rng);
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].id = order[i];
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.id < b.id; });
  }
  std::vector<Piece> applied() const { return arranged(pieces, order); }
};

const Words kNames{"blocks.0.inp.weight", "blocks.0.inp.bias",   "blocks.0.out.weight",
                   "blocks.0.out.bias",   "blocks.1.inp.weight", "blocks.1.inp.bias",
                   "blocks.1.out.weight", "blocks.1.out.bias",   "last.layer.weight",
                   "last.layer.bias"};

io::Tensors read_back(ModelFormat format, const std::string& bytes) {
  switch (format) {
    case ModelFormat::safetensors:
      return io::read_safetensors(io::bytes_of(bytes), "m");
    case ModelFormat::torch:
      return io::read_torch(io::bytes_of(bytes), "m");
    case ModelFormat::npz:
      return io::read_npz(io::bytes_of(bytes), "m");
    case ModelFormat::onnx:
      break;
  }
  return io::read_onnx(io::bytes_of(bytes), "m");
}

TEST(Model, HoldsTheTensorsInTheOrderOfApplication) {
  const Made made;
  for (const ModelFormat format :
       {ModelFormat::safetensors, ModelFormat::torch, ModelFormat::npz, ModelFormat::onnx}) {
    const io::Tensors read = read_back(format, to_model(format, made.applied()));
    ASSERT_EQ(test::names(read), kNames);
    for (std::size_t i = 0; i < made.order.size(); ++i) {
      const Piece& piece = made.pieces[static_cast<std::size_t>(made.order[i])];
      EXPECT_EQ(read.tensors[2 * i].values, piece.weight.values);
      EXPECT_EQ(read.tensors[2 * i + 1].values, piece.bias);
    }
  }
}

TEST(Model, SaysWhereItCameFrom) {
  ModelOptions options;
  options.metadata = {{"verdict", "exact"}};
  const io::Tensors read = read_back(ModelFormat::safetensors,
                                     to_model(ModelFormat::safetensors, Made().applied(), options));
  EXPECT_EQ(read.metadata.at("permutation"), "4,1,0,3,2");
  // printf 4,1,0,3,2 | sha256sum
  EXPECT_EQ(read.metadata.at("sha256"),
            "5e400a907a98cd48ecadde6ce815e129836db20b44ef74274459d33bd3a579b4");
  EXPECT_EQ(read.metadata.at("verdict"), "exact");
}

TEST(Model, KeepsThePrecisionItWasStoredIn) {
  Made made;
  made.pieces[4].dtype = "bfloat16";
  made.pieces[4].weight.values.assign(12, 0.5f);
  made.pieces[1].dtype = "float64";
  const io::Tensors read =
      read_back(ModelFormat::torch, to_model(ModelFormat::torch, made.applied()));
  EXPECT_EQ(read.tensors[0].dtype, io::DType::bfloat16);
  EXPECT_EQ(read.tensors[1].dtype, io::DType::float32);
  EXPECT_EQ(read.tensors[2].dtype, io::DType::float32);  // rounded when it was read
  for (const io::Tensor& tensor :
       read_back(ModelFormat::onnx, to_model(ModelFormat::onnx, made.applied())).tensors)
    EXPECT_EQ(tensor.dtype, io::DType::float32);
}

TEST(Model, LeavesOutBiasesThatAreNotThere) {
  Made made;
  made.pieces[4].bias.clear();
  for (const ModelFormat format : {ModelFormat::torch, ModelFormat::onnx}) {
    Words names = kNames;
    names.erase(names.begin() + 1);
    EXPECT_EQ(test::names(read_back(format, to_model(format, made.applied()))), names);
  }
}

TEST(Model, WeightsInAnOnnxGraphAreOutByIn) {
  const Made made;
  for (const io::Tensor& tensor :
       read_back(ModelFormat::onnx, to_model(ModelFormat::onnx, made.applied())).tensors) {
    if (tensor.shape.size() == 2) {
      ASSERT_TRUE(tensor.use) << tensor.name;
      EXPECT_FALSE(tensor.use->in_by_out) << tensor.name;
    }
  }
}

TEST(Model, NamesGoByTemplates) {
  ModelOptions options;
  options.names = layer_names("{i}.inp.weight,{i}.out.weight,{i}.layer.weight");
  const io::Tensors read =
      read_back(ModelFormat::npz, to_model(ModelFormat::npz, Made().applied(), options));
  EXPECT_EQ(test::names(read),
            (Words{"0.inp.weight", "0.inp.bias", "0.out.weight", "0.out.bias", "1.inp.weight",
                   "1.inp.bias", "1.out.weight", "1.out.bias", "2.layer.weight", "2.layer.bias"}));
}

TEST(LayerNames, TheFirstCanStandForTheOthers) {
  const LayerNames names = layer_names("net.{i}.inp.weight");
  EXPECT_EQ(names.in, "net.{i}.inp");
  EXPECT_EQ(names.out, "net.{i}.out");
  EXPECT_EQ(names.head, "last.layer");
  EXPECT_EQ(layer_names("h.{i}.mlp.fc1").out, "h.{i}.mlp.fc2");
  EXPECT_EQ(layer_names("{i}.a,{i}.b").out, "{i}.b");
  EXPECT_EQ(layer_names("{i}.a,{i}.b,top").head, "top");
  EXPECT_EQ(layer_names("{i}.a,{i}.b,top,embed").stem, "embed");
}

TEST(LayerNames, ThatWouldClashAreRefused) {
  for (const char* bad : {"blocks.inp", "{i}.a", "{i}.a,{i}.a", "{i}.a,b", "{i}.a,{i}.b,c,d,e"})
    EXPECT_THROW(layer_names(bad), Error) << bad;
  ModelOptions options;
  options.names = layer_names("{i}.a,{i}.b,0.a");
  EXPECT_THROW(to_model(ModelFormat::torch, Made().applied(), options), Error);
}

TEST(Arranged, WantsEveryPieceOnceAndShapesThatChain) {
  const Made made;
  EXPECT_EQ(made.applied().front().id, 4);
  for (const std::vector<int>& bad : std::vector<std::vector<int>>{
           {4, 1, 0, 3}, {4, 1, 0, 3, 3}, {4, 1, 0, 3, 9}, {1, 4, 0, 3, 2}, {2, 1, 0, 3, 4}, {}})
    EXPECT_THROW(arranged(made.pieces, bad), Error);
}

TEST(ModelFormatOf, GoesByTheEnding) {
  EXPECT_EQ(model_format("a/b.PTH"), ModelFormat::torch);
  EXPECT_EQ(model_format("b.onnx"), ModelFormat::onnx);
  EXPECT_THROW(model_format("b.h5"), Error);
  EXPECT_THROW(model_format("pth"), Error);
}

}  // namespace
}  // namespace humpty
