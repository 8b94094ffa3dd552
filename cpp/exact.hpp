// Exact coordinate minimisation in bundles: the default method.
//
// The sums of the weights over a column give the minimum along its coordinate (exact_rule.hpp).
// Columns are taken in bundles: every shard sums its rows, the sums (added in shard order) give all
// steps of the bundle, every shard applies them. If the objective rose, the steps are halved until
// it did not.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bundle.hpp"
#include "exact_rule.hpp"
#include "iterate.hpp"
#include "pulse.hpp"
#include "steps.hpp"
#include "team.hpp"
#include "weights.hpp"

namespace tauboost {

struct SweepOutcome {
  std::int64_t bundles = 0, undone = 0;
  double total = 0.0;      // exponential: w.sum(); logistic: 1
  double decrease = 0.0;   // of the objective, as the kernel saw it
  double predicted = 0.0;  // what it would have been had no two columns met in a row
  double longest = 0.0;    // max of |step_i| scale_i
  double edge = 0.0;       // max of violation_i / scale_i, each when its column was visited
};

// One bundle of columns after another, whoever holds the rows: the steps from the sums over the
// columns, the test of the objective, and what is kept of lam.
class BundleSteps {
 public:
  BundleSteps(const Matrix& A, const Penalty& psi, const StepRule& rule, double* lam, double total,
              double* gain, std::int64_t tau)
      : A_(A),
        psi_(psi),
        rule_(rule),
        lam_(lam),
        gain_(gain),
        total_(total),
        reference_(total),
        target_(tau),
        step_(tau),
        part_(tau),
        growth_(2 * tau),
        tally_(n_slices(tau)) {}

  static constexpr std::int64_t slice = 64;  // columns whose steps one thread computes at a time
  static std::int64_t n_slices(std::int64_t n) { return (n + slice - 1) / slice; }

  // The steps of one slice of a bundle, from the sums of its k-th column over all rows.
  template <typename Sums>
  void decide(const std::int32_t* bundle, std::int64_t n, std::int64_t part, Sums sums) {
    const std::int64_t end = std::min(n, (part + 1) * slice);
    Tally tally;
    for (std::int64_t k = part * slice; k < end; k += together) {
      const int size = static_cast<int>(std::min<std::int64_t>(together, end - k));
      Choices<together> block;
      for (int t = 0; t < size; ++t)
        block.set(t, A_, psi_, bundle[k + t], lam_[bundle[k + t]], sums(k + t), total_);
      for (int t = size; t < together; ++t) block.skip(t);
      choose(block, rule_);
      for (int t = 0; t < size; ++t) {
        const double up = block.growth[t];
        target_[k + t] = block.target[t];
        step_[k + t] = part_[k + t] = block.target[t] - block.x[t];
        growth_[2 * (k + t)] = -up / (1.0 + up);
        growth_[2 * (k + t) + 1] = up;
        gain_[bundle[k + t]] = block.gain[t];
        tally.add(block, t);
      }
    }
    tally_[part] = tally;
  }

  // The steps have been applied and changed w.sum() by the sum of these, one for each holder of
  // rows: keep them, unless the objective rose. What is kept is still to be committed.
  void judge(std::int64_t n, const std::vector<double>& changes) {
    Tally all;
    for (std::int64_t part = 0; part < n_slices(n); ++part) all.add(tally_[part]);
    const double rise = loss_change(changes) + all.cost;
    outcome_.bundles += 1;
    outcome_.predicted += all.gain;
    outcome_.edge = std::max(outcome_.edge, all.edge);
    fraction_ = 1.0;
    rose_ = !(rise <= 0.0);
    is_whole_ = !rose_;
    if (rose_)
      outcome_.undone += 1;
    else
      keep(rise, all.length, changes);
  }

  // Moves lam along one slice of the steps, if they were kept as they were decided.
  void commit(const std::int32_t* bundle, std::int64_t n, std::int64_t part) {
    if (!is_whole_) return;
    const std::int64_t end = std::min(n, (part + 1) * slice);
    for (std::int64_t k = part * slice; k < end; ++k)
      if (step_[k] != 0.0) lam_[bundle[k]] = target_[k];
  }

  // Another fraction of the steps, to be applied.
  void set_part(const std::int32_t* bundle, std::int64_t n, double fraction) {
    for (std::int64_t k = 0; k < n; ++k) {
      const double scale = A_.scale[bundle[k]];
      part_[k] = fraction * step_[k];
      growth_[2 * k] = expm1(-scale * part_[k]);
      growth_[2 * k + 1] = expm1(scale * part_[k]);
    }
  }

