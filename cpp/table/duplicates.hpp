// Duplicates among the rows of a table: a fingerprint of their codes, which rows with other labels
// share, and the first row that each equals, label and all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "threads/team.hpp"

namespace tauboost {

struct RowsOfBytes {
  const std::uint8_t* codes;  // column by column
  std::int64_t n_columns, n_rows;
  const std::int32_t* labels;

  bool are_equal(std::int64_t i, std::int64_t j) const {
    if (labels[i] != labels[j]) return false;
    for (std::int64_t k = 0; k < n_columns; ++k)
      if (codes[k * n_rows + i] != codes[k * n_rows + j]) return false;
    return true;
  }
};

// The finalizer of splitmix64: every bit of the input reaches every bit.
inline std::uint64_t splitmix_mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

inline void fingerprint_rows(const RowsOfBytes& rows, std::uint64_t* prints, Team& team) {
  team.share_blocks(rows.n_rows, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
    std::fill(prints + begin, prints + end, 0x9e3779b97f4a7c15ull);
    for (std::int64_t k = 0; k < rows.n_columns; ++k) {
      const std::uint8_t* column = rows.codes + k * rows.n_rows;
      for (std::int64_t j = begin; j < end; ++j)
        prints[j] = (std::rotl(prints[j], 9) ^ column[j]) * 0x9e3779b97f4a7c15ull;
    }
    for (std::int64_t j = begin; j < end; ++j) prints[j] = splitmix_mixed(prints[j]);
  });
}

// first[j]: the number of the first row that equals row j; returns how many differ.
inline std::int64_t first_duplicates(const RowsOfBytes& rows, const std::uint64_t* prints,
                                     std::int64_t* first) {
  const std::uint64_t mask = std::bit_ceil(static_cast<std::uint64_t>(2 * rows.n_rows + 2)) - 1;
  std::vector<std::int64_t> places(mask + 1, -1);
  std::int64_t n_different = 0;
  for (std::int64_t j = 0; j < rows.n_rows; ++j) {
    std::uint64_t at = prints[j] & mask;
    while (places[at] >= 0 && !(prints[places[at]] == prints[j] && rows.are_equal(places[at], j)))
      at = (at + 1) & mask;
    if (places[at] < 0) {
      places[at] = j;
      ++n_different;
    }
    first[j] = places[at];
  }
  return n_different;
}

}  // namespace tauboost
