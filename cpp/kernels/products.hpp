// Products with the whole matrix: A^T w by columns, A d by shards. What the methods that read
// every coordinate (fully-parallel, accelerated, greedy, lbfgs) are made of.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/weights.hpp"
#include "threads/cancellation.hpp"
#include "threads/team.hpp"

namespace tauboost {

// neg_k, pos_k: the signed sums of the k-th of some columns, shards added in order; square_k,
// unless it is null: the sum of squares. With all columns, the gradient of F = (pos - neg) /
// w.sum()
inline void gather_columns(const Matrix& A, const double* w, const std::int32_t* columns,
                           std::int64_t n, double* neg, double* pos, double* square, int n_threads,
                           Cancellation& cancel) {
  const std::int64_t block = std::clamp<std::int64_t>(n / 64, 1, 4096);
  const std::int64_t n_blocks = (n + block - 1) / block;
  Team(n_threads).share(n_blocks, [&](std::int64_t b) {
    if (cancel.stopped()) return;
    const std::int64_t begin = b * block, end = std::min(n, begin + block);
    std::fill(neg + begin, neg + end, 0.0);
    std::fill(pos + begin, pos + end, 0.0);
    if (square != nullptr) std::fill(square + begin, square + end, 0.0);
    for (const Shard& shard : A.shards) {
      std::int64_t work = 0;
      for (std::int64_t k = begin; k < end; ++k) {
        const Column column = A.column(shard, columns[k]);
        const SignedSums sums = column_sums(column, Weights{w + shard.first_row});
        neg[k] += sums.neg;
        pos[k] += sums.pos;
        if (square != nullptr) square[k] += sums.square;
        work += column.n;
      }
      cancel.check(work);
    }
  });
}

constexpr std::int64_t worth_a_check = 1 << 16;  // nonzeros

// r += A d
inline void add_all(const Matrix& A, const double* d, double* r, int n_threads,
                    Cancellation& cancel) {
  const auto n_shards = static_cast<std::int64_t>(A.shards.size());
  Team(n_threads).share(n_shards, [&](std::int64_t s) {
    const Shard& shard = A.shards[s];
    double* part = r + shard.first_row;
    std::int64_t work = 0;
    for (std::int64_t i = 0; i < A.n && !cancel.stopped(); ++i) {
      if (d[i] != 0.0) add(A.column(shard, i), d[i], part);
      work += shard.start[i + 1] - shard.start[i] + 1;
      if (work < worth_a_check) continue;
      cancel.check(work);
      work = 0;
    }
  });
}

// exp(r) *= exp(fraction A_S d) for some columns S and their steps d. Returns the change of
// w.sum(), shards added in order.
template <LossOf Loss>
double move_rows(const Matrix& A, const Iterate& at, const std::int32_t* columns, std::int64_t n,
                 const double* step, double fraction, int n_threads) {
  std::vector<double> changes(A.shards.size());
  Team(n_threads).share(static_cast<std::int64_t>(A.shards.size()), [&](std::int64_t s) {
    const Shard& shard = A.shards[s];
    const auto rows = Loss::rows(at, shard.first_row);
    double change = 0.0;
    for (std::int64_t k = 0; k < n; ++k) {
      if (step[k] == 0.0) continue;
      const Column column = A.column(shard, columns[k]);
      const double d = fraction * step[k];
      change += scatter(column, d, expm1(column.scale * d), rows);
    }
    changes[s] = change;
  });
  return std::accumulate(changes.begin(), changes.end(), 0.0);
}

// The physical limit the kernels are compared with: load w at the row of every nonzero, add.
inline double pure_gather(const Matrix& A, const double* w, int n_threads) {
  const auto n_shards = static_cast<std::int64_t>(A.shards.size());
  std::vector<double> sums(n_shards);
  Team(n_threads).share(n_shards, [&](std::int64_t s) {
    const Shard& shard = A.shards[s];
    const double* part = w + shard.first_row;
    const std::int32_t* rows = shard.rows.get();
    sums[s] = fixed_sum(0, shard.start[A.n], [&](std::int64_t k) { return part[rows[k]]; });
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace tauboost
