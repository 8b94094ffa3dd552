// The rows of one problem on this machine, with everything a sweep of the exact method gains from:
// runs of short columns, and nearly full columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/coordinate_steps.hpp"
#include "kernels/weights.hpp"

namespace tauboost {

// The columns of a block in one shard, and the two passes over them: sum the weights, then scale
// the rows. Two kinds of columns are not gone through one by one.
//
// Short columns. Most columns of sparse data have a handful of entries in a shard. A loop for each
// costs more than its entries: the processor cannot guess where it ends. So neighbouring columns
// with few entries are taken as one run, entry by entry, each of which knows the slot, 2 k +
// (A_ji > 0) for the k-th column of the block, that its weight is added to or its growth read
// from.
//
// Nearly full columns, exponential loss. Their sums are those of all rows less those of the rows
// without an entry; scaling their rows is scaling all rows, and the few others back. What all rows
// of a label are scaled by is only noted, and made up for when the sweep is over:
//
//     w_j = lag v_j,   v what is stored, lag one number for each label, S = sum_j v_j over a label.
//
// Let a step multiply the weights of a column's rows of that label by f = 1 + growth, and s be the
// sum of v over the rows without an entry, the absent ones. Then
//
//     the column's sum before is   lag (S - s),
//     w.sum() changes by           lag (f - 1) (S - s),
//     lag' = lag f,   v_j' = v_j where there is an entry,   v_j' = v_j / f where there is none,
//     S'   = S + (1 / f - 1) s.
//
// The growths of the two labels are up and down with (1 + up) (1 + down) = 1, so 1 / f - 1 is the
// growth of the other label. A step of any other column changes v and S, and w.sum() by lag times
// that.

// Shards are worked on by different threads, and lie next to each other: on cache lines of their
// own.
class alignas(128) ShardBlock {
 public:
  // `w` is the shard's own part of the weights; full columns are only special for those of the
  // exponential loss.
  ShardBlock(const Matrix& A, const Shard& shard, double* w, bool may_lag)
      : A_(A), shard_(shard), w_(w), has_full_(may_lag && !A.full.empty()) {
    if (has_full_) recount();
  }

  // Sums over the columns, with neg and pos of each next to each other in `pairs`, as
  // unscaled_sums leaves them; of the squares, those of columns with values.
  [[gnu::flatten]] void gather(const std::int32_t* columns, std::int64_t n, double* pairs,
                               double* squares) {
    runs_.clear();
    long_.clear();
    full_.clear();
    used_ = 0;
    for (std::int64_t k = 0; k < n;) {
      if (is_short(columns[k])) {
        k = gather_run(columns, k, n, pairs);
        continue;
      }
      const SignedSums sums = gather_long(columns[k], k);
      pairs[2 * k] = sums.neg;
      pairs[2 * k + 1] = sums.pos;
      if (A_.is_valued(columns[k])) squares[k] = sums.square;
      ++k;
    }
  }

  // exp(r) *= exp(A_S d) for the columns S that were gathered last; growth holds expm1(-a d) and
  // expm1(a d) next to each other. Returns the change of w.sum().
  template <typename Rows>
  [[gnu::flatten]] double apply(const std::int32_t* columns, const double* d, const double* growth,
                                const Rows& rows) {
    Sides change;
    for (const std::int64_t k : long_)
      if (d[k] != 0.0)
        change += scatter_sides(A_.column(shard_, columns[k]), d[k], growth[2 * k + 1], rows);
    for (const Run& run : runs_) change += apply_run(run, d, growth, rows);
    if (!has_full_) return change.neg + change.pos;
    stored_ += change;
    double moved = lag_.neg * change.neg + lag_.pos * change.pos;
    for (const Full& full : full_)
      if (d[full.k] != 0.0) moved += apply_full(full, growth[2 * full.k], growth[2 * full.k + 1]);
    // The most that they have been: steps that blow the sums up, and are taken back, leave errors.
    reference_ = {std::max(reference_.neg, stored_.neg), std::max(reference_.pos, stored_.pos)};
    if (is_worn()) recount();
    return moved;
  }

  // Makes up for the lag and counts anew; returns w.sum().
  double recount() {
    double* positive = w_ + shard_.n_neg_rows;
    const std::int64_t n_pos = shard_.n_rows - shard_.n_neg_rows;
    stored_ = {rescale(w_, shard_.n_neg_rows, lag_.neg), rescale(positive, n_pos, lag_.pos)};
    lag_ = {1.0, 1.0};
    reference_ = stored_;
    return stored_.neg + stored_.pos;
  }

