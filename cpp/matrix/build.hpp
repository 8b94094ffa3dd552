// From the user's CSR arrays to the matrix of columns.hpp: a counting transpose, one shard a task.
//
// Two passes over the data: the first counts the entries of each feature and learns the range of
// |values|, the second puts the row numbers (and values, where a column needs them) in place. Both
// work with the user's numbers of the features, one random access an entry; features are relabelled
// (`place`, at random, by the caller, so that neighbouring columns have nothing to do with each
// other) only once per column. Rows are visited in label order, negatives first, so that row
// numbers ascend within each sign of a column. Explicit zeros are dropped; unsorted indices need no
// care; duplicates must not be there. An intercept is one more column of ones, whose rows are
// simply all rows. A column may have a number subtracted from it, and has an entry in every row
// then.
//
// The caller has checked the data, but they are the user's, and another thread may write to them.
// So an index is compared with its limit where it is used, and what the second pass puts in place
// with what the first has counted: changed data are noticed, and nothing is written out of bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "matrix/columns.hpp"
#include "matrix/input.hpp"
#include "threads/cancellation.hpp"
#include "threads/scratch.hpp"
#include "threads/team.hpp"

namespace tauboost {

// Nearly full columns, for which the rows without an entry are listed as well (columns.hpp).

// Columns that most rows have an entry in, found by the number of their entries. Weights that lag
// behind do so by label (kernels/sweep_rows.hpp), so the sign of every entry, of any column, has
// to be that of its row's label.
inline void find_full(Matrix& A, bool any_negative) {
  for (std::int64_t i = 0; i < A.n && !any_negative; ++i) {
    std::int64_t count = 0;
    for (const Shard& shard : A.shards) count += shard.start[i + 1] - shard.start[i];
    if (3 * count > 2 * A.m && !A.is_valued(i)) A.full.push_back(static_cast<std::int32_t>(i));
  }
}

inline void list_absent(const Matrix& A, Shard& shard) {
  shard.absent_start.assign(1, 0);
  std::int64_t room = A.full.empty() ? 0 : padding;
  for (const std::int32_t i : A.full)  // never below 0, unless the data were changed meanwhile
    room += std::max<std::int64_t>(0, shard.n_rows - A.column(shard, i).n);
  shard.absent_rows.reserve(room);
  for (const std::int32_t i : A.full) {
    const Column column = A.column(shard, i);
    std::int64_t k = 0;
    const auto pass = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        if (k < column.n && column.rows[k] == j)
          ++k;
        else
          shard.absent_rows.push_back(static_cast<std::int32_t>(j));
      }
    };
    pass(0, shard.n_neg_rows);
    const auto here = static_cast<std::int64_t>(shard.absent_rows.size());
    shard.absent_neg.push_back(static_cast<std::int32_t>(here - shard.absent_start.back()));
    pass(shard.n_neg_rows, shard.n_rows);
    shard.absent_start.push_back(static_cast<std::int64_t>(shard.absent_rows.size()));
  }
  if (!A.full.empty()) shard.absent_rows.insert(shard.absent_rows.end(), padding, 0);
}

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

// The sizes of the values of a feature that were seen.
struct SizeRange {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
};

constexpr std::int64_t no_values = std::numeric_limits<std::int64_t>::min();

// What the first pass learns of one shard.
struct ShardCounts {
  std::vector<std::int32_t> entries;   // of each feature
  std::vector<std::int32_t> negative;  // of these, A_ji < 0; empty: those of negative rows
  std::int64_t omega = 0;
  bool is_sound = true;  // else the data have changed since they were checked
};

// Calls visit(j) for the rows j of begin ... end until Ctrl-C; each has about `entries` entries.
template <typename Visit>
void each_row(std::int64_t begin, std::int64_t end, std::int64_t entries, Cancellation& cancel,
              const Visit& visit) {
  constexpr std::int64_t at_once = 1 << 10;
  while (begin < end && !cancel.stopped()) {
    const std::int64_t last = std::min(end, begin + at_once);
    cancel.check((last - begin) * (entries + 1));
    for (; begin < last; ++begin) visit(begin);
  }
}

