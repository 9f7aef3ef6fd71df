// Training ties the two sides of a hidden unit in several ways, and the features are those sides of
// it by which a tie can be seen:
//
//   expand    w_in;  b_in;  ‖w_in‖;  b_in / ‖w_in‖ (where the unit switches on);  W_head · w_in
//   contract  w_out; ‖w_out‖; W_head · w_out (what the unit does to the answer); b_outᵀ w_out
//
// They come in groups because a group is weighed as a whole (see bilinear.cpp). Pieces differ in
// size with depth, and a few large pieces would be all that counts: so each group of each piece is
// centred over its units and brought to the same energy. The columns of a group are whitened over
// all pieces (with a ridge, lest noise be blown up): what every unit has in common tells no pair
// from another. Single giant units, dead ones or outliers, are clipped at three deviations.
#include "pair/features.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "net/train_kernel.hpp"
#include "pair/whiten.hpp"

namespace humpty::pair {
namespace {

using net::floats;
using net::padded;

constexpr double kRidge = 0.05;
constexpr float kClip = 3;

// Writes the group's columns of all units of a piece, (h, stride).
using Fill = std::function<void(const Piece&, float*, std::size_t)>;
struct Kind {
  std::size_t columns;
  Fill fill;
};

// One group of all pieces.
class Group {
 public:
  Group(const std::vector<const Piece*>& pieces, const std::vector<std::size_t>& units,
        const Kind& kind, Threads& threads)
      : threads_(threads) {
    for (std::size_t h : units) pieces_.emplace_back(h, kind.columns);
    threads.run(pieces.size(), [&](std::size_t i, unsigned) {
      kind.fill(*pieces[i], pieces_[i].row(0), pieces_[i].stride);
      centre(pieces_[i]);
      equalise(pieces_[i]);
    });
  }

  // False where no unit of any piece differs from another: there is nothing to learn from.
  bool prepare() {
    const std::vector<double> size = sizes();
    if (*std::max_element(size.begin(), size.end()) == 0) return false;
    scale_columns(size);
    if (columns() > 1) whiten(pieces_, kRidge, threads_);
    threads_.run(pieces_.size(), [&](std::size_t i, unsigned) {
      clip(pieces_[i]);
      centre(pieces_[i]);
    });
    scale_columns(sizes());
    return true;
  }

  std::size_t columns() const { return pieces_[0].columns; }
  const float* unit(std::size_t piece, std::size_t k) const { return pieces_[piece].row(k); }
  double energy(std::size_t piece) const { return energy_of(pieces_[piece]); }

 private:
  static double energy_of(const Units& piece) {
    double sum = 0;
    for (std::size_t at = 0; at < piece.rows * piece.stride; ++at)
      sum += double{piece.values[at]} * double{piece.values[at]};
    return sum;
  }

  static void centre(Units& piece) {
    std::vector<double> mean(piece.columns);
    for (std::size_t k = 0; k < piece.rows; ++k)
      for (std::size_t c = 0; c < piece.columns; ++c) mean[c] += piece.row(k)[c];
    for (double& value : mean) value /= static_cast<double>(piece.rows);
    for (std::size_t k = 0; k < piece.rows; ++k)
      for (std::size_t c = 0; c < piece.columns; ++c)
        piece.row(k)[c] -= static_cast<float>(mean[c]);
  }

  static void equalise(Units& piece) {
    const double size =
        std::sqrt(energy_of(piece) / static_cast<double>(piece.rows * piece.columns));
    const double factor = size > 1e-12 ? 1 / size : 0;  // less is rounding
    for (std::size_t at = 0; at < piece.rows * piece.stride; ++at)
      piece.values[at] = static_cast<float>(piece.values[at] * factor);
  }

  static void clip(Units& piece) {
    for (std::size_t at = 0; at < piece.rows * piece.stride; ++at)
      piece.values[at] = std::clamp(piece.values[at], -kClip, kClip);
  }

  // Root mean square of each column.
  std::vector<double> sizes() const {
    std::vector<double> square(columns());
    double count = 0;
    for (const Units& piece : pieces_) {
      count += static_cast<double>(piece.rows);
      for (std::size_t k = 0; k < piece.rows; ++k)
        for (std::size_t c = 0; c < piece.columns; ++c)
          square[c] += double{piece.row(k)[c]} * double{piece.row(k)[c]};
    }
    for (double& s : square) s = std::sqrt(s / count);
    return square;
  }

  void scale_columns(const std::vector<double>& size) {
    threads_.run(pieces_.size(), [&](std::size_t i, unsigned) {
      for (std::size_t c = 0; c < columns(); ++c)
        for (std::size_t k = 0; k < pieces_[i].rows; ++k)
          pieces_[i].row(k)[c] *= size[c] > 0 ? static_cast<float>(1 / size[c]) : 0.0f;
    });
  }

