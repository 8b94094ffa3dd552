// A table as the kernels see it: one byte a cell, and what is made of the columns. A wide term has
// the codes of two columns, their low and their high byte: more categories than a byte counts.
//
// Rows are ordered by class, and by fold within a class, so that all rows of a shard have the same
// label in every lane and are trained on, or validated on, together. The code of a cell is its bin.
// A term is a function of one column (a level for each bin) or of two (a level for each cell of a
// small grid). A decision value is, but for its sign, the sum of the levels its row falls on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tauboost {

struct RowShard {
  std::int64_t first_row, n_rows;
  std::int32_t label;  // the number of the class that all of its rows have
};

struct Term {
  std::int32_t first, second = -1;  // columns; no second: a term of one column of bytes
  std::int32_t n_first, n_second = 1;
  // How many cells along each axis are ordered; the others, of categories or of missing values,
  // have no neighbours.
  std::int32_t ordered_first, ordered_second = 0;
  std::vector<std::uint16_t> first_map, second_map;  // code -> first cell of its row, -> column
  std::int64_t offset = 0;                           // where its levels begin
  bool is_wide = false;  // the second column is the high byte: the maps make codes of the two

  bool is_pair() const { return second >= 0 && !is_wide; }
  std::int32_t n_cells() const { return n_first * n_second; }
};

class Table {
 public:
  static constexpr std::int32_t most_cells = 1 << 12;  // of a pair
  static constexpr std::int32_t byte = 1 << 8, most_bins = 1 << 16;

  Table(const std::uint8_t* codes, std::int64_t n_columns, std::int64_t n_rows)
      : n_columns(n_columns), n_rows(n_rows), codes_(codes) {}

  const std::uint8_t* column(std::int32_t k) const { return codes_ + k * n_rows; }

  void add_shard(std::int64_t first_row, std::int64_t rows, std::int32_t label) {
    if (first_row < 0 || rows < 0 || rows > n_rows - first_row || label < 0)
      throw std::invalid_argument("a shard lies outside of the table");
    shards.push_back({first_row, rows, label});
    n_labels = std::max(n_labels, label + 1);
  }

  void add_column_term(std::int32_t column, std::int32_t n_bins, std::int32_t n_ordered) {
    Term term = {column, -1, n_bins, 1, n_ordered, 0, {}, {}};
    if (n_ordered < 0 || n_ordered > n_bins || n_bins < 1 || n_bins > 256)
      throw std::invalid_argument("a term has impossible bins");
    expect_codes(column, n_bins);
    add(std::move(term));
  }

  // Categories whose codes are of two bytes. Kernels combine them as they do the cells of a pair.
  void add_wide_term(std::int32_t low, std::int32_t high, std::int32_t n_bins) {
    if (n_bins < 1 || n_bins > most_bins) throw std::invalid_argument("a term has impossible bins");
    expect_codes(low, byte);
    expect_codes(high, byte);
    Term term = {low, high, n_bins, 1, 0, 0, {}, {}};
    term.is_wide = true;
    for (std::int32_t code = 0; code < byte; ++code) {
      term.first_map.push_back(static_cast<std::uint16_t>(code));
      term.second_map.push_back(static_cast<std::uint16_t>(byte * code));
    }
    const std::uint8_t *of_low = column(low), *of_high = column(high);
    std::int32_t most = 0;
    for (std::int64_t j = 0; j < n_rows; ++j) most = std::max(most, of_low[j] + byte * of_high[j]);
    if (n_rows > 0 && most >= n_bins) throw std::invalid_argument("a code beyond its bins");
    add(std::move(term));
  }

  // The maps lead from codes to cells along each axis.
  void add_pair_term(std::int32_t first, const std::vector<std::uint8_t>& first_map,
                     std::int32_t ordered_first, std::int32_t second,
                     const std::vector<std::uint8_t>& second_map, std::int32_t ordered_second) {
    Term term = {first,
                 second,
                 largest(first_map) + 1,
                 largest(second_map) + 1,
                 ordered_first,
                 ordered_second,
                 {},
                 {}};
    if (term.n_cells() > most_cells || std::min(ordered_first, ordered_second) < 0 ||
        ordered_first > term.n_first || ordered_second > term.n_second)
      throw std::invalid_argument("a pair has impossible cells");
    expect_codes(first, static_cast<std::int32_t>(first_map.size()));
    expect_codes(second, static_cast<std::int32_t>(second_map.size()));
    for (const std::uint8_t cell : first_map)
      term.first_map.push_back(static_cast<std::uint16_t>(cell * term.n_second));
    term.second_map.assign(second_map.begin(), second_map.end());
    add(std::move(term));
  }

  const std::int64_t n_columns, n_rows;
  std::int32_t n_labels = 0;
  std::vector<RowShard> shards;
  std::vector<Term> terms;
  std::int64_t n_levels = 0;
  std::int32_t largest_term = 0;  // cells of it

 private:
  static std::int32_t largest(const std::vector<std::uint8_t>& map) {
    if (map.empty()) throw std::invalid_argument("an empty map of codes");
    return *std::ranges::max_element(map);
  }

  // Kernels trust the codes: they are checked here, once for each term.
  void expect_codes(std::int32_t column, std::int32_t n_codes) const {
    if (column < 0 || column >= n_columns) throw std::invalid_argument("no such column");
    std::uint8_t most = 0;
    const std::uint8_t* code = this->column(column);
    for (std::int64_t j = 0; j < n_rows; ++j) most = std::max(most, code[j]);
    if (n_rows > 0 && most >= n_codes) throw std::invalid_argument("a code beyond its bins");
  }

  void add(Term&& term) {
    term.offset = n_levels;
    n_levels += term.n_cells();
    largest_term = std::max(largest_term, term.n_cells());
    terms.push_back(std::move(term));
  }

  const std::uint8_t* codes_;
};

}  // namespace tauboost
