// Texts to rows of a matrix whose columns are known: sorted, repeated columns added up.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "matrix/pages.hpp"
#include "text/text.hpp"
#include "threads/cancellation.hpp"
#include "threads/scratch.hpp"
#include "threads/team.hpp"

namespace tauboost::text {

// Rows of blocks of texts, one block after another. One array for all: memory in small pieces
// costs more than what is done with it.
struct RowPool {
  Growing<std::int32_t> columns, counts;
  std::vector<std::int64_t> ends;  // of each row in them
};

// Rows of some texts in a row, in one of the pools.
struct RowBlock {
  int pool = 0;
  std::int64_t first_row = 0, end_row = 0;
};

// The rows of all texts: blocks in order, each in some pool.
struct RowBlocks {
  std::vector<RowPool> pools;
  std::vector<RowBlock> blocks;

  std::int64_t n_rows(std::size_t b) const { return blocks[b].end_row - blocks[b].first_row; }
  const RowPool& pool(std::size_t b) const {
    return pools[static_cast<std::size_t>(blocks[b].pool)];
  }
  // Where the entries of a block begin, and end, in its pool.
  std::int64_t begin(std::size_t b) const { return before(b, blocks[b].first_row); }
  std::int64_t end(std::size_t b) const { return before(b, blocks[b].end_row); }

 private:
  std::int64_t before(std::size_t b, std::int64_t row) const {
    return row == 0 ? 0 : pool(b).ends[static_cast<std::size_t>(row) - 1];
  }
};

// Sorts what a text has: columns, each of which counts as 1 or -1.
//
// Every column has a bit, and 64 bits of columns have one above them. Setting bits and reading them
// in order sorts without a comparison, so there is nothing to foresee. Where there are too many
// columns for that, entries are sorted.
class RowSorter {
 public:
  explicit RowSorter(std::int64_t n_columns) : has_bits_(n_columns <= most_bits) {
    if (!has_bits_) return;
    const auto n = static_cast<std::size_t>(n_columns);
    counts_.resize(n);
    bits_.resize(n / 64 + 1);
    above_.resize(n / 4096 + 1);
  }

  void add(std::uint32_t column, bool is_negative) {
    ++n_added_;
    if (has_bits_) {
      counts_[column] += 1 - 2 * static_cast<std::int32_t>(is_negative);
      bits_[column >> 6] |= std::uint64_t{1} << (column & 63);
      above_[column >> 12] |= std::uint64_t{1} << (column >> 6 & 63);
    } else {
      entries_.push_back(std::uint64_t{column} << 1 | static_cast<std::uint64_t>(is_negative));
    }
  }

  // Writes the row, and is empty again.
  void write(RowPool& rows, bool binary) {
    std::int32_t* const columns = rows.columns.reserve(n_added_);
    std::int32_t* const counts = rows.counts.reserve(n_added_);
    const std::int64_t size = has_bits_ ? read_bits(columns, counts) : read_sorted(columns, counts);
    if (binary) std::fill_n(counts, size, 1);
    rows.columns.extend(size);
    rows.counts.extend(size);
    rows.ends.push_back(rows.columns.size());
    n_added_ = 0;
  }

 private:
  std::int64_t read_bits(std::int32_t* columns, std::int32_t* counts) {
    std::int64_t size = 0;
    for (std::size_t a = 0; a < above_.size(); ++a) {
      for (std::uint64_t above = std::exchange(above_[a], 0); above != 0; above &= above - 1) {
        const std::size_t b = 64 * a + static_cast<std::size_t>(std::countr_zero(above));
        for (std::uint64_t bits = std::exchange(bits_[b], 0); bits != 0; bits &= bits - 1) {
          const std::size_t column = 64 * b + static_cast<std::size_t>(std::countr_zero(bits));
          columns[size] = static_cast<std::int32_t>(column);
          counts[size++] = std::exchange(counts_[column], 0);
        }
      }
    }
    return size;
  }

  std::int64_t read_sorted(std::int32_t* columns, std::int32_t* counts) {
    std::sort(entries_.begin(), entries_.end());
    std::int64_t size = 0;
    for (std::size_t k = 0; k < entries_.size(); ++size) {
      const std::uint64_t column = entries_[k] >> 1;
      columns[size] = static_cast<std::int32_t>(column);
      counts[size] = 0;
      for (; k < entries_.size() && entries_[k] >> 1 == column; ++k)
        counts[size] += entries_[k] & 1 ? -1 : 1;
    }
    entries_.clear();
    return size;
  }

