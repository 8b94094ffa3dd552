// The step of one coordinate: what the separable overapproximation of Theorem 1 asks for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tauboost {

// psi of the problem: l1 |x| + l2/2 x^2 on each penalised coordinate, within [lower, upper]. Either
// strength may be multiplied by a factor of the coordinate's own.
struct Penalty {
  double l1, l2;
  const double* lower;  // n, or null for none; either of the two may be given alone
  const double* upper;
  std::int64_t n_penalised;            // coordinates from here on (the intercept) are free
  const double* l1_factors = nullptr;  // null: 1
  const double* l2_factors = nullptr;
  std::int64_t stride = 1;  // from one coordinate's factors to the next one's

  double l1_of(std::int64_t i) const { return l1_factors ? l1 * l1_factors[i * stride] : l1; }
  double l2_of(std::int64_t i) const { return l2_factors ? l2 * l2_factors[i * stride] : l2; }

  // argmin over x of curvature/2 (x - point)^2 + psi_i(x)
  double prox(std::int64_t i, double point, double curvature) const {
    if (i >= n_penalised) return point;
    const double shrunk =
        std::copysign(std::max(std::abs(point) - l1_of(i) / curvature, 0.0), point);
    return clip(i, shrunk / (1.0 + l2_of(i) / curvature));
  }

  // For a penalised coordinate: the nearest place within its bounds.
  double clip(std::int64_t i, double x) const {
    if (lower != nullptr) x = std::max(x, lower[i]);
    return upper == nullptr ? x : std::min(x, upper[i]);
  }

  double change(std::int64_t i, double from, double to) const {
    if (i >= n_penalised) return 0.0;
    return l1_of(i) * (std::abs(to) - std::abs(from)) + 0.5 * l2_of(i) * (to - from) * (to + from);
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
  const double curvature = beta * scale * scale;
  const double target = psi.prox(i, x - g / curvature, curvature);
  const double reach = longest_move / scale;
  return std::clamp(target, x - reach, x + reach);
}

}  // namespace tauboost
