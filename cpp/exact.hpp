// Exact coordinate minimisation in bundles: the default method.
//
// Along coordinate i the loss is a function of three sums over the rows. With P and N the weights
// of the rows where A_ji = +a and -a, and R the rest of the total,
//
//     exponential:  log(R + P u + N / u) - log(total),     u = exp(a d)
//     logistic:     P (u - 1) + N (1 / u - 1)              (an upper bound, equal at d = 0)
//
// so its minimiser with any separable psi costs no further look at the data. Columns are taken in
// bundles: every shard sums its rows, the sums (added in shard order) give all steps of the bundle,
// every shard applies them. If the objective rose, the steps are halved until it did not.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "iterate.hpp"
#include "pulse.hpp"
#include "steps.hpp"
#include "team.hpp"
#include "weights.hpp"

namespace tauboost {

// The loss along one coordinate, or for columns with other values than +-a a bound on it
// (Schapire and Singer), as slope(d) = a (P u - N / u) / (rest + k (P u + N / u)), k 0 or 1.
struct Curve {
  double a, P, N, rest, k;

  double slope(double d) const {
    if (d == 0.0) return a * (P - N) / (rest + k * (P + N));
    const double u = std::exp(std::clamp(a * d, -300.0, 300.0)), up = P * u, down = N / u;
    return a * (up - down) / (rest + k * (up + down));
  }

  // Where slope(d) + tilt = 0, for |tilt| < a: a quadratic in u.
  double root(double tilt) const {
    const double A = (a + k * tilt) * P, B = tilt * rest, C = (a - k * tilt) * N;
    const double discriminant = std::sqrt(B * B + 4.0 * A * C);
    // The form of the positive root that does not cancel.
    const double u = B > 0.0 ? 2.0 * C / (B + discriminant) : (discriminant - B) / (2.0 * A);
    return std::log(u) / a;
  }

  // Where slope(d) + tilt + l2 (x + d) = 0, by Newton's method. A short first step, corrected for
  // the change of curvature on its way, needs no second; otherwise the start is 0 or the root
  // without l2, whichever is nearer.
  double root(double tilt, double l2, double x) const {
    const double s = a * (P - N) / (rest + k * (P + N));
    const double curvature = a * a * (P + N) / (rest + k * (P + N)) - k * s * s + l2;
    const double first = -(s + tilt + l2 * x) / curvature;
    if (std::abs(first) * a < 0.2) return first * (1.0 - 0.5 * first * a * a * s / curvature);
    const double reach = longest_move / a;
    double d = std::abs(tilt) < a ? std::clamp(root(tilt), -reach, reach) : 0.0;
    if (!(std::abs(l2 * (x + d)) < std::abs(s + tilt + l2 * x))) d = 0.0;
    for (int round = 0; round < 20; ++round) {
      const double step = newton_step(d, tilt, l2, x);
      d = std::clamp(d - step, -reach, reach);
      if (std::abs(step) * a < 0.02) break;
    }
    return d;
  }

 private:
  double newton_step(double d, double tilt, double l2, double x) const {
    const double u = std::exp(a * d), up = P * u, down = N / u, D = rest + k * (up + down);
    const double s = a * (up - down) / D;
    const double curvature = a * a * (up + down) / D - k * s * s + l2;
    return std::clamp((s + tilt + l2 * (x + d)) / curvature, -2.0 / a, 2.0 / a);
  }
};

// The minimiser of the curve plus psi_i, as a new place for coordinate i.
inline double exact_target(const Curve& curve, const Penalty& psi, std::int64_t i, double x) {
  const bool is_free = i >= psi.n_penalised;
  const double l1 = is_free ? 0.0 : psi.l1, l2 = is_free ? 0.0 : psi.l2;
  const double reach = longest_move / curve.a;
  const auto solve = [&](double tilt) {
    if (l2 > 0.0) return curve.root(tilt, l2, x);
    return std::clamp(curve.root(tilt), -reach, reach);
  };
  double target;
  if (l1 == 0.0) {
    target = x + solve(0.0);
  } else {
    const double slope = curve.slope(-x);  // where lam_i would be 0
    if (std::abs(slope) <= l1) {
      target = std::abs(x) <= reach ? 0.0 : x - std::copysign(reach, x);
    } else {
      target = x + solve(slope < 0.0 ? l1 : -l1);
    }
  }
  return is_free ? target : psi.clip(i, target);
}

// The exact step of a coordinate from the sums over its column.
struct ExactRule {
  const Matrix& A;
  const Penalty& psi;
  bool is_logistic;

