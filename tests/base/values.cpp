#include <memory>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"

namespace humpty::test {
namespace {

TEST(Values, BorrowedMemoryIsSharedUntilWrittenTo) {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  const Values lent(owner->data(), 3, owner);
  Values copy = lent;
  EXPECT_EQ(std::as_const(copy).data(), owner->data());
  copy[1] = 7;
  EXPECT_EQ(*owner, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(copy, (Values{1, 7, 3}));
  EXPECT_EQ(lent, (Values{1, 2, 3}));
}

TEST(Values, TheOwnerLivesAsLongAsAnyBorrower) {
  auto owner = std::make_shared<std::vector<float>>(2);
  const std::weak_ptr<std::vector<float>> watched = owner;
  auto lent = std::make_unique<Values>(owner->data(), 2, owner);
  Values copy = *lent;
  owner.reset();
  lent.reset();
  EXPECT_FALSE(watched.expired());
  copy.clear();
  EXPECT_TRUE(watched.expired());
  EXPECT_TRUE(copy.empty());
}

TEST(Values, AMovedOneIsEmpty) {
  auto owner = std::make_shared<std::vector<float>>(2);
  Values lent(owner->data(), 2, owner);
  const Values taken = std::move(lent);
  EXPECT_EQ(taken.size(), 2u);
  EXPECT_EQ(lent.size(), 0u);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace humpty::test