// Rows begin ... end of the input, where every value is 1.
template <typename Input>
ShardCounts count_ones(const Input& input, std::int64_t begin, std::int64_t end,
                       Cancellation& cancel) {
  ShardCounts counts;
  counts.entries.resize(input.n_features);
  const auto n = static_cast<std::uint64_t>(input.n_features);
  bool is_sound = true;
  each_row(begin, end, input.entries_a_row, cancel, [&](std::int64_t j) {
    std::int64_t in_row = 0;
    for (const auto& X : input.parts) {
      const std::int64_t last = X.indptr[j + 1];
      in_row += last - X.indptr[j];
      for (std::int64_t k = X.indptr[j]; k < last; ++k) {
        const auto f = static_cast<std::uint64_t>(X.indices[k]);
        if (f < n)
          counts.entries[f] += 1;
        else
          is_sound = false;
      }
    }
    counts.omega = std::max(counts.omega, in_row);
  });
  counts.is_sound = is_sound;
  return counts;
}

// Rows begin ... end of the input, and the range of the values of each feature.
template <typename Input>
ShardCounts count_entries(const Input& input, std::int64_t begin, std::int64_t end,
                          SizeRange* ranges, bool any_negative, Cancellation& cancel) {
  ShardCounts counts;
  counts.entries.resize(input.n_features);
  if (any_negative) counts.negative.resize(input.n_features);
  std::vector<double> own(input.centers.values.size());
  each_row(begin, end, input.entries_a_row, cancel, [&](std::int64_t j) {
    std::int64_t in_row = 0;
    const bool is_positive = input.positive[j] != 0;
    const bool is_sound = visit_row(input, j, own, [&](std::uint64_t f, double v) {
      const double size = std::abs(v);
      SizeRange& range = ranges[f];
      range = {std::min(range.smallest, size), std::max(range.largest, size)};
      counts.entries[f] += 1;
      in_row += 1;
      if (any_negative) counts.negative[f] += (v > 0.0) != is_positive;
    });
    counts.is_sound = counts.is_sound && is_sound;
    counts.omega = std::max(counts.omega, in_row);
  });
  return counts;
}

// Sets A.scale and, for columns whose |values| differ, A.value_slot.
template <typename Input>
void set_scales(Matrix& A, const Input& X, Scratch<std::vector<SizeRange>>& ranges,
                const std::vector<ShardCounts>& counts) {
  A.scale.assign(A.n, 0.0);
  if (A.has_intercept) A.scale[A.n - 1] = 1.0;
  const bool has_values = X.has_values();
  std::vector<double> smallest(has_values ? A.n : 0);
  for (std::int64_t f = 0; f < X.n_features; ++f) {
    SizeRange all;
    ranges.each([&](const std::vector<SizeRange>& part) {
      all = {std::min(all.smallest, part[f].smallest), std::max(all.largest, part[f].largest)};
    });
    if (!has_values)
      for (const ShardCounts& shard : counts) all.largest = shard.entries[f] ? 1.0 : all.largest;
    else
      smallest[X.place[f]] = all.smallest;
    A.scale[X.place[f]] = all.largest;
  }
  if (!has_values) return;
  A.value_slot.assign(A.n, -1);
  for (std::int64_t i = 0; i < A.n - A.has_intercept; ++i)
    if (A.scale[i] > 0.0 && smallest[i] < A.scale[i])
      A.value_slot[i] = static_cast<std::int32_t>(A.n_valued++);
  if (A.n_valued == 0) A.value_slot.clear();
}

