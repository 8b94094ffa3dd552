// F along a few directions of the rows: what a Newton step in their span asks of all of them.
//
// With r = now + sum_k steps_k along_k it sums F, its gradient along the directions and its Hessian
// between them. Rows are cut into blocks whose sums are added in order, and eight sums go side by
// side in each: the bits do not depend on threads or machines.
#pragma once

#include <array>
#include <cstdint>

#include "threads/team.hpp"

namespace tauboost {

struct SpanRows {
  static constexpr int K = 4;
  static constexpr int n_sums = 1 + K + K * (K + 1) / 2;  // F, gradient, half of the Hessian

  std::int64_t m;
  const double *now, *along;  // m, and K m: one direction after the other
  const double* c;            // sample weights of the logistic loss; null: the exponential loss
  std::int32_t c_stride;      // 0: one weight serves all rows

  // The exponential loss is summed without its logarithm, and its Hessian without the product of
  // gradients. In span.cpp, the sums for every kind of machine.
  std::array<double, n_sums> sums(const std::array<double, K>& steps, Team& team) const;

  // r of all rows
  void go(const std::array<double, K>& steps, double* r, Team& team) const;

  // The same from a row on.
  SpanRows from(std::int64_t first) const {
    return {m, now + first, along + first, c == nullptr ? nullptr : c + first * c_stride, c_stride};
  }
};

}  // namespace tauboost
