// A puzzle from matrices that are in memory already: no files. Here a random net of six blocks is
// made, asked for its answers, shuffled by giving its layers other ids, and put back together.
#include <algorithm>
#include <cstdio>
#include <random>

#include <humpty/humpty.hpp>

std::mt19937 rng(7);

humpty::Matrix random_matrix(std::size_t rows, std::size_t cols, float scale) {
  std::normal_distribution<float> normal(0, scale);
  humpty::Matrix matrix{rows, cols, std::vector<float>(rows * cols)};
  for (float& value : matrix.values) value = normal(rng);
  return matrix;
}

// y = weight · x
std::vector<float> times(const humpty::Matrix& weight, const std::vector<float>& x) {
  std::vector<float> y(weight.rows);
  for (std::size_t r = 0; r < weight.rows; ++r)
    for (std::size_t c = 0; c < weight.cols; ++c) y[r] += weight.row(r)[c] * x[c];
  return y;
}

int main() {
  const int blocks = 6, d = 8, h = 16;
  std::vector<humpty::Piece> pieces(2 * blocks + 1);  // in, out, in, out, …, head; no biases
  for (int b = 0; b < blocks; ++b) {
    humpty::Matrix& in = pieces[2 * b].weight = random_matrix(h, d, 0.35f);
    humpty::Matrix& out = pieces[2 * b + 1].weight = random_matrix(d, h, 0.03f);
    for (int r = 0; r < d; ++r)  // training leaves such a trace: out is a little like −inᵀ
      for (int c = 0; c < h; ++c) out.row(r)[c] -= 0.2f * in.row(c)[r];
  }
  pieces.back().weight = random_matrix(1, d, 0.35f);

  humpty::Rows rows{random_matrix(200, d, 1), {200, 1, {}}, {}, {}};
  for (std::size_t r = 0; r < 200; ++r) {
    std::vector<float> x(rows.features.row(r), rows.features.row(r) + d);
    for (int b = 0; b < blocks; ++b) {
      std::vector<float> hidden = times(pieces[2 * b].weight, x);
      for (float& z : hidden) z = std::max(z, 0.0f);
      const std::vector<float> change = times(pieces[2 * b + 1].weight, hidden);
      for (int i = 0; i < d; ++i) x[i] += change[i];
    }
    rows.target.values.push_back(times(pieces.back().weight, x)[0]);
  }

  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].id = static_cast<int>(5 * i % 13);
  const auto solution = humpty::solve(humpty::make_puzzle(pieces, rows));
  std::printf("%s: %s\n", std::string(name(solution.verdict)).c_str(),
              solution.permutation_text().c_str());
  return solution.verdict == humpty::Verdict::exact ? 0 : 1;
}
