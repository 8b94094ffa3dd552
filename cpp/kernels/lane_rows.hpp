// The rows of L problems on one matrix, side by side (lane_passes.hpp).
//
// Shards are summed in order: the bits do not depend on the threads, nor on the instructions the
// machine has.
#pragma once

#include <array>
#include <vector>

#include "kernels/coordinate_steps.hpp"
#include "kernels/lane_passes.hpp"

namespace tauboost {

template <int L>
class LaneRows {
 public:
  using Lanes = std::array<double, L>;
  using Steps = CoordinateSteps<L, UpGrowth, 16>;

  LaneRows(const Matrix& A, const LanePasses<L>& passes, double* rows, std::int64_t tau)
      : A_(A),
        passes_(passes),
        rows_(rows),
        tau_(tau),
        sums_(tau * A.shards.size()),
        change_(A.shards.size()) {}

  std::int64_t n_parts() const { return static_cast<std::int64_t>(A_.shards.size()); }
  std::int64_t work(std::int64_t n) const { return L * n * (A_.nnz / A_.n + 16); }

  void gather(std::int64_t s, const Block& now) {
    passes_.gather({A_, A_.shards[s], now.columns, now.n}, rows_of(s), sums_.data() + s * tau_);
  }

  SignedSums sums(const Block&, std::int64_t k, int l) const {
    SignedSums sums;
    for (std::size_t s = 0; s < A_.shards.size(); ++s) {
      const LaneSums<L>& part = sums_[s * tau_ + k];
      sums += {part.neg[l], part.pos[l], part.square[l]};
    }
    return sums;
  }

  // Of all lanes.
  LaneSums<L> sums(std::int64_t k) const {
    LaneSums<L> sums = sums_[k];
    for (std::size_t s = 1; s < A_.shards.size(); ++s) {
      const LaneSums<L>& part = sums_[s * tau_ + k];
      for (int l = 0; l < L; ++l) {
        sums.neg[l] += part.neg[l];
        sums.pos[l] += part.pos[l];
        sums.square[l] += part.square[l];
      }
    }
    return sums;
  }

  void apply(std::int64_t s, const Move<L>& wanted, const Steps& steps) {
    passes_.apply({A_, A_.shards[s], wanted.block.columns, wanted.block.n}, steps.moving(wanted),
                  steps.growth(), rows_of(s), change_[s].data());
  }

  const std::vector<Lanes>& changes() const { return change_; }

  double recount(int l) const {
    return fixed_sum(0, A_.m,
                     [&](std::int64_t j) { return std::abs(rows_[j * passes_.row_length + l]); });
  }

 private:
  double* rows_of(std::int64_t s) const {
    return rows_ + passes_.row_length * A_.shards[s].first_row;
  }

  const Matrix& A_;
  const LanePasses<L> passes_;
  double* const rows_;
  const std::int64_t tau_;
  std::vector<LaneSums<L>> sums_;
  std::vector<Lanes> change_;
};

}  // namespace tauboost
