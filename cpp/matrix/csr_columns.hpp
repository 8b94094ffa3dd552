// What the user's CSR rows say of their columns: ranges and moments, of which units are made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "matrix/csr.hpp"
#include "threads/scratch.hpp"
#include "threads/team.hpp"

namespace tauboost {

// The entries of a column that are not 0.
struct ColumnRange {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  std::int64_t count = 0;

  void add(const ColumnRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    count += other.count;
  }
};

// Adds the entries of X to the ranges of its columns.
template <typename Rows>
void column_ranges(const Rows& X, double* least, double* most, std::int64_t* counts,
                   int n_threads) {
  const std::int64_t nnz = X.indptr[X.m];
  Team team(n_threads);
  Scratch<std::vector<ColumnRange>> seen([&] { return std::vector<ColumnRange>(X.n); });
  team.share(nnz / inspected_at_once + 1, [&](std::int64_t chunk) {
    const auto loan = seen.borrow();
    std::vector<ColumnRange>& ranges = *loan;
    const std::int64_t end = std::min(nnz, (chunk + 1) * inspected_at_once);
    for (std::int64_t k = chunk * inspected_at_once; k < end; ++k) {
      const auto f = static_cast<std::uint64_t>(X.indices[k]);
      const double x = X.value(k);
      if (x != 0.0 && f < static_cast<std::uint64_t>(X.n)) ranges[f].add({x, x, 1});
    }
  });
  team.share_blocks(X.n, 4096, [&](std::int64_t begin, std::int64_t end) {
    seen.each([&](const std::vector<ColumnRange>& ranges) {
      for (std::int64_t f = begin; f < end; ++f) {
        ColumnRange all{least[f], most[f], counts[f]};
        all.add(ranges[f]);
        least[f] = all.least, most[f] = all.most, counts[f] = all.count;
      }
    });
  });
}

// Some columns, and where 0 and 1 lie in them: an entry x counts as (x - zero) / size.
struct ChosenColumns {
  const std::int32_t* slot;  // of each feature, -1: not chosen
  const double* zero;        // of each chosen column
  const double* size;
  std::int64_t n;
};

// Rows in a chunk: sums are added chunk by chunk, the same for any number of threads.
constexpr std::int64_t rows_summed_at_once = 1 << 13;

// Adds, for each chosen column, the weights of its entries, and their first and second moments.
template <typename Rows>
void column_moments(const Rows& X, const double* weights, const ChosenColumns& chosen, double* out,
                    int n_threads) {
  const std::int64_t n_chunks = (X.m + rows_summed_at_once - 1) / rows_summed_at_once;
  std::vector<double> sums(3 * chosen.n * n_chunks);
  Team(n_threads).share(n_chunks, [&](std::int64_t chunk) {
    double* part = sums.data() + 3 * chosen.n * chunk;
    const std::int64_t end = std::min(X.m, (chunk + 1) * rows_summed_at_once);
    for (std::int64_t j = chunk * rows_summed_at_once; j < end; ++j)
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const auto f = static_cast<std::uint64_t>(X.indices[k]);
        const std::int32_t s = f < static_cast<std::uint64_t>(X.n) ? chosen.slot[f] : -1;
        if (s < 0 || X.value(k) == 0.0) continue;
        const double x = (X.value(k) - chosen.zero[s]) / chosen.size[s];
        part[3 * s] += weights[j];
        part[3 * s + 1] += weights[j] * x;
        part[3 * s + 2] += weights[j] * x * x;
      }
  });
  for (std::int64_t k = 0; k < 3 * chosen.n * n_chunks; ++k) out[k % (3 * chosen.n)] += sums[k];
}

}  // namespace tauboost
