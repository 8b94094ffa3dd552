#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/driver.hpp"
#include "kernels/rule.hpp"

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
        tally.add({block.gain[t], block.edge[t], block.cost[t], block.length[t], block.length[t]});
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

}  // namespace tauboost
