// psi of the problem, and the step of one coordinate that the separable overapproximation of
// Theorem 1 asks for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "simd/vectors.hpp"

#define TAUBOOST_PART "kernels/elastic_net.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

using narrow::ElasticNet;

// l1 |x| + l2/2 x^2 on each penalised coordinate, within [lower, upper]. Either weight may be
// multiplied by a factor of the coordinate's own.
struct Penalty {
  double l1, l2;
  const double* lower;  // n, or null for none; either of the two may be given alone
  const double* upper;
  std::int64_t n_penalised;            // coordinates from here on (the intercept) are free
  const double* l1_factors = nullptr;  // null: 1
  const double* l2_factors = nullptr;
  std::int64_t stride = 1;  // from one coordinate's factors to the next one's

  ElasticNet<double> of(std::int64_t i) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (i >= n_penalised) return {0.0, 0.0, -infinity, infinity};
    return {l1_factors ? l1 * l1_factors[i * stride] : l1,
            l2_factors ? l2 * l2_factors[i * stride] : l2, lower ? lower[i] : -infinity,
            upper ? upper[i] : infinity};
  }
};

// A row's residual moves by at most this in one step. Shortening a step keeps its descent (the
// overapproximation is convex), and exp(30) keeps every weight within reach.
constexpr double longest_move = 30.0;

// Where coordinate i goes from x: the minimiser of g (x' - x) + beta L_i / 2 (x' - x)^2 +
// psi_i(x').
inline double proximal_step(const Penalty& psi, std::int64_t i, double x, double g, double beta,
                            double scale) {
  if (scale == 0.0) return x;
  const double curvature = beta * scale * scale, reach = longest_move / scale;
  return std::clamp(psi.of(i).prox(x - g / curvature, curvature), x - reach, x + reach);
}

}  // namespace tauboost
