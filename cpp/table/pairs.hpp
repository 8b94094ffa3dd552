// How much a term of two columns would gain over those of one: the ranking of all pairs.
//
// With g and h the gradient and the curvature of every row, a Newton step in each cell of a coarse
// grid would gain g_c^2 / 2 h_c, of which the rows and the columns of the grid could have gained
// their part by themselves. Rows without a pattern have g_c^2 about noise * h_c: that much is
// expected of every cell, and subtracted.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "table/table.hpp"
#include "threads/team.hpp"

namespace tauboost {

class PairGains {
 public:
  static constexpr int most = 16;  // cells along an axis

  struct Moments {
    double g = 0.0, h = 0.0;
    void add(const Moments& other) {
      g += other.g;
      h += other.h;
    }
  };

  // The columns in coarse cells: n_cells[k] of them, row by row, for the k-th.
  PairGains(std::vector<std::vector<std::uint8_t>> columns, std::vector<std::int32_t> n_cells,
            std::vector<Moments> rows, double noise)
      : columns_(std::move(columns)),
        n_cells_(std::move(n_cells)),
        rows_(std::move(rows)),
        noise_(noise) {}

  // The gains of one column with some others. The others are taken a few at a time: a row's moments
  // are then read once for all of them.
  void operator()(std::int64_t first, const std::int64_t* seconds, std::int64_t n,
                  double* gains) const {
    constexpr std::int64_t together = 4;
    std::array<std::array<Moments, most * most>, together> sums;
    for (std::int64_t begin = 0; begin < n; begin += together) {
      const std::int64_t some = std::min(together, n - begin);
      for (auto& grid : sums) grid.fill({});
      // Where there are fewer, the last one is summed up again, and not looked at.
      const std::uint8_t* other[together];
      for (std::int64_t k = 0; k < together; ++k)
        other[k] = columns_[seconds[begin + std::min(k, some - 1)]].data();
      const std::uint8_t* own = columns_[first].data();
      for (std::size_t j = 0; j < rows_.size(); ++j) {
        const int row = own[j] * most;
        for (std::int64_t k = 0; k < together; ++k) sums[k][row + other[k][j]].add(rows_[j]);
      }
      for (std::int64_t k = 0; k < some; ++k)
        gains[begin + k] = gain(sums[k], n_cells_[first], n_cells_[seconds[begin + k]]);
    }
  }

 private:
  double gain(const std::array<Moments, most * most>& sums, int n_rows, int n_columns) const {
    std::array<Moments, most> rows{}, columns{};
    double gain = 0.0;
    for (int a = 0; a < n_rows; ++a)
      for (int b = 0; b < n_columns; ++b) {
        const Moments& cell = sums[a * most + b];
        rows[a].add(cell);
        columns[b].add(cell);
        gain += gain_of(cell);
      }
    for (int a = 0; a < n_rows; ++a) gain -= gain_of(rows[a]);
    for (int b = 0; b < n_columns; ++b) gain -= gain_of(columns[b]);
    return gain;
  }

  double gain_of(const Moments& sums) const {
    return sums.h > 0.0 ? 0.5 * (sums.g * sums.g / sums.h - noise_) : 0.0;
  }

  const std::vector<std::vector<std::uint8_t>> columns_;
  const std::vector<std::int32_t> n_cells_;
  const std::vector<Moments> rows_;
  const double noise_;
};

}  // namespace tauboost
