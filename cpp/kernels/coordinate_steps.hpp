// Steps of single coordinates, each from the sums over its column (rule.hpp), in L lanes.
//
// Coordinate l of the k-th column of a block is number k L + l. Growth is how the rows want to be
// told what a step does to a weight: expm1 of the move of a residual.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/concepts.hpp"
#include "kernels/rule.hpp"

namespace tauboost {

// expm1(a d) of each coordinate.
struct UpGrowth {
  static constexpr int width = 1;
  static void set(double* at, double up) { at[0] = up; }
  static void set_along(double* at, double x) { at[0] = std::expm1(x); }
};

// expm1(-a d) and expm1(a d) of each coordinate, next to each other.
struct BothGrowths {
  static constexpr int width = 2;
  static void set(double* at, double up) {
    at[0] = -up / (1.0 + up);
    at[1] = up;
  }
  static void set_along(double* at, double x) {
    at[0] = std::expm1(-x);
    at[1] = std::expm1(x);
  }
};

// `slice`: columns whose steps one thread computes at a time.
template <int L, typename Growth, std::int64_t slice>
class CoordinateSteps {
 public:
  // `gain`, unless it is null, is told what the step of each coordinate promised.
  CoordinateSteps(const Matrix& A, const std::array<Penalty, L>& psi, const StepRule& rule,
                  double* lam, double* gain, std::int64_t tau)
      : A_(A),
        psi_(psi),
        rule_(rule),
        lam_(lam),
        gain_(gain),
        target_(tau * L),
        step_(tau * L),
        part_(tau * L),
        growth_(tau * L * Growth::width),
        tally_(n_slices(tau)) {}

  static std::int64_t n_slices(std::int64_t n) { return (n + slice - 1) / slice; }

  template <typename Rows>
  void decide(const Block& now, std::int64_t number, const Rows& rows,
              const std::array<double, L>& total) {
    const std::int64_t first = L * number * slice, end = L * std::min(now.n, (number + 1) * slice);
    // Added up here and written once: neighbours are other threads'.
    std::array<Tally, L> tally{};
    if (rule_.beta > 0.0)
      decide_by_beta(now, first, end, rows, total, tally);
    else if constexpr (L >= 4)
      decide_in_lanes(now, number, rows, total, tally);
    else
      decide_exactly(now, first, end, rows, total, tally);
    tally_[number].lanes = tally;
  }

  Tally tally(std::int64_t n, int l) const {
    Tally all;
    for (std::int64_t number = 0; number < n_slices(n); ++number) all.add(tally_[number].lanes[l]);
    return all;
  }

  Tally tally(const Block& now, int l, double fraction) const {
    Tally all;
    for (std::int64_t k = 0; k < now.n; ++k) {
      const std::int64_t i = now.columns[k];
      const double x = lam_[i * L + l], step = fraction * step_[k * L + l];
      const double length = std::abs(step) * A_.scale[i];
      all.add({0.0, 0.0, psi_[l].of(i).change(x, x + step), length, length});
    }
    return all;
  }

  // Steps of the paper are taken or not; others are halved, until they are hardly any.
  double shorter(double fraction) const {
    constexpr double smallest = 1.0 / 1024;  // what is left promises a thousandth
    return rule_.beta > 0.0 || fraction <= smallest ? 0.0 : fraction / 2;
  }

  void set_part(const Block& now, const std::array<double, L>& fraction) {
    for (std::int64_t k = 0; k < now.n; ++k)
      for (int l = 0; l < L; ++l) {
        const std::int64_t t = k * L + l;
        part_[t] = fraction[l] * step_[t];
        Growth::set_along(&growth_[t * Growth::width], A_.scale[now.columns[k]] * part_[t]);
      }
  }

  // Moves lam along one slice of the steps, in the lanes that kept them as they were decided.
  void commit(const Block& last, std::int64_t number, const std::array<bool, L>& is_whole) {
    const std::int64_t end = std::min(last.n, (number + 1) * slice);
    for (std::int64_t k = number * slice; k < end; ++k)
      for (int l = 0; l < L; ++l)
        if (is_whole[l] && step_[k * L + l] != 0.0)
          lam_[last.columns[k] * L + l] = target_[k * L + l];
  }

