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
  Joining(const std::vector<RowBlock>& blocks, const std::int32_t* numbers)
      : blocks_(blocks), numbers_(numbers) {}

  RowArrays operator()(Kind kind, const Weighing& weighing, Team& team) const {
    const auto n_blocks = static_cast<std::int64_t>(blocks_.size());
    std::vector<std::int64_t> rows(blocks_.size() + 1), entries(blocks_.size() + 1);
    team.share(n_blocks, [&](std::int64_t b) { entries[b + 1] = count(blocks_[b]); });
    for (std::int64_t b = 0; b < n_blocks; ++b) {
      rows[b + 1] = rows[b] + static_cast<std::int64_t>(blocks_[b].ends.size());
      entries[b + 1] += entries[b];
    }
    RowArrays arrays(kind);
    RowArrays::make(arrays.indptr, rows.back() + 1);
    arrays.indptr.data()[0] = 0;
    arrays.reserve(entries.back());
    team.share(n_blocks, [&](std::int64_t b) { copy(blocks_[b], rows[b], entries[b], arrays); });
    arrays.weigh(weighing, team);
    return arrays;
  }

 private:
  std::int64_t count(const RowBlock& block) const {
    const std::int32_t* const columns = block.columns.data();
    const std::int64_t n = block.columns.size();
    if (numbers_ == nullptr) return n;
    return std::count_if(columns, columns + n, [&](std::int32_t i) { return numbers_[i] >= 0; });
  }

  void copy(const RowBlock& block, std::int64_t row, std::int64_t at, RowArrays& out) const {
    std::int64_t k = 0;
    for (const std::int64_t end : block.ends) {
      for (; k < end; ++k) {
        const std::int32_t column = block.columns.data()[k];
        const std::int32_t number = numbers_ == nullptr ? column : numbers_[column];
        if (number < 0) continue;
        out.indices.data()[at] = number;
        if (out.kind == Kind::counts) out.counts.data()[at] = block.counts.data()[k];
        if (out.kind == Kind::values) out.values.data()[at] = block.counts.data()[k];
        ++at;
      }
      out.indptr.data()[++row] = at;
    }
  }

  const std::vector<RowBlock>& blocks_;
  const std::int32_t* numbers_;
};

}  // namespace tauboost::text
