// F along the changes d of the bins of one term: the rows of a bin move together, so what d does to
// F is known from the sums over each bin. For the exponential loss exactly:
//
//     F(d) - F = log( sum_b (up_b exp(d_b) + down_b exp(-d_b)) / total ),
//
// up and down being the weights of rows with y = 1 and y = -1. For the logistic loss by a bound, as
// its third derivative is at most its second (Bach 2010):
//
//     F(d) - F <= sum_b g_b d_b + h_b (exp|d_b| - |d_b| - 1).
#pragma once

#include <cmath>
#include <vector>

#include "kernels/loss.hpp"

namespace tauboost {

// Sums over the rows of each bin: up and down over the total (exponential), or gradient and
// curvature (logistic).
struct BinSums {
  std::vector<double> first, second;
};

constexpr double short_step = 1e-3;  // below, a difference has few digits: its series is used

// growth: exp(d). slope and curvature are those at d = 0.
template <LossOf Loss>
struct BinModel;

template <>
struct BinModel<Exponential> {
  static double slope(const BinSums& sums, int b) { return sums.first[b] - sums.second[b]; }
  static double curvature(const BinSums& sums, int b) { return sums.first[b] + sums.second[b]; }
  static bool has_rows(const BinSums& sums, int b) {
    return sums.second[b] > 0.0 || sums.first[b] > 0.0;
  }

  static void expand(const BinSums& sums, int n, const double*, const double* growth, double* g,
                     double* h) {
    double total = 0.0;
    for (int b = 0; b < n; ++b) total += sums.first[b] * growth[b] + sums.second[b] / growth[b];
    for (int b = 0; b < n; ++b) {
      const double up = sums.first[b] * growth[b] / total;
      const double down = sums.second[b] / growth[b] / total;
      g[b] = up - down;
      h[b] = up + down;
    }
  }

  static double change(const BinSums& sums, int n, const double* d, const double* growth) {
    double sum = 0.0;
    for (int b = 0; b < n; ++b) {
      const double x = d[b];
      const double up = std::abs(x) < short_step ? x * (1.0 + x * (0.5 + x / 6)) : growth[b] - 1.0;
      sum += sums.first[b] * up - sums.second[b] * up / (1.0 + up);
    }
    return std::log1p(sum);
  }
  static double change_of_sum(double change, double total) { return total * std::expm1(change); }
};

template <>
struct BinModel<Logistic> {
  static double slope(const BinSums& sums, int b) { return sums.first[b]; }
  static double curvature(const BinSums& sums, int b) { return sums.second[b]; }
  static bool has_rows(const BinSums& sums, int b) { return sums.second[b] > 0.0; }

  static void expand(const BinSums& sums, int n, const double* d, const double* growth, double* g,
                     double* h) {
    for (int b = 0; b < n; ++b) {
      const double size = d[b] < 0 ? 1.0 / growth[b] : growth[b];
      g[b] = sums.first[b] + sums.second[b] * (d[b] < 0 ? 1.0 - size : size - 1.0);
      h[b] = sums.second[b] * size;
    }
  }

  static double change(const BinSums& sums, int n, const double* d, const double* growth) {
    double sum = 0.0;
    for (int b = 0; b < n; ++b) {
      const double size = std::abs(d[b]), up = d[b] < 0 ? 1.0 / growth[b] : growth[b];
      const double bend = size < short_step ? size * size * (0.5 + size / 6) : up - size - 1.0;
      sum += sums.first[b] * d[b] + sums.second[b] * bend;
    }
    return sum;
  }
  static double change_of_sum(double change, double) { return change; }
};

}  // namespace tauboost
