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

template <int Lanes_, LossOf Loss_>
class LaneRows {
 public:
  static constexpr int L = Lanes_;
  using Loss = Loss_;
  using Steps = CoordinateSteps<L, UpGrowth, 16>;

  // Signed: where labels differ from those of the matrix.
  LaneRows(const Matrix& A, bool is_signed, double* rows, std::int64_t tau)
      : A_(A),
        is_signed_(is_signed),
        rows_(rows),
        tau_(tau),
        sums_(tau * A.shards.size()),
        change_(A.shards.size()) {}

  std::int64_t n_parts() const { return static_cast<std::int64_t>(A_.shards.size()); }
  std::int64_t work(std::int64_t n) const { return L * n * (A_.nnz / A_.n + 16); }

  void gather(std::int64_t s, const Block& now) {
    const LanePass pass = {A_, A_.shards[s], now.columns, now.n};
    const auto gather =
        is_signed_ ? tauboost::gather<L, true, Loss> : tauboost::gather<L, false, Loss>;
    gather(pass, rows_of(s), sums_.data() + s * tau_);
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
    const LanePass pass = {A_, A_.shards[s], wanted.block.columns, wanted.block.n};
    const auto apply =
        is_signed_ ? tauboost::apply<L, true, Loss> : tauboost::apply<L, false, Loss>;
    apply(pass, steps.moving(wanted), steps.growth(), rows_of(s), change_[s].data());
  }

  const std::vector<std::array<double, L>>& changes() const { return change_; }

  double recount(int l) const {
    return fixed_sum(0, A_.m,
                     [&](std::int64_t j) { return std::abs(rows_[j * row_length<L, Loss> + l]); });
  }

 private:
  double* rows_of(std::int64_t s) const {
    return rows_ + row_length<L, Loss> * A_.shards[s].first_row;
  }

  const Matrix& A_;
  const bool is_signed_;
  double* const rows_;
  const std::int64_t tau_;
  std::vector<LaneSums<L>> sums_;
  std::vector<std::array<double, L>> change_;
};

}  // namespace tauboost
