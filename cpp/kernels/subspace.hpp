// A Newton step over a few directions, after a sweep of some lanes.
//
// Coordinate steps crawl where many columns are alike. The point itself, the total steps of the
// last two sweeps and the intercept show where they are heading: Newton's step in their span takes
// passes over vectors and none over the matrix. It is kept in the lanes whose objective it lowers.
// For the logistic loss with l2 only: the objective is smooth.
//
// Sums run over rows and columns in order, on one thread: the bits depend on nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/lane_passes.hpp"
#include "kernels/logistic.hpp"
#include "simd/vectors.hpp"

namespace tauboost {

// What is remembered of the lanes: of rows (m L each) and of coordinates (n L each), the point
// where the last step ended and the total steps of the last two sweeps.
struct Memory {
  double *row_point, *row_step, *row_older;
  double *point, *step, *older;
};

struct SubspaceProblem {
  std::int64_t m, n, n_penalised;
  const std::int32_t* columns;  // those that are not empty
  std::int64_t n_columns;
  const double* c;        // m L
  const double* labels;   // m, the column of the intercept, or null: there is none
  const double* l2;       // L
  const double* factors;  // n_penalised L, or null
};

template <int L>
class SubspaceStep {
 public:
  using Lanes = std::array<double, L>;

  SubspaceStep(const SubspaceProblem& problem, const Memory& memory, double* rows, double* lam)
      : given_(problem), kept_(memory), rows_(rows), lam_(lam) {}

  // By how much the objective of each lane fell.
  Lanes run() {
    sum_rows();
    sum_coordinates();
    for (int l = 0; l < L; ++l) solve(l);
    const Lanes after = move_rows();
    Lanes gain;
    bool all_fall = true;
    for (int l = 0; l < L; ++l) {
      gain[l] = before_[l] - after[l] - change_of_psi(l);
      if (gain[l] > 0.0) continue;
      all_fall = false;
      gain[l] = 0.0;
      for (int a = 0; a < K; ++a) x_[a][l] = 0.0;
    }
    if (!all_fall) move_rows();  // back to where the sweep ended
    move_coordinates();
    return gain;
  }

 private:
  static constexpr int K = 4;                 // the point, two steps, the intercept
  static constexpr std::int64_t block = 512;  // rows at a time
  // What moves rows by less on average is rounding, and so is a step of so many times a direction:
  // rows would go elsewhere than coordinates.
  static constexpr double least = 1e-6, most = 1e3;
  using Directions = std::array<Lanes, K>;

  // The gradient along the directions, and the Hessian between them.
  struct Sums {
    Directions slope;
    std::array<Directions, K> curvature;
    Lanes total;

    void add(int l, double w, double p, const std::array<double, K>& along) {
      total[l] += p;
      for (int a = 0; a < K; ++a) {
        slope[a][l] += w * along[a];
        for (int b = a; b < K; ++b) curvature[a][b][l] += p * along[a] * along[b];
      }
    }
  };

  double* weights_of(std::int64_t j) const { return rows_ + j * 2 * L; }
  double* odds_of(std::int64_t j) const { return rows_ + j * 2 * L + L; }

  // The label of a row in each lane: weights carry their sign next to that of the matrix.
  double label(std::int64_t j, int l) const {
    return given_.labels == nullptr ? 0.0 : std::copysign(1.0, weights_of(j)[l]) * given_.labels[j];
  }
  double intercept(int l) const {
    return given_.labels == nullptr ? 0.0 : lam_[(given_.n - 1) * L + l];
  }

  template <typename Visit>
  void each_block(Visit visit) const {
    for (std::int64_t first = 0; first < given_.m; first += block)
      visit(first, std::min(block, given_.m - first));
  }

  void sum_rows() {
    std::vector<double> odds(block * L), losses(block * L);
    Lanes b;
    for (int l = 0; l < L; ++l) b[l] = intercept(l);
    each_block([&](std::int64_t first, std::int64_t n) {
      double* const point = kept_.row_point + first * L;
      double* const step = kept_.row_step + first * L;
      const double* const older = kept_.row_older + first * L;
      for (std::int64_t j = 0; j < n; ++j)
        for (int l = 0; l < L; ++l) odds[j * L + l] = odds_of(first + j)[l];
      for (std::int64_t t = 0; t < n * L; ++t) step[t] = point[t];
      logarithms(odds.data(), n * L, point);
      logistic(point, n * L, losses.data(), nullptr);
      for (std::int64_t j = 0; j < n; ++j)
        for (int l = 0; l < L; ++l) {
          const std::int64_t t = j * L + l;
          step[t] = point[t] - step[t];
          before_[l] += given_.c[first * L + t] * losses[t];
          const double y = label(first + j, l), w = std::abs(weights_of(first + j)[l]);
          const double p = w / (1.0 + odds[t]);
          of_rows_.add(l, w, p, {point[t] - y * b[l], step[t], older[t], y});
        }
    });
  }