  Threads& threads_;
  std::vector<Units> pieces_;
};

double bias_at(const Piece& piece, std::size_t k) { return piece.bias.empty() ? 0 : piece.bias[k]; }

// A column of one number per unit.
Kind single(std::function<double(const Piece&, std::size_t)> value, bool expand) {
  return {1, [value = std::move(value), expand](const Piece& piece, float* to, std::size_t stride) {
            const std::size_t units = expand ? piece.weight.rows : piece.weight.cols;
            for (std::size_t k = 0; k < units; ++k)
              to[k * stride] = static_cast<float>(value(piece, k));
          }};
}

double row_norm(const Piece& piece, std::size_t k) {
  double square = 0;
  for (std::size_t f = 0; f < piece.weight.cols; ++f)
    square += double{piece.weight.row(k)[f]} * double{piece.weight.row(k)[f]};
  return std::sqrt(square);
}

double column_norm(const Piece& piece, std::size_t k) {
  double square = 0;
  for (std::size_t f = 0; f < piece.weight.rows; ++f)
    square += double{piece.weight.row(f)[k]} * double{piece.weight.row(f)[k]};
  return std::sqrt(square);
}

// Projections on the head tell something only where they are fewer than the numbers themselves.
bool head_projects(const Sides& sides) { return sides.head && sides.head->weight.rows < sides.d(); }

Kind on_head(const Matrix& head, bool expand) {
  return {head.rows, [&head, expand](const Piece& piece, float* to, std::size_t stride) {
            const Matrix& w = piece.weight;
            const std::size_t units = expand ? w.rows : w.cols;
            for (std::size_t k = 0; k < units; ++k)
              for (std::size_t o = 0; o < head.rows; ++o) {
                double sum = 0;
                for (std::size_t f = 0; f < head.cols; ++f)
                  sum += double{head.row(o)[f]} * double{expand ? w.row(k)[f] : w.row(f)[k]};
                to[k * stride + o] = static_cast<float>(sum);
              }
          }};
}

std::vector<Kind> expand_kinds(const Sides& sides) {
  std::vector<Kind> kinds;
  kinds.push_back({sides.d(), [](const Piece& piece, float* to, std::size_t stride) {
                     for (std::size_t k = 0; k < piece.weight.rows; ++k)
                       std::copy_n(piece.weight.row(k), piece.weight.cols, to + k * stride);
                   }});
  kinds.push_back(single(bias_at, true));
  kinds.push_back(single(row_norm, true));
  kinds.push_back(
      single([](const Piece& piece,
                std::size_t k) { return bias_at(piece, k) / (row_norm(piece, k) + 1e-12); },
             true));
  if (head_projects(sides)) kinds.push_back(on_head(sides.head->weight, true));
  return kinds;
}

std::vector<Kind> contract_kinds(const Sides& sides) {
  std::vector<Kind> kinds;
  kinds.push_back({sides.d(), [](const Piece& piece, float* to, std::size_t stride) {
                     net::transpose(piece.weight.values.data(), piece.weight.rows,
                                    piece.weight.cols, piece.weight.cols, to, stride);
                   }});
  kinds.push_back(single(column_norm, false));
  if (head_projects(sides)) kinds.push_back(on_head(sides.head->weight, false));
  kinds.push_back(single(
      [](const Piece& piece, std::size_t k) {
        double sum = 0;
        for (std::size_t f = 0; f < piece.weight.rows; ++f)
          sum += bias_at(piece, f) * double{piece.weight.row(f)[k]};
        return sum;
      },
      false));
  return kinds;
}

using Places = std::vector<std::size_t> Width::*;

// Sets the prepared groups beside each other, unit by unit.
Features assemble(const std::vector<Group>& groups, const Sides& sides, Places places) {
  Features features;
  features.groups.push_back(0);
  for (const Group& group : groups) {
    features.groups.push_back(features.groups.back() + group.columns());
    features.energy.emplace_back();
    for (std::size_t i = 0; i < sides.size(); ++i)
      features.energy.back().push_back(group.energy(i));
  }
  features.stride = padded(features.columns());
  for (const Width& width : sides.widths) {
    const std::vector<std::size_t>& own = width.*places;
    features.values.push_back(floats(width.h * own.size() * features.stride));
    float* to = features.values.back().get();
    for (std::size_t k = 0; k < width.h; ++k)
      for (std::size_t i : own) {
        for (std::size_t g = 0; g < groups.size(); ++g)
          std::copy_n(groups[g].unit(i, k), groups[g].columns(), to + features.groups[g]);
        to += features.stride;
      }
  }
  return features;
}

Features prepare(const Sides& sides, const std::vector<const Piece*>& pieces,
                 const std::vector<Kind>& kinds, Places places, Threads& threads) {
  std::vector<std::size_t> units(sides.size());
  for (const Width& width : sides.widths)
    for (std::size_t i : width.*places) units[i] = width.h;
  std::vector<Group> groups;
  for (const Kind& kind : kinds) {
    Group group(pieces, units, kind, threads);
    if (group.prepare()) groups.push_back(std::move(group));
  }
  return assemble(groups, sides, places);
}

}  // namespace

Features expand_features(const Sides& sides, Threads& threads) {
  return prepare(sides, sides.expand, expand_kinds(sides), &Width::expand, threads);
}

Features contract_features(const Sides& sides, Threads& threads) {
  return prepare(sides, sides.contract, contract_kinds(sides), &Width::contract, threads);
}

}  // namespace humpty::pair
