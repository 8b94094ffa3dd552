// The columns of a bundle in one shard, and the two passes over them: sum the weights, then scale
// the rows.
//
// Most columns of sparse data have a handful of entries in a shard. A loop for each of them costs
// more than the entries: the processor cannot guess where it ends. So neighbouring columns with few
// entries are taken as one run, and gone through entry by entry, each of which knows the slot, 2 k
// + (A_ji > 0) for the k-th column of the bundle, that its weight is added to or its growth read
// from.
#pragma once

#include <algorithm>
#include <vector>

#include "weights.hpp"

namespace tauboost {

class ShardBundle {
 public:
  ShardBundle(const Matrix& A, const Shard& shard) : A_(A), shard_(shard) {}

  // Sums over the columns, with neg and pos of each next to each other in `pairs`, as
  // gather_unscaled leaves them; of the squares, those of columns with values.
  void measure(const std::int32_t* bundle, std::int64_t n, const double* w, double* pairs,
               double* squares) {
    runs_.clear();
    long_.clear();
    used_ = 0;
    for (std::int64_t k = 0; k < n;) {
      if (is_short(bundle[k])) {
        k = measure_run(bundle, k, n, w, pairs);
        continue;
      }
      const Column column = A_.column(shard_, bundle[k]);
      const SignedSums sums = gather_unscaled<Exclusive>(column, w);
      pairs[2 * k] = sums.neg;
      pairs[2 * k + 1] = sums.pos;
      if (column.values != nullptr) squares[k] = sums.square;
      long_.push_back(k++);
    }
  }

  // exp(r) *= exp(A_S d) for the columns S that were measured last; growth holds expm1(-a d) and
  // expm1(a d) next to each other. Returns the change of w.sum().
  template <typename Rows>
  double move(const std::int32_t* bundle, const double* d, const double* growth,
              const Rows& rows) const {
    double change = 0.0;
    for (const std::int64_t k : long_)
      if (d[k] != 0.0)
        change += scatter(A_.column(shard_, bundle[k]), d[k], growth[2 * k + 1], rows);
    for (const Run& run : runs_) change += move_run(run, d, growth, rows);
    return change;
  }

 private:
  static constexpr std::int64_t most_entries = 16;  // of a column that is called short

  // Columns begin ... end of the bundle, whose entries lie next to each other.
  struct Run {
    std::int64_t begin, end, first_entry, n_entries, first_slot;
  };

  bool is_short(std::int64_t i) const {
    return shard_.start[i + 1] - shard_.start[i] <= most_entries && !A_.is_valued(i);
  }

  std::int64_t end_of_run(const std::int32_t* bundle, std::int64_t begin, std::int64_t n) const {
    std::int64_t k = begin + 1;
    while (k < n && shard_.start[bundle[k]] == shard_.start[bundle[k - 1] + 1] &&
           is_short(bundle[k]))
      ++k;
    return k;
  }

  std::int64_t measure_run(const std::int32_t* bundle, std::int64_t begin, std::int64_t n,
                           const double* w, double* pairs) {
    const std::int64_t end = end_of_run(bundle, begin, n), first = shard_.start[bundle[begin]];
    const std::int64_t n_entries = shard_.start[bundle[end - 1] + 1] - first;
    runs_.push_back({begin, end, first, n_entries, used_});
    if (slot_.size() < static_cast<std::size_t>(used_ + n_entries + 1))
      slot_.resize(2 * (used_ + n_entries + 1));
    std::uint32_t* slot = slot_.data() + used_;
    used_ += n_entries;
    // Where each sign of each column begins; what an empty one writes, the next one overwrites.
    std::fill(slot, slot + n_entries + 1, 0);
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t at = shard_.start[bundle[k]] - first;
      slot[at] = static_cast<std::uint32_t>(2 * k);
      slot[at + shard_.n_neg[bundle[k]]] = static_cast<std::uint32_t>(2 * k + 1);
    }
    std::fill(pairs + 2 * begin, pairs + 2 * end, 0.0);
    const std::int32_t* rows = shard_.rows.get() + first;
    auto now = static_cast<std::uint32_t>(2 * begin);
    for (std::int64_t t = 0; t < n_entries; ++t) {
      slot[t] = now = std::max(now, slot[t]);
      __builtin_prefetch(w + rows[t + padding / 2]);
      pairs[now] += w[rows[t]];
    }
    return end;
  }

  template <typename Rows>
  double move_run(const Run& run, const double* d, const double* growth, const Rows& rows) const {
    if (std::all_of(d + run.begin, d + run.end, [](double step) { return step == 0.0; }))
      return 0.0;
    const std::uint32_t* slot = slot_.data() + run.first_slot;
    const std::int32_t* js = shard_.rows.get() + run.first_entry;
    double change = 0.0;
    for (std::int64_t t = 0; t < run.n_entries; ++t) {
      const double grown = growth[slot[t]];
      change += grown * rows.scale(js[t], 1.0 + grown);
    }
    return change;
  }

  const Matrix& A_;
  const Shard& shard_;
  std::vector<std::int64_t> long_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> slot_;  // of every entry of every run
  std::int64_t used_ = 0;
};

}  // namespace tauboost