  static constexpr std::int64_t most_bits = 1 << 23;
  bool has_bits_;
  std::int64_t n_added_ = 0;
  std::vector<std::int32_t> counts_;
  std::vector<std::uint64_t> bits_, above_, entries_;
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

// Has blocks of rows made: make(block, maker, pool), with a maker and a pool that no other block
// uses at the time. After Ctrl-C the rows are of no use.
template <typename Maker, typename Make>
RowBlocks blocks_of(std::int64_t n_blocks, const std::function<Maker()>& new_maker, Team& team,
                    Cancellation& cancel, const Make& make) {
  struct Work {
    Maker maker;
    RowPool pool = {};
  };
  Scratch<Work> works([&] { return Work{new_maker()}; });
  RowBlocks rows;
  rows.blocks.resize(static_cast<std::size_t>(n_blocks));
  team.share(n_blocks, [&](std::int64_t b) {
    if (cancel.stopped()) return;
    const auto work = works.borrow();
    RowPool& pool = work->pool;
    const auto first = static_cast<std::int64_t>(pool.ends.size());
    make(b, work->maker, pool);
    rows.blocks[b] = {work.number(), first, static_cast<std::int64_t>(pool.ends.size())};
  });
  works.each([&](Work& work) { rows.pools.push_back(std::move(work.pool)); });
  return rows;
}

// The rows of texts: a maker adds the row of a text to a pool.
template <typename Maker>
RowBlocks rows_of(const std::vector<Text>& texts, const Maker& maker, Team& team,
                  Cancellation& cancel) {
  const std::vector<std::int64_t> cuts = cut(texts, 1 << 18);
  return blocks_of<Maker>(
      static_cast<std::int64_t>(cuts.size()) - 1, [&] { return maker; }, team, cancel,
      [&](std::int64_t b, Maker& make, RowPool& pool) {
        for (std::int64_t k = cuts[b]; k < cuts[b + 1] && !cancel.stopped(); ++k) {
          make(texts[k], pool);
          cancel.check(texts[k].n_bytes());
        }
      });
}

// The arrays of CSR, and blocks of rows put together in them: some columns left out, counts
// weighed.

// How counts become values, in scikit-learn's order: logarithms, weights of columns, length 1.
struct Weighing {
  bool sublinear = false;
  const double* idf = nullptr;
  int norm = 0;  // 1: the sum of absolute values is 1; 2: the sum of squares

  bool is_plain() const { return !sublinear && idf == nullptr && norm == 0; }

  void operator()(const std::int32_t* columns, double* values, std::int64_t n) const {
    if (sublinear)
      for (std::int64_t k = 0; k < n; ++k)
        values[k] = values[k] == 1.0 ? 1.0 : std::log(values[k]) + 1.0;
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

// What values a matrix has: none, as all are 1; integers; or real numbers.
enum class Kind { ones, counts, values };

struct RowArrays {
  explicit RowArrays(Kind kind) : kind(kind) {}

  Kind kind;
  Growing<std::int64_t> indptr, counts;
  Growing<std::int32_t> indices;
  Growing<double> values;

  template <typename T>
  static void make(Growing<T>& array, std::int64_t n) {
    array.reserve(n);
    array.extend(n);
  }
  // Makes room for the entries.
  void reserve(std::int64_t nnz) {
    make(indices, nnz);
    if (kind == Kind::counts) make(counts, nnz);
    if (kind == Kind::values) make(values, nnz);
  }

  void weigh(const Weighing& weighing, Team& team) {
    if (kind != Kind::values || weighing.is_plain()) return;
    const std::int64_t* const ends = indptr.data();
    team.share_blocks(indptr.size() - 1, 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j)
        weighing(indices.data() + ends[j], values.data() + ends[j], ends[j + 1] - ends[j]);
    });
  }
};

// Rows in blocks, in order, whose columns may get new numbers, ascending too; -1 leaves one out.
class Joining {
 public:
  Joining(const RowBlocks& rows, const std::int32_t* numbers) : rows_(rows), numbers_(numbers) {}

  RowArrays operator()(Kind kind, const Weighing& weighing, Team& team) const {
    const std::size_t n_blocks = rows_.blocks.size();
    std::vector<std::int64_t> first(n_blocks + 1), entries(n_blocks + 1);  // before each block
    each_block(team, [&](std::size_t b) { entries[b + 1] = count(b); });
    for (std::size_t b = 0; b < n_blocks; ++b) {
      first[b + 1] = first[b] + rows_.n_rows(b);
      entries[b + 1] += entries[b];
    }
    RowArrays arrays(kind);
    RowArrays::make(arrays.indptr, first.back() + 1);
    arrays.indptr.data()[0] = 0;
    arrays.reserve(entries.back());
    each_block(team, [&](std::size_t b) { copy(b, first[b], entries[b], arrays); });
    arrays.weigh(weighing, team);
    return arrays;
  }

 private:
  template <typename Use>
  void each_block(Team& team, const Use& use) const {
    team.share(static_cast<std::int64_t>(rows_.blocks.size()),
               [&](std::int64_t b) { use(static_cast<std::size_t>(b)); });
  }

  std::int64_t count(std::size_t b) const {
    if (numbers_ == nullptr) return rows_.end(b) - rows_.begin(b);
    const std::int32_t* const columns = rows_.pool(b).columns.data();
    return std::count_if(columns + rows_.begin(b), columns + rows_.end(b),
                         [&](std::int32_t i) { return numbers_[i] >= 0; });
  }

  void copy(std::size_t b, std::int64_t row, std::int64_t at, RowArrays& out) const {
    const RowPool& pool = rows_.pool(b);
    std::int64_t k = rows_.begin(b);
    for (std::int64_t j = rows_.blocks[b].first_row; j < rows_.blocks[b].end_row; ++j) {
      for (; k < pool.ends[static_cast<std::size_t>(j)]; ++k) {
        const std::int32_t column = pool.columns.data()[k];
        const std::int32_t number = numbers_ == nullptr ? column : numbers_[column];
        if (number < 0) continue;
        out.indices.data()[at] = number;
        if (out.kind == Kind::counts) out.counts.data()[at] = pool.counts.data()[k];
        if (out.kind == Kind::values) out.values.data()[at] = pool.counts.data()[k];
        ++at;
      }
      out.indptr.data()[++row] = at;
    }
  }

  const RowBlocks& rows_;
  const std::int32_t* numbers_;
};

}  // namespace tauboost::text
