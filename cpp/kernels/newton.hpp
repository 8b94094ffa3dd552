// Second-order information on a few columns: what a Newton finish is made of.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/penalty.hpp"
#include "kernels/weights.hpp"
#include "threads/cancellation.hpp"
#include "threads/team.hpp"

namespace tauboost {

// The rows of some columns of a shard: a counting transpose back to row-major.
struct RowLists {
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> position;  // in the list of columns, ascending within a row
  std::vector<double> value;           // A_ji, with its sign

  RowLists(const Matrix& A, const Shard& shard, const std::int32_t* columns, std::int64_t k)
      : start(shard.n_rows + 1, 0) {
    for (std::int64_t p = 0; p < k; ++p) {
      const Column column = A.column(shard, columns[p]);
      for (std::int64_t e = 0; e < column.n; ++e) start[column.rows[e] + 1] += 1;
    }
    for (std::int64_t j = 0; j < shard.n_rows; ++j) start[j + 1] += start[j];
    position.resize(start[shard.n_rows]);
    value.resize(start[shard.n_rows]);
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (std::int64_t p = 0; p < k; ++p) {
      const Column column = A.column(shard, columns[p]);
      for (std::int64_t e = 0; e < column.n; ++e) {
        const std::int64_t at = next[column.rows[e]]++;
        const double size = column.values == nullptr ? column.scale : column.values[e];
        position[at] = static_cast<std::int32_t>(p);
        value[at] = e < column.n_neg ? -size : size;
      }
    }
  }
};

// H = A_S^T diag(w) A_S for the k columns S, lower triangle, k x k. Shards are added in order.
inline void gram(const Matrix& A, const double* w, const std::int32_t* columns, std::int64_t k,
                 double* H, int n_threads, Cancellation& cancel) {
  const auto n_shards = static_cast<std::int64_t>(A.shards.size());
  std::vector<std::vector<double>> parts(n_shards);
  Team(n_threads).share(n_shards, [&](std::int64_t s) {
    const Shard& shard = A.shards[s];
    const RowLists rows(A, shard, columns, k);
    parts[s].assign(k * k, 0.0);
    for (std::int64_t j = 0; j < shard.n_rows && !cancel.stopped(); ++j) {
      const std::int64_t count = rows.start[j + 1] - rows.start[j];
      cancel.check(count * (count + 1) / 2);
      for (std::int64_t e = rows.start[j]; e < rows.start[j + 1]; ++e) {
        const double weighted = w[shard.first_row + j] * rows.value[e];
        double* row = parts[s].data() + rows.position[e] * k;
        for (std::int64_t f = rows.start[j]; f <= e; ++f)
          row[rows.position[f]] += weighted * rows.value[f];
      }
    }
  });
  std::fill(H, H + k * k, 0.0);
  for (const std::vector<double>& part : parts)
    for (std::int64_t e = 0; e < k * k; ++e) H[e] += part[e];
}

// Minimises slope' d + d' H d / 2 + sum_i l1_i |x_i + d_i| over d, with x + d within bounds, by
// coordinate descent from d = 0; H is full and symmetric, k x k.
inline void quadratic_descent(const double* H, double* slope, const double* x, const double* l1,
                              const double* lower, const double* upper, std::int64_t k,
                              std::int64_t most_passes, double* d, Cancellation& cancel) {
  double largest = 0.0;
  for (std::int64_t pass = 0; pass < most_passes; ++pass) {
    double moved = 0.0;
    for (std::int64_t i = 0; i < k && !cancel.stopped(); ++i) {
      cancel.check(k);
      const double curvature = H[i * k + i];
      if (!(curvature > 0.0)) continue;
      const ElasticNet<double> psi = {l1[i], 0.0, lower[i], upper[i]};
      const double at = x[i] + d[i];
      const double step = psi.prox(at - slope[i] / curvature, curvature) - at;
      if (step == 0.0) continue;
      d[i] += step;
      for (std::int64_t j = 0; j < k; ++j) slope[j] += step * H[i * k + j];
      moved = std::max(moved, step * step * curvature);
    }
    largest = std::max(largest, moved);
    if (moved <= 1e-12 * largest) break;
  }
}

}  // namespace tauboost
