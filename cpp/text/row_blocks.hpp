// Texts to rows of a matrix whose columns are known: sorted, repeated columns added up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "matrix/pages.hpp"
#include "text/text.hpp"
#include "threads/team.hpp"

namespace tauboost::text {

// Rows of a run of texts.
struct RowBlock {
  Growing<std::int32_t> columns, counts;
  std::vector<std::int64_t> ends;  // of each row in them
};

// Sorts what a text has. An entry: the column, and a bit that says whether it counts as -1.
class RowSorter {
 public:
  void add(std::uint32_t entry) { entries_.push_back(entry); }

  // Writes the row, and is empty again.
  void write(RowBlock& block, bool binary) {
    sort();
    const auto n = static_cast<std::int64_t>(entries_.size());
    std::int32_t* const columns = block.columns.reserve(n);
    std::int32_t* const counts = block.counts.reserve(n);
    std::int64_t size = 0;
    for (std::int64_t k = 0; k < n;) {
      const std::uint32_t column = entries_[k] >> 1;
      std::int32_t sum = 0;
      for (; k < n && entries_[k] >> 1 == column; ++k) sum += entries_[k] & 1 ? -1 : 1;
      columns[size] = static_cast<std::int32_t>(column);
      counts[size++] = binary ? 1 : sum;
    }
    block.columns.extend(size);
    block.counts.extend(size);
    block.ends.push_back(block.columns.size());
    entries_.clear();
  }

 private:
  void sort() {
    const std::size_t n = entries_.size();
    if (n < few) return std::sort(entries_.begin(), entries_.end());
    scratch_.resize(std::max(n, scratch_.size()));
    std::uint32_t* from = entries_.data();
    std::uint32_t* to = scratch_.data();
    std::uint32_t starts[4][256] = {};
    std::uint32_t seen = 0;
    for (std::size_t k = 0; k < n; ++k) {
      seen |= from[k];
      for (int d = 0; d < 4; ++d) ++starts[d][from[k] >> (8 * d) & 255];
    }
    for (int d = 0; d < 4 && seen >> (8 * d) != 0; ++d) {
      std::uint32_t sum = 0;
      for (std::uint32_t& start : starts[d]) sum += std::exchange(start, sum);
      for (std::size_t k = 0; k < n; ++k) to[starts[d][from[k] >> (8 * d) & 255]++] = from[k];
      std::swap(from, to);
    }
    if (from != entries_.data()) std::copy_n(from, n, entries_.data());
  }

  static constexpr std::size_t few = 48;
  std::vector<std::uint32_t> entries_, scratch_;
};

// How counts become values, in scikit-learn's order: logarithms, weights of columns, length 1.
struct Weighing {
  bool sublinear = false;
  const double* idf = nullptr;
  int norm = 0;  // 1: the sum of absolute values is 1; 2: the sum of squares

  bool is_plain() const { return !sublinear && idf == nullptr && norm == 0; }

  void operator()(const std::int32_t* columns, double* values, std::int64_t n) const {
    if (sublinear)
      for (std::int64_t k = 0; k < n; ++k) values[k] = std::log(values[k]) + 1.0;
    if (idf != nullptr)
      for (std::int64_t k = 0; k < n; ++k) values[k] *= idf[columns[k]];
    if (norm == 0) return;
    double sum = 0.0;
    for (std::int64_t k = 0; k < n; ++k)
      sum += norm == 2 ? values[k] * values[k] : std::abs(values[k]);
    if (norm == 2) sum = std::sqrt(sum);
    if (sum == 0.0) return;
    for (std::int64_t k = 0; k < n; ++k) values[k] /= sum;
  }
};

// Cuts texts into blocks of about so many bytes; returns where each begins, and the end.
inline std::vector<std::int64_t> cut(const std::vector<Text>& texts, std::int64_t bytes_each) {
  std::vector<std::int64_t> cuts{0};
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    bytes += texts[k].n_bytes() + 64;
    if (bytes < bytes_each && k + 1 < texts.size()) continue;
    cuts.push_back(static_cast<std::int64_t>(k) + 1);
    bytes = 0;
  }
  return cuts;
}

// The rows of texts, block by block, each made by a member of the team: make(text, member's block).
template <typename Maker>
std::vector<RowBlock> rows_of(const std::vector<Text>& texts, std::vector<Maker>& makers,
                              Team& team) {
  const std::vector<std::int64_t> cuts = cut(texts, 1 << 18);
  std::vector<RowBlock> blocks(cuts.size() - 1);
  team.share(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t b, int member) {
    for (std::int64_t k = cuts[b]; k < cuts[b + 1]; ++k)
      makers[static_cast<std::size_t>(member)](texts[k], blocks[b]);
  });
  return blocks;
}

}  // namespace tauboost::text
