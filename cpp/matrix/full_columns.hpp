// Nearly full columns, for which the rows without an entry are listed as well (columns.hpp).
#pragma once

#include <algorithm>

#include "matrix/columns.hpp"

namespace tauboost {

// Columns that most rows have an entry in, found by the number of their entries. Weights that lag
// behind do so by label (kernels/shard_block.hpp), so the sign of every entry, of any column, has
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

}  // namespace tauboost
