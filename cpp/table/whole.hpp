// Along all terms of a table at once: the values of its rows, and the histograms of its columns.
#pragma once

#include <algorithm>
#include <vector>

#include "table/passes.hpp"
#include "threads/team.hpp"

namespace tauboost {

template <typename Visit>
void for_each_cell(const Table& table, const Term& term, std::int64_t first_row,
                   std::int64_t n_rows, const Visit& visit) {
  const CellOf of(table, term, first_row);
  if (of.second == nullptr)
    for (std::int64_t j = 0; j < n_rows; ++j) visit(j, static_cast<std::int64_t>(of.first[j]));
  else
    for (std::int64_t j = 0; j < n_rows; ++j)
      visit(j, static_cast<std::int64_t>(of.first_map[of.first[j]] + of.second_map[of.second[j]]));
}

// values[j, lane] = intercept + the levels that row j falls on, for the rows of some shards, one
// after the other; levels are given lane by lane. Terms whose levels are all 0 are passed over.
inline void add_up(const Table& table, const double* levels, const double* intercepts,
                   std::int64_t lanes, const std::vector<std::int32_t>& shards, double* values,
                   Team& team) {
  std::vector<double> side_by_side(table.n_levels * lanes);
  for (std::int64_t l = 0; l < lanes; ++l)
    for (std::int64_t b = 0; b < table.n_levels; ++b)
      side_by_side[b * lanes + l] = levels[l * table.n_levels + b];
  std::vector<const Term*> terms;
  for (const Term& term : table.terms) {
    const double* of_term = side_by_side.data() + term.offset * lanes;
    const bool is_zero = std::all_of(of_term, of_term + term.n_cells() * lanes,
                                     [](double level) { return level == 0.0; });
    if (!is_zero) terms.push_back(&term);
  }
  constexpr std::int64_t block = 1 << 10;  // rows whose values stay in the cache
  struct Block {
    std::int64_t first, n, place;
  };
  std::vector<Block> blocks;
  std::int64_t place = 0;
  for (const std::int32_t s : shards) {
    for (std::int64_t j = 0; j < table.shards[s].n_rows; j += block)
      blocks.push_back(
          {table.shards[s].first_row + j, std::min(block, table.shards[s].n_rows - j), place + j});
    place += table.shards[s].n_rows;
  }
  team.share(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t k) {
    const auto [first, n, place] = blocks[k];
    double* at = values + place * lanes;
    for (std::int64_t j = 0; j < n; ++j) std::copy_n(intercepts, lanes, at + j * lanes);
    for (const Term* term : terms) {
      const double* of_term = side_by_side.data() + term->offset * lanes;
      for_each_cell(table, *term, first, n, [&](std::int64_t j, std::int64_t cell) {
        for (std::int64_t l = 0; l < lanes; ++l) at[j * lanes + l] += of_term[cell * lanes + l];
      });
    }
  });
}

// sums[label, level] = the sum of w over the rows of a label that fall on it, for these terms.
inline void all_histograms(const Table& table, const std::vector<std::int32_t>& terms,
                           const double* w, double* sums, Team& team) {
  std::fill_n(sums, table.n_labels * table.n_levels, 0.0);
  team.share(static_cast<std::int64_t>(terms.size()), [&](std::int64_t k) {
    const Term& term = table.terms[terms[k]];
    for (const RowShard& shard : table.shards) {
      double* of_term = sums + shard.label * table.n_levels + term.offset;
      const double* at = w + shard.first_row;
      for_each_cell(table, term, shard.first_row, shard.n_rows,
                    [&](std::int64_t j, std::int64_t cell) { of_term[cell] += at[j]; });
    }
  });
}

}  // namespace tauboost