  double operator()(std::int64_t i, double x, const SignedSums& sums, double total) const {
    const double a = A.scale[i];
    if (a == 0.0) return x;
    // A little weight on both sides keeps columns of one class from running to infinity.
    const double least = 1e-14 * total;
    const double P = sums.pos / a + least, N = sums.neg / a + least;
    const double rest = is_logistic ? 1.0 : std::max(total - P - N, 0.0);
    const double bound = exact_target({a, P, N, rest, is_logistic ? 0.0 : 1.0}, psi, i, x);
    if (!A.is_valued(i)) return bound;
    const double newton = newton_target(i, x, sums, total, a);
    return std::abs(newton - x) > std::abs(bound - x) ? newton : bound;
  }

 private:
  // Where values vary, the bound with a = max |A_ji| is short. Newton's step is not, but can only
  // be trusted so far.
  double newton_target(std::int64_t i, double x, const SignedSums& sums, double total,
                       double a) const {
    const double slope = (sums.pos - sums.neg) / total;
    double curvature = sums.square / total;
    if (!is_logistic) curvature = std::max(curvature - slope * slope, 0.1 * curvature);
    if (!(curvature > 0.0)) return x;
    const double target = psi.prox(i, x - slope / curvature, curvature);
    return std::clamp(target, x - 1.0 / a, x + 1.0 / a);
  }
};

struct SweepOutcome {
  std::int64_t bundles = 0, undone = 0;
  double total = 0.0;      // exponential: w.sum(); logistic: 1
  double decrease = 0.0;   // of the objective, as the kernel saw it
  double predicted = 0.0;  // what it would have been had no two columns met in a row
  double longest = 0.0;    // max of |step_i| scale_i
  double edge = 0.0;       // max of violation_i / scale_i, each when its column was visited
};

// One bundle of columns after another, whoever holds the rows: the steps from the sums over the
// columns, the test of the objective, and what is kept of lam. Rule(i, x, sums, total) is the new
// place of a coordinate.
template <typename Rule>
class BundleSteps {
 public:
  BundleSteps(const Matrix& A, const Penalty& psi, const Rule& rule, bool is_logistic, double* lam,
              double total, double* gain, std::int64_t tau)
      : A_(A),
        psi_(psi),
        rule_(rule),
        is_logistic_(is_logistic),
        lam_(lam),
        gain_(gain),
        total_(total),
        reference_(total),
        target_(tau),
        step_(tau),
        up_(tau),
        violation_(tau) {}

  // The step of the k-th column of a bundle, from the sums over all rows.
  void decide(const std::int32_t* bundle, std::int64_t k, const SignedSums& sums) {
    const std::int64_t i = bundle[k];
    const double x = lam_[i];
    target_[k] = rule_(i, x, sums, total_);
    step_[k] = target_[k] - x;
    up_[k] = step_[k] == 0.0 ? 0.0 : expm1(A_.scale[i] * step_[k]);
    violation_[k] = psi_.violation(i, x, (sums.pos - sums.neg) / total_);
    gain_[i] = 0.5 * std::abs(step_[k]) * violation_[k];
  }

  // The steps have been applied and changed w.sum() by the sum of these, one for each holder of
  // rows: keep them, unless the objective rose.
  void judge(const std::int32_t* bundle, std::int64_t n, const std::vector<double>& changes) {
    const double rise = this->rise(bundle, n, 1.0, changes);
    outcome_.bundles += 1;
    fraction_ = 1.0;
    for (std::int64_t k = 0; k < n; ++k) {
      outcome_.predicted += gain_[bundle[k]];
      if (violation_[k] > outcome_.edge * A_.scale[bundle[k]])
        outcome_.edge = violation_[k] / A_.scale[bundle[k]];
    }
    rose_ = !(rise <= 0.0);
    if (rose_)
      outcome_.undone += 1;
    else
      keep(bundle, n, 1.0, rise, changes);
  }