  void keep_part(const Block& now, int l, double fraction) {
    for (std::int64_t k = 0; k < now.n; ++k)
      lam_[now.columns[k] * L + l] += fraction * step_[k * L + l];
  }

  // The steps that a move is about, and what they do to the weights.
  const double* moving(const Move<L>& wanted) const {
    return wanted.is_part ? part_.data() : step_.data();
  }
  const double* growth() const { return growth_.data(); }

 private:
  template <typename Rows>
  void decide_exactly(const Block& now, std::int64_t begin, std::int64_t end, const Rows& rows,
                      const std::array<double, L>& total, std::array<Tally, L>& tally) {
    for (std::int64_t first = begin; first < end; first += together) {
      const int size = static_cast<int>(std::min<std::int64_t>(together, end - first));
      Choices<together> choices;
      for (int t = 0; t < size; ++t) {
        const std::int64_t k = (first + t) / L, i = now.columns[k];
        const int l = static_cast<int>((first + t) % L);
        choices.set(t, A_, psi_[l], i, lam_[i * L + l], rows.sums(now, k, l), total[l]);
      }
      for (int t = size; t < together; ++t) choices.skip(t);
      choose(choices, rule_);
      for (int t = 0; t < size; ++t) {
        target_[first + t] = choices.target[t];
        step_[first + t] = choices.target[t] - choices.x[t];
        Growth::set(&growth_[(first + t) * Growth::width], choices.growth[t]);
        if (gain_ != nullptr) gain_[now.columns[(first + t) / L]] = choices.gain[t];
        tally[(first + t) % L].add({choices.gain[t], choices.edge[t], choices.cost[t],
                                    choices.length[t], choices.length[t]});
      }
    }
  }

  // The exact steps of all lanes of a column at once; rows must have sums in lanes.
  template <typename Rows>
  void decide_in_lanes(const Block& now, std::int64_t number, const Rows& rows,
                       const std::array<double, L>& total, std::array<Tally, L>& tally) {
    const std::int64_t first = number * slice, n = std::min(slice, now.n - first);
    std::array<LaneSums<L>, slice> sums;
    for (std::int64_t k = 0; k < n; ++k) sums[k] = rows.sums(first + k);
    std::array<double, L> l1, l2;
    for (int l = 0; l < L; ++l) {
      l1[l] = psi_[l].l1;
      l2[l] = psi_[l].l2;
    }
    LaneTargets<L> found = {&target_[first * L], &step_[first * L], &growth_[first * L]};
    choose_lanes<L>({A_, now.columns + first, n, sums.data(), lam_, total.data(), l1.data(),
                     l2.data(), psi_[0].n_penalised, psi_[0].l1_factors, psi_[0].l2_factors},
                    rule_, found);
    for (int l = 0; l < L; ++l)
      tally[l] = {found.gain[l], found.edge[l], found.cost[l], found.length[l], found.travel[l]};
  }

  // The paper's step, one by one: blocks are small, and no sum over data is as cheap as this.
  template <typename Rows>
  void decide_by_beta(const Block& now, std::int64_t begin, std::int64_t end, const Rows& rows,
                      const std::array<double, L>& total, std::array<Tally, L>& tally) {
    for (std::int64_t t = begin; t < end; ++t) {
      const std::int64_t k = t / L, i = now.columns[k];
      const int l = static_cast<int>(t % L);
      const SignedSums sums = rows.sums(now, k, l);
      const double x = lam_[i * L + l], slope = (sums.pos - sums.neg) / total[l];
      target_[t] = proximal_step(psi_[l], i, x, slope, rule_.beta, A_.scale[i]);
      step_[t] = target_[t] - x;
      Growth::set_along(&growth_[t * Growth::width], A_.scale[i] * step_[t]);
      const double length = std::abs(step_[t]) * A_.scale[i];
      tally[l].add({0.0, 0.0, psi_[l].of(i).change(x, target_[t]), length, length});
    }
  }

  const Matrix& A_;
  const std::array<Penalty, L> psi_;
  const StepRule rule_;
  double* lam_;
  double* gain_;
  std::vector<double> target_, step_, part_, growth_;
  struct alignas(128) SliceTally {
    std::array<Tally, L> lanes;
  };
  std::vector<SliceTally> tally_;
};

}  // namespace tauboost
