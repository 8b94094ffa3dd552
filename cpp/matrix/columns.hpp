// The matrix A in the core: rows in shards, each shard column-major.
//
// Entry A_ji = y_j M_ji is never stored with its sign. Within a column of a shard the entries with
// A_ji < 0 come first, so the sign is a split point; a column whose entries share one absolute
// value keeps no values at all (4 bytes a nonzero). A shard is a range of rows with its own part of
// every per-row vector: no two shards ever write to the same row, which is what makes the
// synchronous methods safe without locks and their bits independent of the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "threads/team.hpp"

namespace tauboost {

// The entries of one column that lie in one shard.
struct Column {
  const std::int32_t* rows;  // row numbers within the shard; the first n_neg have A_ji < 0
  const double* values;      // |A_ji|, or null when every |A_ji| is `scale`
  std::int64_t n_neg;
  std::int64_t n;
  double scale;  // max_j |A_ji| over the whole column, all shards
};

// Kernels read this many entries ahead without asking where a column ends.
constexpr std::int64_t padding = 128;

struct Shard {
  std::int64_t first_row = 0;  // where this shard's part of a per-row vector begins
  std::int64_t n_rows = 0;
  std::vector<std::int64_t> start;        // n + 1 column starts in `rows`
  std::vector<std::int32_t> n_neg;        // n
  std::unique_ptr<std::int32_t[]> rows;   // with `padding` more at the end, all 0
  std::vector<std::int64_t> value_start;  // one per valued column, in `values`
  std::unique_ptr<double[]> values;
  std::int64_t n_neg_rows = 0;             // rows of the negative label, which come first
  std::vector<std::int64_t> absent_start;  // one per full column, and one more, in `absent_rows`
  std::vector<std::int32_t> absent_neg;    // one per full column
  std::vector<std::int32_t> absent_rows;   // with `padding` more at the end
};

struct Matrix {
  Matrix() = default;
  Matrix(Matrix&&) = default;  // huge: moved, never copied

  std::int64_t m = 0, n = 0, nnz = 0, omega = 0, n_valued = 0;
  bool has_intercept = false;  // the last column is the constant 1
  bool is_sound = true;        // else the data changed while they were read: of no use
  std::vector<Shard> shards;
  std::vector<double> scale;             // n: max_j |A_ji|, so that L_i = scale_i^2
  std::vector<std::int32_t> value_slot;  // n, or empty: which valued column this is, -1 for none
  // Nearly full columns: those without values that most rows have an entry in, where the sign of an
  // entry is that of its row's label. For them the rows *without* an entry are listed as well.
  std::vector<std::int32_t> full;       // their numbers, ascending
  std::vector<std::int64_t> row_order;  // internal row -> row of the input

  bool is_valued(std::int64_t i) const { return !value_slot.empty() && value_slot[i] >= 0; }

  [[gnu::always_inline]] Column column(const Shard& shard, std::int64_t i) const {
    const std::int64_t begin = shard.start[i];
    const double* values = nullptr;
    if (is_valued(i)) values = shard.values.get() + shard.value_start[value_slot[i]];
    return {shard.rows.get() + begin, values, shard.n_neg[i], shard.start[i + 1] - begin, scale[i]};
  }

  // Which nearly full column this is, -1 for none; they are few.
  std::int64_t full_slot(std::int64_t i) const {
    const auto found = std::lower_bound(full.begin(), full.end(), i);
    return found != full.end() && *found == i ? found - full.begin() : -1;
  }

  // The rows of a shard in which a nearly full column has no entry, as a column of their own.
  Column absent(const Shard& shard, std::int64_t slot) const {
    const std::int64_t begin = shard.absent_start[slot], end = shard.absent_start[slot + 1];
    return {shard.absent_rows.data() + begin, nullptr, shard.absent_neg[slot], end - begin,
            scale[full[slot]]};
  }

  // The matrix as one knows it whose rows are elsewhere: its columns' scales and kinds, no entries.
  static Matrix outline(std::int64_t m, std::int64_t nnz, std::int64_t omega, bool has_intercept,
                        const double* scale, const std::uint8_t* valued, std::int64_t n) {
    Matrix A;
    A.m = m;
    A.n = n;
    A.nnz = nnz;
    A.omega = omega;
    A.has_intercept = has_intercept;
    A.scale.assign(scale, scale + n);
    A.value_slot.assign(n, -1);
    for (std::int64_t i = 0; i < n; ++i)
      if (valued[i] != 0) A.value_slot[i] = static_cast<std::int32_t>(A.n_valued++);
    if (A.n_valued == 0) A.value_slot.clear();
    return A;
  }

  // Divides every column by a number of its own, its values too: the largest of x / x is exactly 1.
  void divide(const double* sizes, int n_threads) {
    for (std::int64_t i = 0; i < n; ++i) scale[i] /= sizes[i];
    if (n_valued == 0) return;
    Team(n_threads).share(static_cast<std::int64_t>(shards.size()), [&](std::int64_t s) {
      Shard& shard = shards[s];
      for (std::int64_t i = 0; i < n; ++i) {
        if (!is_valued(i) || sizes[i] == 1.0) continue;
        double* values = shard.values.get() + shard.value_start[value_slot[i]];
        const std::int64_t count = shard.start[i + 1] - shard.start[i];
        for (std::int64_t k = 0; k < count; ++k) values[k] /= sizes[i];
      }
    });
  }

  std::int64_t nbytes() const {
    std::int64_t total = 8 * n + 8 * m + 4 * static_cast<std::int64_t>(value_slot.size());
    for (const Shard& s : shards) {
      total += 8 * (n + 1) + 4 * n + 4 * s.start[n] +
               4 * static_cast<std::int64_t>(s.absent_rows.size());
      if (n_valued > 0) total += 8 * (n_valued + 1) + 8 * s.value_start[n_valued];
    }
    return total;
  }
};

}  // namespace tauboost