template <typename Input>
void lay_out(const Matrix& A, Shard& shard, const Input& X, const ShardCounts& counts) {
  shard.start.assign(A.n + 1, 0);
  for (std::int64_t f = 0; f < X.n_features; ++f) shard.start[X.place[f] + 1] = counts.entries[f];
  if (A.has_intercept) shard.start[A.n] = shard.n_rows;
  std::partial_sum(shard.start.begin(), shard.start.end(), shard.start.begin());
  std::int64_t n_values = 0;
  for (std::int64_t i = 0; A.n_valued > 0 && i < A.n; ++i)
    if (A.is_valued(i)) {
      shard.value_start.push_back(n_values);
      n_values += shard.start[i + 1] - shard.start[i];
    }
  shard.value_start.push_back(n_values);
  shard.n_neg.resize(A.n);
  shard.rows = std::make_unique_for_overwrite<std::int32_t[]>(shard.start[A.n] + padding);
  std::fill_n(shard.rows.get() + shard.start[A.n], padding, 0);
  if (A.n_valued > 0) shard.values = std::make_unique_for_overwrite<double[]>(n_values);
}

// Puts the entries of some rows in place. neg and pos say, for each feature, where the next entry
// of that sign goes; they are one array where the rows' labels alone decide. to_value leads from
// there to the place of the value, where the column has any. What has no place is left out.
template <typename Position, typename Input>
void fill_rows(const Matrix& A, Shard& shard, const Input& input, std::int64_t begin,
               std::int64_t end, Position* neg, Position* pos, const std::int64_t* to_value,
               Cancellation& cancel) {
  std::int32_t* rows = shard.rows.get();
  const auto n = static_cast<std::uint64_t>(input.n_features);
  const auto limit = static_cast<std::uint64_t>(shard.start[A.n]);
  const auto values_limit = static_cast<std::uint64_t>(shard.value_start.back());
  const bool are_ones = to_value == nullptr && neg == pos && !input.has_values();
  std::vector<double> own(input.centers.values.size());
  each_row(begin, end, input.entries_a_row, cancel, [&](std::int64_t local) {
    const std::int64_t j = A.row_order[shard.first_row + local];
    const auto row = static_cast<std::int32_t>(local);
    if (are_ones) {
      for (const auto& X : input.parts) {
        const std::int64_t last = X.indptr[j + 1];
        for (std::int64_t k = X.indptr[j]; k < last; ++k) {
          const auto f = static_cast<std::uint64_t>(X.indices[k]);
          if (f >= n) continue;
          const auto at = static_cast<std::uint64_t>(neg[f]++);
          if (at < limit) rows[at] = row;
        }
      }
      return;
    }
    const bool is_positive = input.positive[j] != 0;
    visit_row(input, j, own, [&](std::uint64_t f, double v) {
      const bool negative = (v > 0.0) != is_positive;
      const auto at = static_cast<std::uint64_t>(negative ? neg[f]++ : pos[f]++);
      if (at >= limit) return;
      rows[at] = row;
      if (to_value != nullptr && to_value[f] != no_values) {
        const std::uint64_t place = at + static_cast<std::uint64_t>(to_value[f]);
        if (place < values_limit) shard.values[place] = std::abs(v);
      }
    });
  });
}