  // What fraction of the steps to try after the present one; after many halvings, none.
  double shorter() const { return fraction_ > smallest ? fraction_ / 2 : 0.0; }

  // The same judgement on a fraction of the steps, which lam moves along at once.
  void judge_shorter(const std::int32_t* bundle, std::int64_t n, double fraction,
                     const std::vector<double>& changes) {
    fraction_ = fraction;
    double cost = 0.0, length = 0.0;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t i = bundle[k];
      cost += psi_.change(i, lam_[i], lam_[i] + fraction * step_[k]);
      length = std::max(length, fraction * std::abs(step_[k]) * A_.scale[i]);
    }
    const double rise = loss_change(changes) + cost;
    rose_ = fraction > 0.0 && !(rise <= 0.0);
    if (rose_ || fraction == 0.0) return;
    keep(rise, length, changes);
    for (std::int64_t k = 0; k < n; ++k) lam_[bundle[k]] += fraction * step_[k];
  }

  bool rose() const { return rose_; }
  double fraction() const { return fraction_; }  // of the steps that are applied
  const std::vector<double>& step() const { return step_; }
  const std::vector<double>& part() const { return part_; }      // of the steps, as set last
  const std::vector<double>& growth() const { return growth_; }  // expm1(-+ scale_i part_i)
  const SweepOutcome& outcome() const { return outcome_; }
  double total() const { return total_; }

  // Whether total, kept by differences, has shrunk so far that their rounding errors show.
  bool is_worn() const { return !rule_.is_logistic && total_ < 1e-2 * reference_; }
  void renew(double total) { total_ = reference_ = total; }

 private:
  double loss_change(const std::vector<double>& changes) const {
    double change = 0.0;
    for (double part : changes) change += part;
    return rule_.is_logistic ? change : std::log1p(change / total_);
  }

  void keep(double rise, double length, const std::vector<double>& changes) {
    outcome_.decrease -= rise;
    outcome_.longest = std::max(outcome_.longest, length);
    if (rule_.is_logistic) return;
    for (double part : changes) total_ += part;
  }

  static constexpr double smallest = 1.0 / 1024;
  const Matrix& A_;
  const Penalty& psi_;
  const StepRule rule_;
  double* lam_;
  double* gain_;
  double total_, reference_, fraction_ = 1.0;
  bool rose_ = false, is_whole_ = false;
  SweepOutcome outcome_;
  std::vector<double> target_, step_, part_, growth_;
  std::vector<Tally> tally_;  // slice by slice
};

// exp(r) *= exp(A_S d) on the rows of a shard, with d a fraction of the steps of the columns S.
// Returns the change of w.sum().
template <typename Rows>
double move_along(const Matrix& A, const Shard& shard, const std::int32_t* columns, std::int64_t n,
                  const double* step, double fraction, const Rows& rows) {
  double change = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (step[k] == 0.0) continue;
    const double d = fraction * step[k];
    change += scatter(A.column(shard, columns[k]), d, expm1(A.scale[columns[k]] * d), rows);
  }
  return change;
}

// Calls work(rows) with the rows of a shard, as their loss has them changed.
template <typename Work>
double on_rows(const Shard& shard, const Iterate& at, Work work) {
  const std::int64_t first = shard.first_row;
  if (at.is_logistic()) return work(Logistic{at.w + first, at.E + first, at.c.from(first)});
  return work(Exclusive{at.w + first});
}

inline double move_shard(const Matrix& A, const Shard& shard, const Iterate& at,
                         const std::int32_t* columns, std::int64_t n, const double* step,
                         double fraction) {
  return on_rows(shard, at, [&](const auto& rows) {
    return move_along(A, shard, columns, n, step, fraction, rows);
  });
}

