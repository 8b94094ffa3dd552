// Texts to rows of a matrix whose columns are known: sorted, repeated columns added up.
#pragma once

#include <algorithm>
#include <bit>
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

// Sorts what a text has: columns, each of which counts as 1 or -1.
class RowSorter {
 public:
  void add(std::uint32_t column, bool is_negative) {
    entries_.push_back(column << 1 | static_cast<std::uint32_t>(is_negative));
  }

  // Writes the row, and is empty again.
  void write(RowBlock& block, bool binary) {
    sort();
    const auto n = static_cast<std::int64_t>(entries_.size());
    std::int32_t* const columns = block.columns.reserve(n + 1);
    std::int32_t* const counts = block.counts.reserve(n + 1);
    std::int64_t size = -1;
    std::uint32_t last = ~0u;
    std::int32_t sum = 0;
    for (const std::uint32_t entry : entries_) {  // without branches: texts are hard to foresee
      const std::int32_t value = 1 - 2 * static_cast<std::int32_t>(entry & 1);
      const bool is_new = entry >> 1 != last;
      last = entry >> 1;
      size += is_new;
      sum = is_new ? value : sum + value;
      columns[size] = static_cast<std::int32_t>(last);
      counts[size] = sum;
    }
    if (binary) std::fill_n(counts, size + 1, 1);
    block.columns.extend(size + 1);
    block.counts.extend(size + 1);
    block.ends.push_back(block.columns.size());
    entries_.clear();
  }

 private:
  // Dealt to buckets by their upper bits, entries are nearly in order; most buckets have a few.
  void sort() {
    const std::size_t n = entries_.size();
    if (n < few) return insert(entries_.data(), n);
    std::uint32_t all = 0;
    for (const std::uint32_t entry : entries_) all |= entry;
    const int shift = std::max(0, 32 - std::countl_zero(all) - bits);
    std::uint32_t next[n_buckets] = {};
    for (const std::uint32_t entry : entries_) ++next[entry >> shift];
    std::uint32_t sum = 0, largest = 0;
    for (std::uint32_t& bucket : next) {
      largest = std::max(largest, bucket);
      sum += std::exchange(bucket, sum);
    }
    scratch_.resize(n);
    for (const std::uint32_t entry : entries_) scratch_[next[entry >> shift]++] = entry;
    if (largest > few) {
      for (std::size_t begin = 0, b = 0; b < n_buckets; begin = next[b++])
        if (next[b] - begin > few) std::sort(&scratch_[begin], scratch_.data() + next[b]);
    }
    insert(scratch_.data(), n);
    entries_.swap(scratch_);
  }

  static void insert(std::uint32_t* entries, std::size_t n) {
    for (std::size_t k = 1; k < n; ++k) {
      const std::uint32_t entry = entries[k];
      std::size_t at = k;
      for (; at > 0 && entries[at - 1] > entry; --at) entries[at] = entries[at - 1];
      entries[at] = entry;
    }
  }

  static constexpr std::size_t few = 24;
  static constexpr int bits = 9, n_buckets = 1 << bits;
  std::vector<std::uint32_t> entries_, scratch_;
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
