// The rows of one problem on this machine, with everything a sweep of the exact method gains from:
// runs of short columns and nearly full columns (shard_block.hpp).
#pragma once

#include <array>
#include <vector>

#include "kernels/coordinate_steps.hpp"
#include "kernels/shard_block.hpp"

namespace tauboost {

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