  // What fraction of the steps to try after the present one; after many halvings, none.
  double shorter() const { return fraction_ > smallest ? fraction_ / 2 : 0.0; }

  // The same judgement on a fraction of the steps.
  void judge_shorter(const std::int32_t* bundle, std::int64_t n, double fraction,
                     const std::vector<double>& changes) {
    fraction_ = fraction;
    const double rise = this->rise(bundle, n, fraction, changes);
    rose_ = fraction > 0.0 && !(rise <= 0.0);
    if (!rose_ && fraction > 0.0) keep(bundle, n, fraction, rise, changes);
  }

  bool rose() const { return rose_; }
  double fraction() const { return fraction_; }  // of the steps that are applied
  const std::vector<double>& step() const { return step_; }
  const std::vector<double>& up() const { return up_; }  // expm1(scale_i step_i)
  const SweepOutcome& outcome() const { return outcome_; }
  double total() const { return total_; }

  // Whether total, kept by differences, has shrunk so far that their rounding errors show.
  bool is_worn() const { return !is_logistic_ && total_ < 1e-2 * reference_; }
  void renew(double total) { total_ = reference_ = total; }

 private:
  // Change of the objective if the bundle's steps, at the fraction now applied, are kept.
  double rise(const std::int32_t* bundle, std::int64_t n, double fraction,
              const std::vector<double>& changes) const {
    double change = 0.0, penalty = 0.0;
    for (double part : changes) change += part;
    for (std::int64_t k = 0; k < n; ++k)
      penalty += psi_.change(bundle[k], lam_[bundle[k]], place(k, bundle[k], fraction));
    return (is_logistic_ ? change : std::log1p(change / total_)) + penalty;
  }

  double place(std::int64_t k, std::int64_t i, double fraction) const {
    return fraction == 1.0 ? target_[k] : lam_[i] + fraction * step_[k];
  }

  void keep(const std::int32_t* bundle, std::int64_t n, double fraction, double rise,
            const std::vector<double>& changes) {
    outcome_.decrease -= rise;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t i = bundle[k];
      if (step_[k] == 0.0) continue;
      lam_[i] = place(k, i, fraction);
      const double moved = fraction * std::abs(step_[k]) * A_.scale[i];
      outcome_.longest = std::max(outcome_.longest, moved);
    }
    if (is_logistic_) return;
    for (double part : changes) total_ += part;
  }

  static constexpr double smallest = 1.0 / 1024;
  const Matrix& A_;
  const Penalty& psi_;
  const Rule rule_;
  const bool is_logistic_;
  double* lam_;
  double* gain_;
  double total_, reference_, fraction_ = 1.0;
  bool rose_ = false;
  SweepOutcome outcome_;
  std::vector<double> target_, step_, up_, violation_;
};

// exp(r) *= exp(A_S d) on the rows of a shard, with d a fraction of the steps of the columns S;
// `up` as in BundleSteps, or null. Returns the change of w.sum().
template <typename Rows>
double move_along(const Matrix& A, const Shard& shard, const std::int32_t* columns, std::int64_t n,
                  const double* step, const double* up, double fraction, const Rows& rows) {
  double change = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (step[k] == 0.0) continue;
    const double d = fraction * step[k];
    const double grown = fraction == 1.0 && up != nullptr ? up[k] : expm1(A.scale[columns[k]] * d);
    change += scatter(A.column(shard, columns[k]), d, grown, rows);
  }
  return change;
}

inline double move_shard(const Matrix& A, const Shard& shard, const Iterate& at,
                         const std::int32_t* columns, std::int64_t n, const double* step,
                         const double* up, double fraction) {
  const std::int64_t first = shard.first_row;
  if (at.is_logistic())
    return move_along(A, shard, columns, n, step, up, fraction,
                      Logistic{at.w + first, at.E + first, at.c.from(first)});
  return move_along(A, shard, columns, n, step, up, fraction, Exclusive{at.w + first});
}

