// The arrays of CSR, and blocks of rows put together in them: some columns left out, counts
// weighed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "matrix/pages.hpp"
#include "text/row_blocks.hpp"
#include "threads/team.hpp"

namespace tauboost::text {

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
