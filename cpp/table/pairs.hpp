// How much a term of two columns would gain over those of one: the ranking of all pairs.
//
// With g and h the gradient and the curvature of every row, a Newton step in each cell of a coarse
// grid would gain g_c^2 / 2 h_c, of which the rows and the columns of the grid could have gained
// their part by themselves. Rows without a pattern have g_c^2 about noise * h_c: that much is
// expected of every cell, and subtracted.
#pragma once

#include <vector>

#include "table/table.hpp"
#include "threads/team.hpp"

namespace tauboost {

struct PairCandidate {
  std::int32_t first, second;
};

// The cell, among at most 16, of every code of a column.
struct CoarseColumn {
  const std::uint8_t* map;
  std::int32_t n;
};

class PairGains {
 public:
  static constexpr int most = 16;

  PairGains(const Table& table, const std::vector<CoarseColumn>& columns, const double* g,
            const double* h, double noise)
      : table_(table), columns_(columns), g_(g), h_(h), noise_(noise) {}

  double operator()(const PairCandidate& pair) const {
    const CoarseColumn &first = columns_[pair.first], &second = columns_[pair.second];
    const std::uint8_t *x = table_.column(pair.first), *y = table_.column(pair.second);
    double sums[most * most][2] = {}, rows[most][2] = {}, columns[most][2] = {};
    for (std::int64_t j = 0; j < table_.n_rows; ++j) {
      double* cell = sums[first.map[x[j]] * most + second.map[y[j]]];
      cell[0] += g_[j];
      cell[1] += h_[j];
    }
    double gain = 0.0;
    for (int a = 0; a < first.n; ++a)
      for (int b = 0; b < second.n; ++b) {
        const double* cell = sums[a * most + b];
        for (int k = 0; k < 2; ++k) {
          rows[a][k] += cell[k];
          columns[b][k] += cell[k];
        }
        gain += gain_of(cell);
      }
    for (int a = 0; a < first.n; ++a) gain -= gain_of(rows[a]);
    for (int b = 0; b < second.n; ++b) gain -= gain_of(columns[b]);
    return gain;
  }

 private:
  double gain_of(const double* sums) const {
    return sums[1] > 0.0 ? 0.5 * (sums[0] * sums[0] / sums[1] - noise_) : 0.0;
  }

  const Table& table_;
  const std::vector<CoarseColumn>& columns_;
  const double *g_, *h_;
  const double noise_;
};

}  // namespace tauboost
