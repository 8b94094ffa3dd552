// The rows of the paper's Algorithm 2: plain columns, a few at a time, as its random draws choose
// them. It keeps w_j = c_j exp((A lam)_j - shift) up to date by multiplication and never touches a
// row that no column of a draw touches.
#pragma once

#include <array>
#include <vector>

#include "kernels/coordinate_steps.hpp"
#include "kernels/sampling.hpp"
#include "kernels/weights.hpp"

namespace tauboost {

class DrawRows {
 public:
  static constexpr int L = 1;
  using Loss = Exponential;
  using Steps = CoordinateSteps<1, UpGrowth, 64>;

  DrawRows(const Matrix& A, double* w, std::int64_t tau)
      : A_(A), w_(w), tau_(tau), slopes_(tau * A.shards.size()), part_(A.shards.size()) {}

  std::int64_t n_parts() const { return static_cast<std::int64_t>(A_.shards.size()); }
  std::int64_t work(std::int64_t n) const { return n * (A_.nnz / A_.n + 16); }

  // Columns have few entries in a shard: a call for each would cost as much as they do.
  [[gnu::flatten]] void gather(std::int64_t s, const Block& now) {
    const Shard& shard = A_.shards[s];
    for (std::int64_t k = 0; k < now.n; ++k) {
      const SignedSums sums =
          column_sums(A_.column(shard, now.columns[k]), Weights{w_ + shard.first_row});
      slopes_[s * tau_ + k] = sums.pos - sums.neg;
    }
  }

  // The paper's step uses the slope alone.
  SignedSums sums(const Block&, std::int64_t k, int) const {
    SignedSums sums;
    for (std::size_t s = 0; s < A_.shards.size(); ++s) sums.pos += slopes_[s * tau_ + k];
    return sums;
  }

  [[gnu::flatten]] void apply(std::int64_t s, const Move<1>& wanted, const Steps& steps) {
    const Shard& shard = A_.shards[s];
    const double *d = steps.moving(wanted), *up = steps.growth();
    double change = 0.0;
    for (std::int64_t k = 0; k < wanted.block.n; ++k)
      if (d[k] != 0.0)
        change += scatter(A_.column(shard, wanted.block.columns[k]), d[k], up[k],
                          Exponential::Rows{w_ + shard.first_row});
    part_[s] = change;
  }

  const std::array<std::array<double, 1>, 1>& changes() const {
    change_[0][0] = 0.0;
    for (const double part : part_) change_[0][0] += part;
    return change_;
  }

  double recount(int) const { return total(A_, w_); }

 private:
  const Matrix& A_;
  double* w_;
  const std::int64_t tau_;
  std::vector<double> slopes_, part_;  // shard by shard
  mutable std::array<std::array<double, 1>, 1> change_{};
};

}  // namespace tauboost