  bool is_behind() const { return lag_.neg != 1.0 || lag_.pos != 1.0; }

 private:
  // Of a column that is called short: up to here a loop of its own costs more than a slot for each
  // entry.
  static constexpr std::int64_t most_entries = 32;

  // Columns begin ... end of the block, whose entries lie next to each other.
  struct Run {
    std::int64_t begin, end, first_entry, n_entries, first_slot;
  };

  // A nearly full column, the k-th of the block.
  struct Full {
    std::int64_t k, slot;
  };

  static double rescale(double* w, std::int64_t n, double factor) {
    return fixed_sum(0, n, [=](std::int64_t j) { return w[j] *= factor; });
  }

  // Whether the lag is no longer harmless, or the sums have shrunk so far that their errors show.
  bool is_worn() const {
    // Far below where v overflows, though steps go on until the next test; and two digits of S
    // lost.
    constexpr double far = 1e20, shrink = 1e-2;
    const auto is_far = [](double x) { return !(x < far && x * far > 1.0); };
    return is_far(lag_.neg) || is_far(lag_.pos) || stored_.neg < shrink * reference_.neg ||
           stored_.pos < shrink * reference_.pos;
  }

  bool is_short(std::int64_t i) const {
    return shard_.start[i + 1] - shard_.start[i] <= most_entries && !A_.is_valued(i);
  }

  SignedSums gather_long(std::int64_t i, std::int64_t k) {
    const std::int64_t slot = has_full_ ? A_.full_slot(i) : -1;
    if (slot < 0) {
      long_.push_back(k);
      return unscaled_sums(A_.column(shard_, i), Weights{w_}, lag_);
    }
    full_.push_back({k, slot});
    const SignedSums absent = unscaled_sums(A_.absent(shard_, slot), Weights{w_});
    return {lag_.neg * std::max(stored_.neg - absent.neg, 0.0),
            lag_.pos * std::max(stored_.pos - absent.pos, 0.0), 0.0};
  }

  double apply_full(const Full& full, double down, double up) {
    const Column absent = A_.absent(shard_, full.slot);
    const Exponential::Rows rows = {w_};
    const std::int64_t n_pos = absent.n - absent.n_neg;
    const double neg = scale_rows(absent.rows, absent.n_neg, 1.0 + up, rows);
    const double pos = scale_rows(absent.rows + absent.n_neg, n_pos, 1.0 + down, rows);
    const double moved = lag_.neg * down * std::max(stored_.neg - neg, 0.0) +
                         lag_.pos * up * std::max(stored_.pos - pos, 0.0);
    stored_ += {up * neg, down * pos};
    lag_ = {lag_.neg * (1.0 + down), lag_.pos * (1.0 + up)};
    return moved;
  }

  std::int64_t end_of_run(const std::int32_t* columns, std::int64_t begin, std::int64_t n) const {
    std::int64_t k = begin + 1;
    while (k < n && shard_.start[columns[k]] == shard_.start[columns[k - 1] + 1] &&
           is_short(columns[k]))
      ++k;
    return k;
  }

  std::int64_t gather_run(const std::int32_t* columns, std::int64_t begin, std::int64_t n,
                          double* pairs) {
    const std::int64_t end = end_of_run(columns, begin, n), first = shard_.start[columns[begin]];
    const std::int64_t n_entries = shard_.start[columns[end - 1] + 1] - first;
    runs_.push_back({begin, end, first, n_entries, used_});
    if (slot_.size() < static_cast<std::size_t>(used_ + n_entries + 1))
      slot_.resize(2 * (used_ + n_entries + 1));
    std::uint32_t* slot = slot_.data() + used_;
    used_ += n_entries;
    // Where each sign of each column begins; what an empty one writes, the next one overwrites.
    std::fill(slot, slot + n_entries + 1, 0);
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t at = shard_.start[columns[k]] - first;
      slot[at] = static_cast<std::uint32_t>(2 * k);
      slot[at + shard_.n_neg[columns[k]]] = static_cast<std::uint32_t>(2 * k + 1);
    }
    std::fill(pairs + 2 * begin, pairs + 2 * end, 0.0);
    const std::int32_t* rows = shard_.rows.get() + first;
    auto now = static_cast<std::uint32_t>(2 * begin);
    for (std::int64_t t = 0; t < n_entries; ++t) {
      slot[t] = now = std::max(now, slot[t]);
      prefetch_far(w_ + rows[t + padding]);
      pairs[now] += w_[rows[t]];
    }
    if (is_behind())
      for (std::int64_t k = begin; k < end; ++k) {
        pairs[2 * k] *= lag_.neg;
        pairs[2 * k + 1] *= lag_.pos;
      }
    return end;
  }

