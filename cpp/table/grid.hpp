// The levels of a pair: a small table whose neighbouring cells want to be alike.
//
//     minimise  sum_c h_c/2 (x_c - target_c)^2 + ridge/2 x_c^2
//               + smooth/2 sum over neighbours (x_c - x_c')^2,
//
// by sweeps over the cells (Gauss and Seidel), each of which only decreases it. Neighbours are
// counted along ordered axes; where there are none, cells shrink towards 0 by themselves.
#pragma once

#include <algorithm>
#include <vector>

#include "table/table.hpp"

namespace tauboost {

struct GridPenalty {
  double ridge = 0.0, smooth = 0.0;
};

class Grid {
 public:
  static constexpr int n_sweeps = 6;

  explicit Grid(int most) : inverse_(most), constant_(most) {}

  void solve(const Term& term, const double* h, const double* target, const GridPenalty& penalty,
             double* x) {
    const int rows = term.n_first, columns = term.n_second;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const int c = i * columns + j;
        const int n =
            has_up(term, i) + has_up(term, i + 1) + has_left(term, j) + has_left(term, j + 1);
        inverse_[c] = 1.0 / (h[c] + penalty.ridge + penalty.smooth * n);
        constant_[c] = h[c] * target[c];
      }
    for (int sweep = 0; sweep < n_sweeps; ++sweep)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          const int c = i * columns + j;
          double around = 0.0;
          if (has_up(term, i)) around += x[c - columns];
          if (has_up(term, i + 1)) around += x[c + columns];
          if (has_left(term, j)) around += x[c - 1];
          if (has_left(term, j + 1)) around += x[c + 1];
          x[c] = (constant_[c] + penalty.smooth * around) * inverse_[c];
        }
  }

  static double value(const Term& term, const GridPenalty& penalty, const double* x) {
    double squares = 0.0, differences = 0.0;
    for (int i = 0; i < term.n_first; ++i)
      for (int j = 0; j < term.n_second; ++j) {
        const int c = i * term.n_second + j;
        squares += x[c] * x[c];
        if (has_up(term, i)) differences += square(x[c] - x[c - term.n_second]);
        if (has_left(term, j)) differences += square(x[c] - x[c - 1]);
      }
    return 0.5 * (penalty.ridge * squares + penalty.smooth * differences);
  }

 private:
  static double square(double x) { return x * x; }
  // Whether row i and the one above it are both among the ordered ones.
  static bool has_up(const Term& term, int i) { return i > 0 && i < term.ordered_first; }
  static bool has_left(const Term& term, int j) { return j > 0 && j < term.ordered_second; }

  std::vector<double> inverse_, constant_;
};

}  // namespace tauboost
