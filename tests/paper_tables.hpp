// The paper's tables of rounds: the error before them, then each round's swaps and the error after
// it.
#pragma once

#include <vector>

namespace humpty::test {

struct PaperTable {
  struct Round {
    int swaps;
    double mse;
  };
  double start;
  std::vector<Round> rounds;
};

inline constexpr double kPrinted = 5.1e-7;  // half of the last digit printed, and rounding

inline const PaperTable kDeltaTable = {0.036794,
                                       {{23, 0.021690},
                                        {20, 0.012919},
                                        {21, 0.008559},
                                        {15, 0.005873},
                                        {11, 0.004097},
                                        {9, 0.002745},
                                        {12, 0.001012},
                                        {5, 0.000380},
                                        {2, 0.000247},
                                        {1, 0.000182},
                                        {1, 0.000118},
                                        {1, 0.000052},
                                        {1, 0}}};
inline const PaperTable kWoutTable = {
    0.075851,
    {{30, 0.005936}, {16, 0.003397}, {12, 0.001405}, {9, 0.000568}, {4, 0.000223}, {1, 0}}};
inline const PaperTable kBradleyTerryTable = {
    0.002989, {{15, 0.000748}, {6, 0.000320}, {4, 0.000091}, {2, 0}}};

}  // namespace humpty::test