// Returns whether every column got what was counted: if not, its entries are of no use.
template <typename Position, typename Input>
bool fill(const Matrix& A, Shard& shard, const Input& X, const ShardCounts& counts,
          Cancellation& cancel) {
  std::vector<Position> neg(X.n_features), pos, ends(X.n_features);
  std::vector<std::int64_t> to_value(A.n_valued > 0 ? X.n_features : 0);
  for (std::int64_t f = 0; f < X.n_features; ++f) {
    const std::int64_t i = X.place[f];
    neg[f] = static_cast<Position>(shard.start[i]);
    ends[f] = neg[f] + counts.entries[f];
    if (A.n_valued > 0)
      to_value[f] =
          A.is_valued(i) ? shard.value_start[A.value_slot[i]] - shard.start[i] : no_values;
  }
  const std::int64_t* values = to_value.empty() ? nullptr : to_value.data();
  const auto first = A.row_order.begin() + shard.first_row;
  const std::int64_t n_neg_rows = shard.n_neg_rows =
      std::count_if(first, first + shard.n_rows, [&](std::int64_t j) { return !X.positive[j]; });
  bool is_sound = true;
  if (counts.negative.empty()) {
    // Values are positive: the entries of negative rows all come first.
    fill_rows(A, shard, X, 0, n_neg_rows, neg.data(), neg.data(), values, cancel);
    for (std::int64_t f = 0; f < X.n_features; ++f)
      shard.n_neg[X.place[f]] = static_cast<std::int32_t>(neg[f] - shard.start[X.place[f]]);
    fill_rows(A, shard, X, n_neg_rows, shard.n_rows, neg.data(), neg.data(), values, cancel);
    is_sound = neg == ends;
  } else {
    pos = neg;
    for (std::int64_t f = 0; f < X.n_features; ++f) {
      shard.n_neg[X.place[f]] = counts.negative[f];
      pos[f] += counts.negative[f];
    }
    const std::vector<Position> middle = pos;
    fill_rows(A, shard, X, 0, shard.n_rows, neg.data(), pos.data(), values, cancel);
    is_sound = neg == middle && pos == ends;
  }
  if (A.has_intercept) {
    shard.n_neg[A.n - 1] = static_cast<std::int32_t>(n_neg_rows);
    std::iota(shard.rows.get() + shard.start[A.n - 1], shard.rows.get() + shard.start[A.n], 0);
  }
  return is_sound;
}

// `cuts` are the n_shards + 1 ascending row numbers between which each shard's rows lie. After
// Ctrl-C the matrix is of no use.
template <typename Input>
Matrix build(const Input& X, std::int64_t m, bool intercept, const std::int64_t* cuts,
             std::int64_t n_shards, int n_threads, Cancellation& cancel) {
  Matrix A;
  A.m = m;
  A.n = X.n_features + intercept;
  A.has_intercept = intercept;
  A.shards.resize(n_shards);
  order_rows(A, X.positive, cuts);
  const bool any_negative = X.any_negative(m), has_values = X.has_values();
  std::vector<ShardCounts> counts(n_shards);
  Team team(n_threads);
  {
    Scratch<std::vector<SizeRange>> ranges([&] { return std::vector<SizeRange>(X.n_features); });
    team.share(n_shards, [&](std::int64_t s) {
      counts[s] = has_values ? count_entries(X, cuts[s], cuts[s + 1], ranges.borrow()->data(),
                                             any_negative, cancel)
                             : count_ones(X, cuts[s], cuts[s + 1], cancel);
    });
    for (const ShardCounts& shard : counts) A.is_sound = A.is_sound && shard.is_sound;
    if (!A.is_sound || cancel.stopped()) return A;
    set_scales(A, X, ranges, counts);
  }
  team.share(n_shards, [&](std::int64_t s) {
    Shard& shard = A.shards[s];
    lay_out(A, shard, X, counts[s]);
    if (shard.start[A.n] < std::numeric_limits<std::int32_t>::max())
      counts[s].is_sound = fill<std::int32_t>(A, shard, X, counts[s], cancel);
    else
      counts[s].is_sound = fill<std::int64_t>(A, shard, X, counts[s], cancel);
    counts[s].entries = counts[s].negative = {};
  });
  for (const ShardCounts& shard : counts) A.is_sound = A.is_sound && shard.is_sound;
  if (!A.is_sound || cancel.stopped()) return A;
  find_full(A, any_negative);
  team.share(n_shards, [&](std::int64_t s) { list_absent(A, A.shards[s]); });
  for (std::int64_t s = 0; s < n_shards; ++s) {
    A.omega = std::max(A.omega, counts[s].omega + intercept);
    A.nnz += A.shards[s].start[A.n];
  }
  return A;
}

}  // namespace tauboost