  template <typename Rows>
  Sides apply_run(const Run& run, const double* d, const double* growth, const Rows& rows) const {
    if (std::all_of(d + run.begin, d + run.end, [](double step) { return step == 0.0; })) return {};
    const std::uint32_t* slot = slot_.data() + run.first_slot;
    const std::int32_t* js = shard_.rows.get() + run.first_entry;
    Sides change;
    for (std::int64_t t = 0; t < run.n_entries; ++t) {
      const double grown = growth[slot[t]], part = grown * rows.scale(js[t], 1.0 + grown);
      // Each by itself: the weights of one label may be far below those of the other.
      const bool is_positive = slot[t] % 2 != 0;
      change.neg += is_positive ? 0.0 : part;
      change.pos += is_positive ? part : 0.0;
    }
    return change;
  }

  const Matrix& A_;
  const Shard& shard_;
  double* w_;
  const bool has_full_;
  Sides lag_ = {1.0, 1.0};    // the weights are these times what is stored
  Sides stored_, reference_;  // the sums of what is stored, now and at most since last counted
  std::vector<std::int64_t> long_;
  std::vector<Full> full_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> slot_;  // of every entry of every run
  std::int64_t used_ = 0;
};

template <LossOf Loss_>
class SweepRows {
 public:
  static constexpr int L = 1;
  using Loss = Loss_;
  using Steps = CoordinateSteps<1, BothGrowths, 64>;

  SweepRows(const Matrix& A, const Iterate& at, std::int64_t tau)
      : A_(A),
        at_(at),
        tau_(tau),
        pairs_(2 * tau * A.shards.size()),
        squares_(A.n_valued > 0 ? tau * A.shards.size() : 0),
        change_(A.shards.size()) {
    for (const Shard& shard : A.shards)
      parts_.emplace_back(A, shard, at.w + shard.first_row, !Loss::keeps_odds);
  }

  std::int64_t n_parts() const { return static_cast<std::int64_t>(A_.shards.size()); }
  std::int64_t work(std::int64_t n) const { return n * (A_.nnz / A_.n + 16); }

  void gather(std::int64_t s, const Block& now) {
    parts_[s].gather(now.columns, now.n, pairs_.data() + 2 * s * tau_,
                     squares_.data() + (squares_.empty() ? 0 : s * tau_));
  }

  SignedSums sums(const Block& now, std::int64_t k, int) const {
    SignedSums sums;
    const bool is_valued = A_.is_valued(now.columns[k]);
    for (std::size_t s = 0; s < A_.shards.size(); ++s) {
      const double* pair = pairs_.data() + 2 * (s * tau_ + k);
      sums += {pair[0], pair[1], is_valued ? squares_[s * tau_ + k] : 0.0};
    }
    const double scale = is_valued ? 1.0 : A_.scale[now.columns[k]];
    return {scale * sums.neg, scale * sums.pos, sums.square};
  }

  void apply(std::int64_t s, const Move<1>& wanted, const Steps& steps) {
    change_[s][0] = parts_[s].apply(wanted.block.columns, steps.moving(wanted), steps.growth(),
                                    Loss::rows(at_, A_.shards[s].first_row));
  }

  const std::vector<std::array<double, 1>>& changes() const { return change_; }

  double recount(int) {
    double total = 0.0;
    for (ShardBlock& part : parts_) total += part.recount();
    return total;
  }

  // Once a sweep is over: the weights as they are, not as they are noted to be.
  void settle(Team& team) {
    team.share(n_parts(), [&](std::int64_t s) {
      if (parts_[s].is_behind()) parts_[s].recount();
    });
  }

 private:
  const Matrix& A_;
  const Iterate at_;
  const std::int64_t tau_;
  std::vector<ShardBlock> parts_;
  std::vector<double> pairs_, squares_;  // sums over the columns of the block, shard by shard
  std::vector<std::array<double, 1>> change_;
};

}  // namespace tauboost
