// The sums of gradient and curvature over the cells of a coarse grid, for the ranking of all pairs:
// what a step in each cell would gain beyond those in its rows and its columns follows from them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "table/table.hpp"

namespace tauboost {

struct PairCandidate {
  std::int32_t first, second;
};

class PairSums {
 public:
  // The cell, below `side`, of every code of every column.
  PairSums(const Table& table, const std::uint8_t* maps, int side, const double* g, const double* h)
      : table_(table), maps_(maps), side_(side), g_(g), h_(h) {}

  // sums[a, b] = g and h over the rows in cell a of the first column and b of the second.
  void operator()(const PairCandidate& pair, double* sums) const {
    const std::uint8_t *first = maps_ + 256 * pair.first, *second = maps_ + 256 * pair.second;
    const std::uint8_t *x = table_.column(pair.first), *y = table_.column(pair.second);
    std::fill_n(sums, 2 * side_ * side_, 0.0);
    for (std::int64_t j = 0; j < table_.n_rows; ++j) {
      double* cell = sums + 2 * (first[x[j]] * side_ + second[y[j]]);
      cell[0] += g_[j];
      cell[1] += h_[j];
    }
  }

 private:
  const Table& table_;
  const std::uint8_t* maps_;
  const int side_;
  const double *g_, *h_;
};

}  // namespace tauboost
