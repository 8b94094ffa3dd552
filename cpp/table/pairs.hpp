// The sums of gradient and curvature over the cells of a coarse grid, for the ranking of all pairs:
// what a step in each cell would gain beyond those in its rows and its columns follows from them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "table/table.hpp"
#include "threads/team.hpp"

namespace tauboost {

class PairSums {
 public:
  static constexpr int most = 16;  // cells along an axis

  // maps: for each of the columns and every code its cell, below `side`.
  PairSums(const Table& table, const std::vector<std::int32_t>& columns, const std::uint8_t* maps,
           int side, const double* g, const double* h, Team& team)
      : side_(side), columns_(columns.size()) {
    std::vector<std::int64_t> rows;  // those that count
    for (std::int64_t j = 0; j < table.n_rows; ++j)
      if (h[j] > 0.0) {
        rows.push_back(j);
        rows_.push_back({g[j], h[j]});
      }
    team.share(static_cast<std::int64_t>(columns.size()), [&](std::int64_t k) {
      const std::uint8_t *code = table.column(columns[k]), *map = maps + 256 * k;
      columns_[k].reserve(rows.size());
      for (const std::int64_t j : rows) columns_[k].push_back(map[code[j]]);
    });
  }

  // The sums of one column with all after it: (columns, side, side, 2). These are taken a few at a
  // time: a row's moments are then read once for all of them.
  void operator()(std::int64_t first, double* sums) const {
    constexpr std::int64_t together = 4;
    const auto n = static_cast<std::int64_t>(columns_.size());
    std::array<std::array<Moments, most * most>, together> grids;
    for (std::int64_t begin = first + 1; begin < n; begin += together) {
      const std::int64_t some = std::min(together, n - begin);
      for (auto& grid : grids) grid.fill({});
      // Where there are fewer, the last one is summed up again, and not looked at.
      const std::uint8_t* other[together];
      for (std::int64_t k = 0; k < together; ++k)
        other[k] = columns_[begin + std::min(k, some - 1)].data();
      const std::uint8_t* own = columns_[first].data();
      for (std::size_t j = 0; j < rows_.size(); ++j) {
        const int row = own[j] * most;
        for (std::int64_t k = 0; k < together; ++k) grids[k][row + other[k][j]].add(rows_[j]);
      }
      for (std::int64_t k = 0; k < some; ++k) sums = write(grids[k], sums);
    }
  }

 private:
  struct Moments {
    double g = 0.0, h = 0.0;
    void add(const Moments& other) {
      g += other.g;
      h += other.h;
    }
  };

  double* write(const std::array<Moments, most * most>& grid, double* sums) const {
    for (int a = 0; a < side_; ++a)
      for (int b = 0; b < side_; ++b) {
        *sums++ = grid[a * most + b].g;
        *sums++ = grid[a * most + b].h;
      }
    return sums;
  }

  const int side_;
  std::vector<std::vector<std::uint8_t>> columns_;  // in coarse cells, row by row
  std::vector<Moments> rows_;
};

}  // namespace tauboost
