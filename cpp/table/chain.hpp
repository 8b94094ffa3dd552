// The joint minimum over all levels of a step function, in one go.
//
//     minimise  sum_b h_b/2 (x_b - target_b)^2 + sum_t P(x_{t+1} - x_t),
//     P(d) = a |d| + b/2 d^2,  and d >= 0 or d <= 0 where a sign is asked for
//
// With a = 0 this is a tridiagonal system; with b = 0 a weighted fused lasso (total variation) or
// isotonic regression, solved by dynamic programming over the derivative of
//
//     M_t(x) = the least of everything up to bin t, given that x_t = x,
//
// which is piecewise linear and rises. Passing from t to t + 1 cuts it off at -a and a: only its
// two ends are ever touched, and a knot that was cut off never comes back (Johnson 2013), so n bins
// take O(n). With both a and b its dual is solved by a few tridiagonal systems.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tauboost {

struct JumpPenalty {
  double a = 0.0, b = 0.0;
  int sign = 0;  // 1: no jump down, -1: no jump up
};

class Chain {
 public:
  explicit Chain(int most)
      : most_(most),
        x_(2 * most + 2),
        slope_(2 * most + 2),
        offset_(2 * most + 2),
        low_(most),
        high_(most) {}

  // h > 0; the minimiser is returned in x.
  void solve(int n, const double* h, const double* target, const JumpPenalty& penalty, double* x) {
    if (n <= 0) return;
    if (penalty.a == 0.0 && penalty.b == 0.0 && penalty.sign == 0)
      std::copy_n(target, n, x);
    else if (penalty.b == 0.0)
      solve_by_cutting(n, h, target, penalty, x);
    else if (penalty.a == 0.0 && penalty.sign == 0)
      solve_tridiagonal(n, h, target, penalty.b, x);
    else
      solve_dual(n, h, target, penalty, x);
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  // Knots left_ ... right_ of M', at x_: passing one to the right adds slope_ x + offset_.
  // Left of all knots it is first_slope x + first_offset, right of them last_slope x + last_offset.
  void solve_by_cutting(int n, const double* h, const double* target, const JumpPenalty& penalty,
                        double* x) {
    const double least = penalty.sign > 0 ? -infinity : -penalty.a;
    const double most = penalty.sign < 0 ? infinity : penalty.a;
    double first_slope = 0.0, first_offset = 0.0, last_slope = 0.0, last_offset = 0.0;
    int left = most_ + 1, right = most_;
    for (int t = 0; t < n; ++t) {
      first_slope += h[t];
      first_offset -= h[t] * target[t];
      last_slope += h[t];
      last_offset -= h[t] * target[t];
      const double low = t + 1 < n ? least : 0.0, high = t + 1 < n ? most : 0.0;
      low_[t] = -infinity;
      high_[t] = infinity;
      if (low > -infinity) {
        while (left <= right && first_slope * x_[left] + first_offset <= low) {
          first_slope += slope_[left];
          first_offset += offset_[left];
          ++left;
        }
        low_[t] = (low - first_offset) / first_slope;
      }
      if (t + 1 == n) break;
      if (high < infinity) {
        while (left <= right && last_slope * x_[right] + last_offset >= high) {
          last_slope -= slope_[right];
          last_offset -= offset_[right];
          --right;
        }
        high_[t] = (high - last_offset) / last_slope;
      }
      if (low > -infinity) {
        --left;
        x_[left] = low_[t];
        slope_[left] = first_slope;
        offset_[left] = first_offset - low;
        first_slope = 0.0;
        first_offset = low;
      }
      if (high < infinity) {
        ++right;
        x_[right] = std::max(high_[t], low_[t]);
        slope_[right] = -last_slope;
        offset_[right] = high - last_offset;
        last_slope = 0.0;
        last_offset = high;
      }
    }
    x[n - 1] = low_[n - 1];
    for (int t = n - 2; t >= 0; --t) x[t] = std::min(std::max(x[t + 1], low_[t]), high_[t]);
  }

  void solve_tridiagonal(int n, const double* h, const double* target, double b, double* x) {
    double* pivot = low_.data();
    for (int t = 0; t < n; ++t) {
      pivot[t] = h[t] + (t > 0 ? b : 0.0) + (t + 1 < n ? b : 0.0);
      x[t] = h[t] * target[t];
      if (t > 0) {
        const double ratio = b / pivot[t - 1];
        pivot[t] -= b * ratio;
        x[t] += ratio * x[t - 1];
      }
    }
    x[n - 1] /= pivot[n - 1];
    for (int t = n - 2; t >= 0; --t) x[t] = (x[t] + b * x[t + 1]) / pivot[t];
  }

  // With both a and b: the dual, in the forces u across the jumps. What minimises is
  //
  //     x = target - D^T u / h,   D x = stretch(u),   stretch = the inverse of P',
  //
  // a piecewise linear equation in u with a tridiagonal matrix: Newton's method on the pieces, made
  // safe by the function that it is the gradient of.
  void solve_dual(int n, const double* h, const double* target, const JumpPenalty& penalty,
                  double* x) {
    const Stretch stretch(penalty);
    std::vector<double>&u = high_, &step = offset_, &residual = slope_;
    std::fill_n(u.begin(), n, 0.0);
    double merit = evaluate(n, h, target, stretch, u, residual);
    for (int k = 0; k < most_newton; ++k) {
      newton_step(n, h, stretch, u, residual, step);
      double length = 1.0, next = merit;
      for (; length > 1e-9; length *= 0.5) {
        for (int t = 0; t + 1 < n; ++t) x_[t] = u[t] + length * step[t];
        next = evaluate(n, h, target, stretch, x_, residual);
        if (next < merit) break;
      }
      if (!(next < merit)) break;
      std::copy_n(x_.begin(), n, u.begin());
      if (length == 1.0 && merit - next <= 1e-15 * std::abs(merit)) break;
      merit = next;
    }
    // From the bin that knows its level best, along the jumps: those of no force are exactly 0.
    const int anchor = static_cast<int>(std::max_element(h, h + n) - h);
    const double left = anchor > 0 ? u[anchor - 1] : 0.0, right = anchor + 1 < n ? u[anchor] : 0.0;
    x[anchor] = target[anchor] - (left - right) / h[anchor];
    for (int t = anchor; t + 1 < n; ++t) x[t + 1] = x[t] + stretch(u[t]);
    for (int t = anchor; t > 0; --t) x[t - 1] = x[t] - stretch(u[t - 1]);
  }

  struct Stretch {
    explicit Stretch(const JumpPenalty& penalty)
        : least(penalty.sign > 0 ? -infinity : -penalty.a),
          most(penalty.sign < 0 ? infinity : penalty.a),
          b(penalty.b) {}
    double beyond(double u) const { return u > most ? u - most : u < least ? u - least : 0.0; }
    double operator()(double u) const { return beyond(u) / b; }
    const double least, most, b;
  };

  // The function of u, and its gradient in residual.
  static double evaluate(int n, const double* h, const double* target, const Stretch& stretch,
                         const std::vector<double>& u, std::vector<double>& residual) {
    double merit = 0.0, before = 0.0, x = 0.0;
    for (int t = 0; t < n; ++t) {
      const double force = (t > 0 ? u[t - 1] : 0.0) - (t + 1 < n ? u[t] : 0.0);
      x = -force / h[t];
      merit += 0.5 * force * force / h[t];
      if (t > 0) residual[t - 1] = before - x - (target[t] - target[t - 1]) + stretch(u[t - 1]);
      before = x;
      if (t + 1 == n) break;
      const double beyond = stretch.beyond(u[t]);
      merit += 0.5 * beyond * beyond / stretch.b - u[t] * (target[t + 1] - target[t]);
    }
    return merit;
  }

  void newton_step(int n, const double* h, const Stretch& stretch, const std::vector<double>& u,
                   const std::vector<double>& residual, std::vector<double>& step) {
    double* pivot = low_.data();
    for (int t = 0; t + 1 < n; ++t) {
      pivot[t] =
          1.0 / h[t] + 1.0 / h[t + 1] + (stretch.beyond(u[t]) != 0.0 ? 1.0 / stretch.b : 0.0);
      step[t] = -residual[t];
      if (t > 0) {
        const double ratio = 1.0 / (h[t] * pivot[t - 1]);
        pivot[t] -= ratio / h[t];
        step[t] += ratio * step[t - 1];
      }
    }
    for (int t = n - 2; t >= 0; --t)
      step[t] = (step[t] + (t + 2 < n ? step[t + 1] / h[t + 1] : 0.0)) / pivot[t];
  }

  static constexpr int most_newton = 100;
  const int most_;
  std::vector<double> x_, slope_, offset_, low_, high_;
};

}  // namespace tauboost