  void sum_coordinates() {
    for (std::int64_t k = 0; k < given_.n_columns; ++k) {
      const std::int64_t i = given_.columns[k];
      const bool is_penalised = i < given_.n_penalised;
      for (int l = 0; l < L; ++l) {
        const std::int64_t t = i * L + l;
        const double x = lam_[t];
        kept_.step[t] = x - kept_.point[t];
        kept_.point[t] = x;
        if (!is_penalised) continue;
        const double f = given_.l2[l] * (given_.factors == nullptr ? 1.0 : given_.factors[t]);
        of_psi_.add(l, f * x, f, {x, kept_.step[t], kept_.older[t], 0.0});
      }
    }
  }

  // The step of a lane: by Cholesky, scaled to a diagonal of 1; what adds nothing stays 0.
  void solve(int l) {
    double H[K][K], g[K], scale[K];
    for (int a = 0; a < K; ++a) {
      g[a] = of_rows_.slope[a][l] + of_psi_.slope[a][l];
      for (int b = a; b < K; ++b)
        H[a][b] = of_rows_.curvature[a][b][l] + of_psi_.curvature[a][b][l];
      const double in_rows = of_rows_.curvature[a][a][l];
      scale[a] = in_rows > least * least * of_rows_.total[l] ? 1.0 / std::sqrt(H[a][a]) : 0.0;
    }
    double R[K][K] = {}, z[K];
    for (int a = 0; a < K; ++a) {
      for (int b = 0; b <= a; ++b) {
        double sum = a == b ? 1.0 + 1e-9 : H[b][a] * scale[a] * scale[b];
        for (int k = 0; k < b; ++k) sum -= R[a][k] * R[b][k];
        R[a][b] = a == b ? std::sqrt(std::max(sum, 1e-9)) : sum / R[b][b];
      }
      z[a] = scale[a] * g[a];
      for (int k = 0; k < a; ++k) z[a] -= R[a][k] * z[k];
      z[a] /= R[a][a];
    }
    for (int a = K - 1; a >= 0; --a) {
      for (int k = a + 1; k < K; ++k) z[a] -= R[k][a] * z[k];
      z[a] /= R[a][a];
      x_[a][l] = -scale[a] * z[a];
    }
    bool is_sound = std::isfinite(x_[K - 1][l]);
    for (int a = 0; a < K - 1; ++a) is_sound &= std::abs(x_[a][l]) < most;
    for (int a = 0; a < K && !is_sound; ++a) x_[a][l] = 0.0;
  }

  double change_of_psi(int l) const {
    double change = 0.0;
    for (int a = 0; a < K; ++a) {
      change += x_[a][l] * of_psi_.slope[a][l];
      for (int b = 0; b < K; ++b)
        change += 0.5 * x_[a][l] * x_[b][l] * of_psi_.curvature[std::min(a, b)][std::max(a, b)][l];
    }
    return change;
  }

  // Sets weights and odds to where the step leads; returns F there.
  Lanes move_rows() {
    Lanes total{}, b;
    for (int l = 0; l < L; ++l) b[l] = intercept(l);
    std::vector<double> there(block * L), losses(block * L), shares(block * L), odds(block * L);
    each_block([&](std::int64_t first, std::int64_t n) {
      for (std::int64_t j = 0; j < n; ++j)
        for (int l = 0; l < L; ++l) {
          const std::int64_t t = (first + j) * L + l;
          const double y = label(first + j, l), r = kept_.row_point[t];
          const double moved = r + x_[0][l] * (r - y * b[l]) + x_[1][l] * kept_.row_step[t] +
                               x_[2][l] * kept_.row_older[t] + x_[3][l] * y;
          there[j * L + l] = std::clamp(moved, -700.0, 700.0);
        }
      logistic(there.data(), n * L, losses.data(), shares.data());
      exp_along(there.data(), 1.0, n * L, odds.data());
      for (std::int64_t j = 0; j < n; ++j)
        for (int l = 0; l < L; ++l) {
          const std::int64_t t = j * L + l;
          const double c = given_.c[first * L + t];
          double& w = weights_of(first + j)[l];
          total[l] += c * losses[t];
          w = std::copysign(c * shares[t], w);
          odds_of(first + j)[l] = odds[t];
        }
    });
    return total;
  }

  // After the rows: what they remember ends where they are.
  void move_coordinates() {
    Lanes b;
    for (int l = 0; l < L; ++l) b[l] = intercept(l);
    for (std::int64_t k = 0; k < given_.n_columns; ++k) {
      const std::int64_t i = given_.columns[k];
      for (int l = 0; l < L; ++l) {
        const std::int64_t t = i * L + l;
        const double x = lam_[t];
        double moved = x_[1][l] * kept_.step[t] + x_[2][l] * kept_.older[t];
        moved += i < given_.n_penalised ? x_[0][l] * x : x_[3][l];
        lam_[t] = kept_.point[t] = x + moved;
      }
    }
    for (std::int64_t j = 0; j < given_.m; ++j)
      for (int l = 0; l < L; ++l) {
        const std::int64_t t = j * L + l;
        const double y = label(j, l), r = kept_.row_point[t];
        kept_.row_point[t] = r + x_[0][l] * (r - y * b[l]) + x_[1][l] * kept_.row_step[t] +
                             x_[2][l] * kept_.row_older[t] + x_[3][l] * y;
      }
  }

  const SubspaceProblem given_;
  const Memory kept_;
  double *const rows_, *const lam_;
  Lanes before_{};
  Sums of_rows_{}, of_psi_{};
  Directions x_{};
};

}  // namespace tauboost