// The same on the rows of all shards, added in shard order.
inline double move_rows(const Matrix& A, const Iterate& at, const std::int32_t* columns,
                        std::int64_t n, const double* step, double fraction, int n_threads) {
  const auto n_shards = static_cast<std::int64_t>(A.shards.size());
  std::vector<double> changes(n_shards);
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
  for (std::int64_t s = 0; s < n_shards; ++s)
    changes[s] = move_shard(A, A.shards[s], at, columns, n, step, nullptr, fraction);
  double change = 0.0;
  for (double part : changes) change += part;
  return change;
}

class ExactSweep {
 public:
  ExactSweep(const Matrix& A, const Iterate& at, const Penalty& psi, const std::int32_t* columns,
             std::int64_t n_columns, std::int64_t tau, double* gain)
      : A_(A),
        at_(at),
        columns_(columns),
        n_columns_(n_columns),
        tau_(tau),
        steps_(A, psi, {A, psi, at.is_logistic()}, at.is_logistic(), at.lam, at.total, gain, tau),
        sums_(tau * A.shards.size()),
        change_(A.shards.size()) {}

  SweepOutcome run(int n_threads, Pulse& pulse) {
    const auto n_shards = static_cast<std::int64_t>(A_.shards.size());
    const std::int64_t work = tau_ * (A_.nnz / A_.n + 16);
    constexpr std::int64_t slice = 64;  // columns whose steps one thread computes at a time
    Team::run(n_threads, [&](Team& team, int rank) {
      for (std::int64_t begin = 0; begin < n_columns_; begin += tau_) {
        if (pulse.stopped()) break;
        const std::int64_t n = std::min(tau_, n_columns_ - begin);
        const std::int32_t* bundle = columns_ + begin;
        team.share(rank, n_shards, [&](std::int64_t s) { measure(s, bundle, n); });
        team.share(rank, (n + slice - 1) / slice, [&](std::int64_t part) {
          decide(bundle, part * slice, std::min(n, (part + 1) * slice));
        });
        team.share(rank, n_shards, [&](std::int64_t s) { change_[s] = move(s, bundle, n, 1.0); });
        team.leader(rank, [&] {
          steps_.judge(bundle, n, change_);
          renew();
          pulse.beat(work);
        });
        while (steps_.rose()) retreat(team, rank, n_shards, bundle, n);
      }
    });
    SweepOutcome outcome = steps_.outcome();
    outcome.total = steps_.total();
    return outcome;
  }

 private:
  void measure(std::int64_t s, const std::int32_t* bundle, std::int64_t n) {
    const Shard& shard = A_.shards[s];
    SignedSums* sums = sums_.data() + s * tau_;
    for (std::int64_t k = 0; k < n; ++k)
      sums[k] = gather<Exclusive>(A_.column(shard, bundle[k]), at_.w + shard.first_row);
  }

  void decide(const std::int32_t* bundle, std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      SignedSums sums;
      for (std::size_t s = 0; s < A_.shards.size(); ++s) sums += sums_[s * tau_ + k];
      steps_.decide(bundle, k, sums);
    }
  }

  double move(std::int64_t s, const std::int32_t* bundle, std::int64_t n, double fraction) {
    return move_shard(A_, A_.shards[s], at_, bundle, n, steps_.step().data(), steps_.up().data(),
                      fraction);
  }

  void renew() {
    if (steps_.is_worn()) steps_.renew(total(A_, at_.w));
  }

  // Takes back what is applied and applies half of it; after many halvings, nothing.
  void retreat(Team& team, int rank, std::int64_t n_shards, const std::int32_t* bundle,
               std::int64_t n) {
    const double now = steps_.fraction(), next = steps_.shorter();
    team.share(rank, n_shards, [&](std::int64_t s) {
      move(s, bundle, n, -now);
      change_[s] = next > 0.0 ? move(s, bundle, n, next) : 0.0;
    });
    team.leader(rank, [&] {
      steps_.judge_shorter(bundle, n, next, change_);
      renew();
    });
  }

  const Matrix& A_;
  const Iterate at_;
  const std::int32_t* columns_;
  const std::int64_t n_columns_, tau_;
  BundleSteps<ExactRule> steps_;
  std::vector<SignedSums> sums_;
  std::vector<double> change_;
};

}  // namespace tauboost
