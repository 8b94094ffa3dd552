// From the user's CSR arrays to the matrix of columns.hpp: a counting transpose, one shard a task.
//
// Two passes over the data: the first counts the entries of each column by sign and learns the
// range of |values|, the second puts the row numbers (and values, where a column needs them) in
// place. Rows are visited in label order, negatives first, so row numbers ascend within each sign
// of a column. Explicit zeros are dropped; unsorted indices need no care; duplicates are only
// noticed (the caller sums them, which is rare, and builds again). An intercept is one more column
// of ones, whose rows are simply all rows. Features are relabelled on the way (`place`), at random
// by the caller, so that neighbouring columns have nothing to do with each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "columns.hpp"

namespace tauboost {

template <typename Index>
struct Csr {
  const Index* indptr;
  const Index* indices;
  const double* data;  // null: every entry is 1
  const std::uint8_t* positive;
  const std::int32_t* place;  // feature -> column of the core
  std::int64_t column(std::int64_t k) const { return place[indices[k]]; }
  double value(std::int64_t k) const { return data == nullptr ? 1.0 : data[k]; }
};

// What the first pass keeps of a column of one shard; one cache line serves all of it.
struct ColumnCount {
  std::int32_t n_neg = 0;
  std::int32_t n = 0;
  std::int32_t last_row = -1;
};

struct ShardCounts {
  std::vector<ColumnCount> columns;
  std::int64_t omega = 0;
  bool has_duplicates = false;
};

inline void order_rows(Matrix& A, const std::uint8_t* positive, const std::int64_t* cuts) {
  A.row_order.resize(A.m);
  for (std::size_t s = 0; s < A.shards.size(); ++s) {
    A.shards[s].first_row = cuts[s];
    A.shards[s].n_rows = cuts[s + 1] - cuts[s];
    std::int64_t next = cuts[s];
    for (const std::uint8_t label : {0, 1})
      for (std::int64_t j = cuts[s]; j < cuts[s + 1]; ++j)
        if ((positive[j] != 0) == (label != 0)) A.row_order[next++] = j;
  }
}

template <typename Index>
ShardCounts count_columns(const Matrix& A, const Shard& shard, const Csr<Index>& X) {
  ShardCounts counts;
  counts.columns.resize(A.n);
  for (std::int64_t local = 0; local < shard.n_rows; ++local) {
    const std::int64_t j = A.row_order[shard.first_row + local];
    std::int64_t in_row = 0;
    for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
      const double v = X.value(k);
      if (v == 0.0) continue;
      ColumnCount& column = counts.columns[X.column(k)];
      column.n += 1;
      column.n_neg += (v > 0.0) != (X.positive[j] != 0);
      if (column.last_row == local) counts.has_duplicates = true;
      column.last_row = static_cast<std::int32_t>(local);
      in_row += 1;
    }
    counts.omega = std::max(counts.omega, in_row);
  }
  if (A.has_intercept) {
    const auto first = A.row_order.begin() + shard.first_row;
    const auto n_neg = std::count_if(first, first + shard.n_rows,
                                     [&](std::int64_t j) { return X.positive[j] == 0; });
    counts.columns[A.n - 1] = {static_cast<std::int32_t>(n_neg),
                               static_cast<std::int32_t>(shard.n_rows), -1};
    counts.omega += 1;
  }
  return counts;
}

// Sets A.scale and, for columns whose |values| differ, A.value_slot. One read of the data, in
// order: min and max do not depend on it.
template <typename Index>
void find_scales(Matrix& A, const Csr<Index>& X) {
  A.scale.assign(A.n, 0.0);
  std::vector<double> smallest(X.data == nullptr ? 0 : A.n,
                               std::numeric_limits<double>::infinity());
  for (std::int64_t k = X.indptr[0]; k < X.indptr[A.m]; ++k) {
    const double v = std::abs(X.value(k));
    const std::int64_t i = X.column(k);
    if (v == 0.0) continue;
    A.scale[i] = std::max(A.scale[i], v);
    if (X.data != nullptr) smallest[i] = std::min(smallest[i], v);
  }
  if (A.has_intercept) A.scale[A.n - 1] = 1.0;
  if (X.data == nullptr) return;
  A.value_slot.assign(A.n, -1);
  for (std::int64_t i = 0; i < A.n; ++i)
    if (A.scale[i] > 0.0 && smallest[i] < A.scale[i])
      A.value_slot[i] = static_cast<std::int32_t>(A.n_valued++);
  if (A.n_valued == 0) A.value_slot.clear();
}

