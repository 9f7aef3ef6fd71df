#include "puzzle/roles.hpp"

#include <gtest/gtest.h>

namespace humpty::puzzle {
namespace {

using Shape = std::pair<std::size_t, std::size_t>;

std::vector<Piece> pieces_of(const std::vector<Shape>& shapes) {
  std::vector<Piece> pieces;
  for (const auto& [out, in] : shapes) {
    Piece piece;
    piece.id = static_cast<int>(pieces.size());
    piece.weight = {out, in, std::vector<float>(out * in)};
    pieces.push_back(piece);
  }
  return pieces;
}

std::string roles_of(const std::vector<Shape>& shapes, std::size_t features = 0) {
  auto pieces = pieces_of(shapes);
  find_roles(pieces, features);
  std::string letters;
  for (const Piece& piece : pieces) letters += name(piece.role)[0];
  return letters;
}

std::string refusal(const std::vector<Shape>& shapes, std::size_t features = 0) {
  try {
    roles_of(shapes, features);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_shape);
    return error.what();
  }
  return "accepted";
}

TEST(Roles, AreFoundFromShapesForManyNets) {
  EXPECT_EQ(roles_of({{96, 48}, {48, 96}, {1, 48}, {96, 48}, {48, 96}}), "echec");
  EXPECT_EQ(roles_of({{3, 8}, {8, 3}, {10, 8}}), "ech");  // a bottleneck, ten outputs
  EXPECT_EQ(roles_of({{7, 4}, {4, 7}, {4, 4}}), "ech");   // o = d
  EXPECT_EQ(roles_of({{7, 4}, {9, 4}, {4, 7}, {4, 9}, {2, 4}}), "eecch");  // two hidden widths
  EXPECT_EQ(roles_of({{5, 1}, {1, 5}, {2, 1}}), "ech");                    // a stream of one
}

TEST(Roles, HiddenAsWideAsTheStreamIsSaidToBeUndecidable) {
  EXPECT_NE(refusal({{4, 4}, {4, 4}, {1, 4}}).find("(h = d)"), std::string::npos);
  EXPECT_NE(refusal({{4, 4}, {4, 4}, {4, 4}}).find("(h = d)"), std::string::npos);
}

TEST(Roles, AHeadAsWideAsTheHiddenLayerIsSaidToBeUndecidable) {
  EXPECT_NE(refusal({{9, 4}, {9, 4}, {4, 9}}).find("(o = h)"), std::string::npos);
}

TEST(Roles, UnequalNumbersAreCounted) {
  const std::string missing = refusal({{6, 4}, {6, 4}, {6, 4}, {4, 6}, {1, 4}});
  EXPECT_NE(missing.find("3 expand and 1 contract"), std::string::npos) << missing;
  EXPECT_NE(missing.find("3 of 6×4"), std::string::npos) << missing;
}

TEST(Roles, NoHeadAndSeveralHeadsAreSaid) {
  EXPECT_NE(refusal({{6, 4}, {4, 6}}).find("no head"), std::string::npos);
  EXPECT_NE(refusal({{6, 4}, {4, 6}, {1, 4}, {1, 4}}).find("2 pieces that could be the head"),
            std::string::npos);
  EXPECT_NE(refusal({{6, 4}, {4, 6}, {1, 4}, {2, 4}}).find("2 pieces that could be the head"),
            std::string::npos);
}

TEST(Roles, ShapesOfNoResidualNetAreListed) {
  const std::string text = refusal({{3, 4}, {5, 6}, {7, 8}});
  EXPECT_NE(text.find("1 of 3×4, 1 of 5×6, 1 of 7×8"), std::string::npos) << text;
  EXPECT_NE(refusal({{1, 4}}), "accepted");
}

}  // namespace
}  // namespace humpty::puzzle
