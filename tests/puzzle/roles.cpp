#include "puzzle/roles.hpp"

#include <fstream>

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

TEST(Roles, OnePieceOfAllFeaturesBeforeTheBlocksIsTheStem) {
  EXPECT_EQ(roles_of({{9, 4}, {4, 9}, {4, 6}, {1, 4}}, 6), "ecsh");
  EXPECT_EQ(roles_of({{9, 4}, {4, 9}, {4, 6}, {1, 4}}), "ecsh");     // no rows to ask
  EXPECT_EQ(roles_of({{9, 4}, {4, 9}, {4, 4}, {1, 4}}, 4), "ecsh");  // as many features as d
  EXPECT_EQ(roles_of({{9, 4}, {4, 9}, {4, 6}, {6, 4}}, 6), "ecsh");  // as many outputs
  EXPECT_EQ(roles_of({{4, 6}, {7, 4}, {9, 4}, {4, 7}, {4, 9}, {2, 4}}, 6), "seecch");
}

TEST(Roles, AStemThatLooksLikeAContractPieceIsSaidToBeUndecidable) {
  EXPECT_NE(refusal({{9, 4}, {4, 9}, {4, 9}, {1, 4}}, 9).find("one of them is the stem"),
            std::string::npos);
  // Of four features the piece d × 9 is no stem: an expand piece is missing.
  EXPECT_NE(refusal({{9, 4}, {4, 9}, {4, 9}, {1, 4}}, 4).find("1 expand and 2 contract"),
            std::string::npos);
}

TEST(Roles, AHeadAmongSquarePiecesIsSaidToBeUndecidable) {
  EXPECT_NE(refusal({{4, 4}, {4, 4}, {4, 4}}).find("(h = d)"), std::string::npos);
}

TEST(Roles, WeightsThatTellNothingMakeACoinsAnswer) {
  auto pieces = pieces_of({{4, 4}, {4, 4}, {1, 4}});
  EXPECT_DOUBLE_EQ(find_roles(pieces, 0), 0.5);
  EXPECT_EQ(pieces[2].role, Role::head);
  EXPECT_NE(pieces[0].role, pieces[1].role);
}

// A trained net whose hidden layers are as wide as the stream, ids in the order of application.
TEST(Roles, OfSquarePiecesAreToldByTheWeights) {
  const Rows rows = lab::make_task(lab::Task::regression, 500, 12, 1, 3);
  lab::TrainOptions options;
  options.blocks = 8;
  options.hidden = {12, 20};
  options.init = lab::Init::zero;
  options.epochs = 20;
  options.lr = 3e-3;
  std::vector<Piece> pieces = lab::train(options, rows.features, rows.target).pieces;
  const double sure = find_roles(pieces, 12);
  EXPECT_GT(sure, 0.9);
  EXPECT_LT(sure, 1);
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
    EXPECT_EQ(pieces[i].role, i % 2 == 0 ? Role::expand : Role::contract) << i;
}

std::string stated(const std::string& text, const std::vector<Shape>& shapes) {
  const std::string path = testing::TempDir() + "humpty-roles.txt";
  std::ofstream(path) << text;
  auto pieces = pieces_of(shapes);
  try {
    state_roles(pieces, path);
  } catch (const Error& error) {
    return error.what();
  }
  std::string letters;
  for (const Piece& piece : pieces) letters += name(piece.role)[0];
  return letters;
}

TEST(Roles, MayBeStated) {
  const std::vector<Shape> square{{4, 4}, {4, 4}, {4, 4}};
  EXPECT_EQ(stated("# mine\n0 contract\n\n1: head\r\n2,expand", square), "che");
  EXPECT_EQ(stated("0 contract\n1 expand\n2 stem\n3 head", {{4, 4}, {4, 4}, {4, 4}, {4, 4}}),
            "cesh");
  EXPECT_NE(
      stated("0 stem\n1 expand\n2 stem\n3 head", {{4, 4}, {4, 4}, {4, 4}, {4, 4}}).find("2 stems"),
      std::string::npos);
}

TEST(Roles, StatedWronglyAreRefusedWithTheLine) {
  const std::vector<Shape> square{{4, 4}, {4, 4}, {4, 4}};
  const auto says = [&](const std::string& text, const std::string& word) {
    const std::string answer = stated(text, square);
    EXPECT_NE(answer.find(word), std::string::npos) << answer;
  };
  says("0 expand\n1 tail\n2 head", "humpty-roles.txt:2");
  says("0 expand\nx contract\n2 head", "humpty-roles.txt:2");
  says("0 expand\n0 contract\n2 head", "has a role already");
  says("0 expand\n1 contract", "no role for piece 2");
  says("0 expand\n1 contract\n2 head\n3 head", "4 roles for 3 pieces");
  says("0 head\n1 contract\n2 head", "2 heads");
  says("0 expand\n1 expand\n2 head", "2 more expand than contract");
  EXPECT_NE(stated("0 contract\n1 expand\n2 head", {{7, 4}, {4, 7}, {1, 4}}).find("cannot be"),
            std::string::npos);
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