inline void lay_out(const Matrix& A, Shard& shard, const ShardCounts& counts) {
  shard.start.resize(A.n + 1);
  shard.n_neg.resize(A.n);
  shard.start[0] = 0;
  std::int64_t n_values = 0;
  for (std::int64_t i = 0; i < A.n; ++i) {
    shard.n_neg[i] = counts.columns[i].n_neg;
    shard.start[i + 1] = shard.start[i] + counts.columns[i].n;
    if (A.n_valued > 0 && A.value_slot[i] >= 0) {
      shard.value_start.push_back(n_values);
      n_values += counts.columns[i].n;
    }
  }
  shard.value_start.push_back(n_values);
  shard.rows = std::make_unique_for_overwrite<std::int32_t[]>(shard.start[A.n] + padding);
  std::fill_n(shard.rows.get() + shard.start[A.n], padding, 0);
  if (A.n_valued > 0) shard.values = std::make_unique_for_overwrite<double[]>(n_values);
}

template <typename Index>
void fill(const Matrix& A, Shard& shard, const Csr<Index>& X) {
  struct Cursor {
    std::int64_t neg, pos;
  };
  std::vector<Cursor> cursor(A.n);
  for (std::int64_t i = 0; i < A.n; ++i)
    cursor[i] = {shard.start[i], shard.start[i] + shard.n_neg[i]};
  for (std::int64_t local = 0; local < shard.n_rows; ++local) {
    const std::int64_t j = A.row_order[shard.first_row + local];
    for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
      const double v = X.value(k);
      if (v == 0.0) continue;
      const std::int64_t i = X.column(k);
      const bool negative = (v > 0.0) != (X.positive[j] != 0);
      const std::int64_t at = negative ? cursor[i].neg++ : cursor[i].pos++;
      shard.rows[at] = static_cast<std::int32_t>(local);
      if (A.n_valued > 0 && A.value_slot[i] >= 0)
        shard.values[shard.value_start[A.value_slot[i]] + at - shard.start[i]] = std::abs(v);
    }
  }
  if (A.has_intercept)
    std::iota(shard.rows.get() + shard.start[A.n - 1], shard.rows.get() + shard.start[A.n], 0);
}

// `cuts` are the n_shards + 1 ascending row numbers between which each shard's rows lie.
template <typename Index>
Matrix build(const Csr<Index>& X, std::int64_t m, std::int64_t n_features, bool intercept,
             const std::int64_t* cuts, std::int64_t n_shards, int n_threads) {
  Matrix A;
  A.m = m;
  A.n = n_features + intercept;
  A.has_intercept = intercept;
  A.shards.resize(n_shards);
  order_rows(A, X.positive, cuts);
  find_scales(A, X);
  std::vector<ShardCounts> counts(n_shards);
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
  for (std::int64_t s = 0; s < n_shards; ++s) {
    counts[s] = count_columns(A, A.shards[s], X);
    lay_out(A, A.shards[s], counts[s]);
    fill(A, A.shards[s], X);
    counts[s].columns = {};
  }
  for (std::int64_t s = 0; s < n_shards; ++s) {
    A.omega = std::max(A.omega, counts[s].omega);
    A.nnz += A.shards[s].start[A.n];
    A.has_duplicates = A.has_duplicates || counts[s].has_duplicates;
  }
  return A;
}

}  // namespace tauboost
