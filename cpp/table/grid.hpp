// The levels of a pair: a small table whose neighbouring cells want to be alike.
//
//     minimise  sum_c h_c/2 (x_c - target_c)^2 + ridge/2 x_c^2
//               + smooth/2 sum over neighbours (x_c - x_c')^2,
//
// by sweeps over the cells (Gauss and Seidel), each of which only decreases it. Neighbours are
// counted along ordered axes; where there are none, cells shrink towards 0 by themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "table/table.hpp"

namespace tauboost {

struct GridPenalty {
  double ridge = 0.0, smooth = 0.0;
};

class Grid {
 public:
  // Every visit of a pair goes on from the last one: few sweeps do (docs/theory.md).
  static constexpr int n_sweeps = 3;

  explicit Grid(int most) : inverse_(most), constant_(most), left_(most + 1), x_(most + 2) {}

  void solve(const Term& term, const double* h, const double* target, const GridPenalty& penalty,
             double* x) {
    const int n = term.n_cells(), columns = term.n_second;
    const double smooth = penalty.smooth;
    // What ties a cell to the one before it in its row; the last one ties it to nothing.
    for (int j = 0; j <= columns; ++j) left_[j] = has_left(term, j) ? smooth : 0.0;
    for (int i = 0; i < term.n_first; ++i) {
      const double above = has_up(term, i) ? smooth : 0.0;
      const double below = has_up(term, i + 1) ? smooth : 0.0;
      for (int j = 0; j < columns; ++j) {
        const int c = i * columns + j;
        inverse_[c] = 1.0 / (h[c] + penalty.ridge + above + below + left_[j] + left_[j + 1]);
        constant_[c] = h[c] * target[c];
      }
    }
    double* const cell = x_.data() + 1;  // a cell that counts for nothing at either end
    std::copy_n(x, n, cell);
    for (int sweep = 0; sweep < n_sweeps; ++sweep)
      for (int i = 0; i < term.n_first; ++i) {
        const double above = has_up(term, i) ? smooth : 0.0;
        const double below = has_up(term, i + 1) ? smooth : 0.0;
        const int first = i * columns;
        const int up = above > 0.0 ? -columns : 0, down = below > 0.0 ? columns : 0;
        for (int j = 0; j < columns; ++j) {
          const int c = first + j;
          const double others = constant_[c] + above * cell[c + up] + below * cell[c + down] +
                                left_[j + 1] * cell[c + 1];
          cell[c] = (others + left_[j] * cell[c - 1]) * inverse_[c];
        }
      }
    std::copy_n(cell, n, x);
  }

  static double value(const Term& term, const GridPenalty& penalty, const double* x) {
    double squares = 0.0, differences = 0.0;
    const int columns = term.n_second, ordered = term.ordered_second;
    for (int i = 0; i < term.n_first; ++i) {
      const double* row = x + i * columns;
      for (int j = 0; j < columns; ++j) squares += row[j] * row[j];
      for (int j = 1; j < ordered; ++j) differences += square(row[j] - row[j - 1]);
      if (has_up(term, i))
        for (int j = 0; j < columns; ++j) differences += square(row[j] - row[j - columns]);
    }
    return 0.5 * (penalty.ridge * squares + penalty.smooth * differences);
  }

 private:
  static double square(double x) { return x * x; }
  // Whether row i and the one above it are both among the ordered ones.
  static bool has_up(const Term& term, int i) { return i > 0 && i < term.ordered_first; }
  static bool has_left(const Term& term, int j) { return j > 0 && j < term.ordered_second; }

  std::vector<double> inverse_, constant_, left_, x_;
};

// psi of all levels of a table: the elastic net over the hypotheses of each column, and the penalty
// of each pair.

// psi of one term in one lane. Of a pair: l1 is its ridge, l2 its smoothness.
struct TermPenalty {
  double l1, l2;
};

inline double psi_of(const Term& term, const TermPenalty& penalty, const double* x) {
  if (penalty.l1 == 0.0 && penalty.l2 == 0.0) return 0.0;
  if (term.is_pair()) return Grid::value(term, {penalty.l1, penalty.l2}, x);
  double size = 0.0, squares = 0.0;
  const auto add = [&](double lam) {
    size += std::abs(lam);
    squares += lam * lam;
  };
  for (int t = 0; t + 1 < term.ordered_first; ++t) add(0.5 * (x[t + 1] - x[t]));
  for (int b = term.ordered_first; b < term.n_cells(); ++b) add(x[b]);
  return penalty.l1 * size + 0.5 * penalty.l2 * squares;
}

inline double psi_of(const Table& table, const TermPenalty* penalties, const double* levels) {
  double sum = 0.0;
  for (std::size_t k = 0; k < table.terms.size(); ++k)
    sum += psi_of(table.terms[k], penalties[k], levels + table.terms[k].offset);
  return sum;
}

}  // namespace tauboost
