// Steps applied to the rows, shard by shard.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/iterate.hpp"
#include "kernels/weights.hpp"
#include "threads/team.hpp"

namespace tauboost {

// exp(r) *= exp(A_S d) on the rows of a shard, with d a fraction of the steps of the columns S.
// Returns the change of w.sum().
template <typename Rows>
double move_along(const Matrix& A, const Shard& shard, const std::int32_t* columns, std::int64_t n,
                  const double* step, double fraction, const Rows& rows) {
  double change = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (step[k] == 0.0) continue;
    const double d = fraction * step[k];
    change += scatter(A.column(shard, columns[k]), d, expm1(A.scale[columns[k]] * d), rows);
  }
  return change;
}

// Calls work(rows) with the rows of a shard, as their loss has them changed.
template <typename Work>
double on_rows(const Shard& shard, const Iterate& at, Work work) {
  const std::int64_t first = shard.first_row;
  if (at.is_logistic()) return work(Logistic{at.w + first, at.E + first, at.c.from(first)});
  return work(Exclusive{at.w + first});
}

inline double move_shard(const Matrix& A, const Shard& shard, const Iterate& at,
                         const std::int32_t* columns, std::int64_t n, const double* step,
                         double fraction) {
  return on_rows(shard, at, [&](const auto& rows) {
    return move_along(A, shard, columns, n, step, fraction, rows);
  });
}

// The same on the rows of all shards, added in shard order.
inline double move_rows(const Matrix& A, const Iterate& at, const std::int32_t* columns,
                        std::int64_t n, const double* step, double fraction, int n_threads) {
  const auto n_shards = static_cast<std::int64_t>(A.shards.size());
  std::vector<double> changes(n_shards);
  Team(n_threads).share(n_shards, [&](std::int64_t s) {
    changes[s] = move_shard(A, A.shards[s], at, columns, n, step, fraction);
  });
  double change = 0.0;
  for (double part : changes) change += part;
  return change;
}

}  // namespace tauboost
