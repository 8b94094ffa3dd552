// The step of a coordinate from the sums over its column, for several coordinates at once.
//
// Along coordinate i the loss is a function of three sums over the rows. With P and N the weights
// of the rows where A_ji = +a and -a, and R the rest of the total,
//
//     exponential:  log(R + P u + N / u) - log(total),     u = exp(a d)
//     logistic:     P (u - 1) + N (1 / u - 1)              (an upper bound, equal at d = 0)
//
// so its minimiser with any separable psi costs no further pass over data. Where values vary, a
// is the largest of them and this is a bound (Schapire and Singer), which is short: Newton's step
// is taken where it is longer.
#pragma once

#include "kernels/lane_passes.hpp"
#include "kernels/penalty.hpp"
#include "kernels/weights.hpp"
#include "matrix/columns.hpp"

namespace tauboost {

// Which minimum a step goes to.
struct StepRule {
  bool is_log_of_sum;  // of the loss (loss.hpp)
  double beta = 0.0;   // if positive, that of Theorem 1's overapproximation, which is the paper's
};

// L coordinates and the sums over their columns; what becomes of them.
template <int L>
struct Choices {
  double a[L], x[L], neg[L], pos[L], square[L], total[L], l1[L], l2[L], lower[L], upper[L];
  double valued[L];  // 1 or 0
  bool has_valued = false;
  double target[L], growth[L];  // growth: expm1(a (target - x))
  double gain[L];               // what the step promises: half of its length times the violation
  double edge[L];               // the violation at x, over a
  double cost[L];               // the change of psi
  double length[L];             // of the step, times a

  void set(int t, const Matrix& A, const Penalty& psi, std::int64_t i, double at,
           const SignedSums& sums, double sum_of_weights) {
    const ElasticNet<double> own = psi.of(i);
    a[t] = A.scale[i];
    x[t] = at;
    neg[t] = sums.neg;
    pos[t] = sums.pos;
    square[t] = sums.square;
    total[t] = sum_of_weights;
    l1[t] = own.l1;
    l2[t] = own.l2;
    lower[t] = own.lower;
    upper[t] = own.upper;
    valued[t] = A.is_valued(i) ? 1.0 : 0.0;
    has_valued |= A.is_valued(i);
  }

  // Leaves nothing to choose.
  void skip(int t) {
    a[t] = x[t] = neg[t] = pos[t] = square[t] = l1[t] = l2[t] = valued[t] = 0.0;
    total[t] = 1.0;
    lower[t] = upper[t] = 0.0;
  }
};

// Some columns in L lanes whose psi differ in l1 and l2 and have no bounds.
template <int L>
struct LaneColumns {
  const Matrix& A;
  const std::int32_t* columns;
  std::int64_t n;
  const LaneSums<L>* sums;  // of each column
  const double* lam;        // lane l of column i at i L + l
  const double *total, *l1, *l2;
  std::int64_t n_penalised;
  const double *l1_factors, *l2_factors;  // as lam, or null
};

// What becomes of them: lane l of the k-th column at k L + l, and the tally of each lane.
template <int L>
struct LaneTargets {
  double *target, *step, *growth;
  double gain[L] = {}, edge[L] = {}, cost[L] = {}, length[L] = {}, travel[L] = {};
};

constexpr int together = 8;  // steps computed at once

// In rule.cpp: once for every kind of machine.
void choose(Choices<together>& block, const StepRule& rule);
void choose(Choices<1>& one, const StepRule& rule);
template <int L>
void choose_lanes(const LaneColumns<L>& given, const StepRule& rule, LaneTargets<L>& found);

// Where one coordinate goes from x.
inline double choose_one(const Matrix& A, const Penalty& psi, const StepRule& rule, std::int64_t i,
                         double x, const SignedSums& sums, double total) {
  Choices<1> one;
  one.set(0, A, psi, i, x, sums, total);
  choose(one, rule);
  return one.target[0];
}

}  // namespace tauboost
