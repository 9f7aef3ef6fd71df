#include "puzzle/checkpoint.hpp"

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "io/golden.hpp"

namespace humpty::puzzle {
namespace {

using Names = std::vector<std::string>;

// What is kept of tensors of these names, all of one shape, and what is said.
Names skipped;

Names kept(const Names& names, const std::string& key = "") {
  io::Tensors found{"f.pth", {}};
  for (const std::string& name : names)
    found.tensors.push_back({name, {1, 1}, io::DType::float32, {1}});
  keep_net(found, key);
  skipped = found.skipped;
  return test::names(found);
}

TEST(Checkpoint, TheNetIsTakenAndWhatTrainingNeedsLeftOut) {
  for (const std::string net : {"model", "state_dict", "model_state_dict", "net", "module"}) {
    EXPECT_EQ(kept({net + ".0.weight", "optimizer.state.0.exp_avg", "ema.0.weight", "loss"}),
              Names{net + ".0.weight"});
    ASSERT_EQ(skipped.size(), 1u);
    EXPECT_NE(skipped[0].find("taking '" + net + "'"), std::string::npos) << skipped[0];
    EXPECT_NE(skipped[0].find("'optimizer'"), std::string::npos) << skipped[0];
  }
}

TEST(Checkpoint, ACopyOfTheNetIsNoPartOfIt) {
  EXPECT_EQ(kept({"best.a", "best.b", "best.c", "model.a", "model.b", "model.c"}),
            (Names{"model.a", "model.b", "model.c"}));
}

TEST(Checkpoint, ModulesOfANetAreAllKept) {
  const Names names{"net.0.weight", "net.1.weight", "head.weight"};
  EXPECT_EQ(kept(names), names);
  EXPECT_EQ(kept({"model.weight"}), Names{"model.weight"});
  EXPECT_EQ(kept({"weight", "bias"}), (Names{"weight", "bias"}));
  EXPECT_EQ(kept({""}), Names{""});
  EXPECT_TRUE(skipped.empty());
}

TEST(Checkpoint, AKeyCanBeNamed) {
  const Names names{"model.weight", "ema.net.weight", "ema.network.weight"};
  EXPECT_EQ(kept(names, "ema"), (Names{"ema.net.weight", "ema.network.weight"}));
  EXPECT_EQ(kept(names, "ema.net"), Names{"ema.net.weight"});
  EXPECT_THROW(kept(names, "em"), Error);
}

}  // namespace
}  // namespace humpty::puzzle