// The same on the rows of all shards, added in shard order.
inline double move_rows(const Matrix& A, const Iterate& at, const std::int32_t* columns,
                        std::int64_t n, const double* step, double fraction, int n_threads) {
  const auto n_shards = static_cast<std::int64_t>(A.shards.size());
  std::vector<double> changes(n_shards);
  Team(n_threads).share(n_shards, [&](std::int64_t s) {
    changes[s] = move_shard(A, A.shards[s], at, columns, n, step, fraction);
  });
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
        steps_(A, psi, {at.is_logistic()}, at.lam, at.total, gain, tau),
        pairs_(2 * tau * A.shards.size()),
        squares_(A.n_valued > 0 ? tau * A.shards.size() : 0),
        change_(A.shards.size()) {
    for (const Shard& shard : A.shards)
      parts_.emplace_back(A, shard, at.w + shard.first_row, !at.is_logistic());
  }

  SweepOutcome run(int n_threads, Pulse& pulse) {
    const auto n_shards = static_cast<std::int64_t>(A_.shards.size());
    const std::int64_t work = tau_ * (A_.nnz / A_.n + 16);
    Team team(n_threads);
    const std::int32_t* last = columns_;
    std::int64_t n_last = 0;
    const auto commit = [&](std::int64_t first, std::int64_t stride) {  // of the last bundle
      for (std::int64_t part = first; part < BundleSteps::n_slices(n_last); part += stride)
        steps_.commit(last, n_last, part);
    };
    for (std::int64_t begin = 0; begin < n_columns_ && !pulse.stopped(); begin += tau_) {
      const std::int64_t n = std::min(tau_, n_columns_ - begin);
      const std::int32_t* const bundle = columns_ + begin;
      // The sums do not look at lam, so it may move while they are taken, if that is worth a claim.
      const std::int64_t n_committers = BundleSteps::n_slices(n_last) < 8 ? 0 : team.size();
      if (n_committers == 0) commit(0, 1);
      team.share(n_shards + n_committers, [&](std::int64_t k) {
        if (k < n_shards)
          measure(k, bundle, n);
        else
          commit(k - n_shards, n_committers);
      });
      team.share(BundleSteps::n_slices(n), [&](std::int64_t part) { decide(bundle, n, part); });
      team.share(n_shards, [&](std::int64_t s) { move(s, bundle); });
      steps_.judge(n, change_);
      renew();
      pulse.beat(work);
      while (steps_.rose()) retreat(team, bundle, n);
      last = bundle;
      n_last = n;
    }
    commit(0, 1);
    team.share(n_shards, [&](std::int64_t s) {
      if (parts_[s].is_behind()) parts_[s].recount();
    });
    SweepOutcome outcome = steps_.outcome();
    outcome.total = steps_.total();
    return outcome;
  }

 private:
  void measure(std::int64_t s, const std::int32_t* bundle, std::int64_t n) {
    parts_[s].measure(bundle, n, pairs_.data() + 2 * s * tau_,
                      squares_.data() + (squares_.empty() ? 0 : s * tau_));
  }

  void decide(const std::int32_t* bundle, std::int64_t n, std::int64_t part) {
    steps_.decide(bundle, n, part, [&](std::int64_t k) {
      SignedSums sums;
      const bool is_valued = A_.is_valued(bundle[k]);
      for (std::size_t s = 0; s < A_.shards.size(); ++s) {
        const double* pair = pairs_.data() + 2 * (s * tau_ + k);
        sums += {pair[0], pair[1], is_valued ? squares_[s * tau_ + k] : 0.0};
      }
      const double scale = is_valued ? 1.0 : A_.scale[bundle[k]];
      return SignedSums{scale * sums.neg, scale * sums.pos, sums.square};
    });
  }

  void move(std::int64_t s, const std::int32_t* bundle) {
    change_[s] = on_rows(A_.shards[s], at_, [&](const auto& rows) {
      return parts_[s].move(bundle, steps_.part().data(), steps_.growth().data(), rows);
    });
  }

  void renew() {
    if (!steps_.is_worn()) return;
    double total = 0.0;
    for (ShardBundle& part : parts_) total += part.recount();
    steps_.renew(total);
  }

  // Takes back what is applied and applies half of it; after many halvings, nothing.
  void retreat(Team& team, const std::int32_t* bundle, std::int64_t n) {
    const auto n_shards = static_cast<std::int64_t>(A_.shards.size());
    const double now = steps_.fraction(), next = steps_.shorter();
    for (const double fraction : {-now, next}) {
      steps_.set_part(bundle, n, fraction);
      team.share(n_shards, [&](std::int64_t s) { move(s, bundle); });
    }
    steps_.judge_shorter(bundle, n, next, change_);
    renew();
  }

  const Matrix& A_;
  const Iterate at_;
  const std::int32_t* columns_;
  const std::int64_t n_columns_, tau_;
  BundleSteps steps_;
  std::vector<ShardBundle> parts_;
  std::vector<double> pairs_, squares_;  // sums over the columns of the bundle, shard by shard
  std::vector<double> change_;
};

}  // namespace tauboost
