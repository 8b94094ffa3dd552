// Exact coordinate minimisation of several problems on one matrix at once: exact.hpp, in lanes.
//
// Bundles, steps and the test that undoes a rise are those of exact.hpp, with one psi, one total
// and one verdict for each lane. Shards are summed in order: the bits do not depend on the threads,
// nor on the instructions the machine has.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "exact.hpp"
#include "lane_rows.hpp"

namespace tauboost {

template <int L>
struct LaneOutcome {
  std::int64_t bundles = 0;
  std::array<std::int64_t, L> undone{};
  std::array<double, L> total{}, decrease{}, predicted{}, longest{}, edge{};
};

template <int L>
struct LaneState {
  LaneRows rows;
  double* lam;  // n x L
  std::array<double, L> total;
  std::array<Penalty, L> psi;
};

template <int L, bool Signed, bool IsLogistic>
class LaneSweep {
 public:
  LaneSweep(const Matrix& A, const LaneState<L>& at, const std::int32_t* columns,
            std::int64_t n_columns, std::int64_t tau)
      : A_(A),
        at_(at),
        reference_(at.total),
        columns_(columns),
        n_columns_(n_columns),
        tau_(tau),
        target_(tau * L),
        step_(tau * L),
        part_(tau * L),
        up_(tau * L),
        tally_(n_slices(tau)),
        sums_(tau * A.shards.size()),
        change_(A.shards.size()) {}

  LaneOutcome<L> run(int n_threads, Pulse& pulse) {
    const auto n_shards = static_cast<std::int64_t>(A_.shards.size());
    const std::int64_t work = L * tau_ * (A_.nnz / A_.n + 16);
    Team team(n_threads);
    const std::int32_t* last = columns_;
    std::int64_t n_last = 0;
    const auto commit = [&](std::int64_t first, std::int64_t stride) {  // of the last bundle
      for (std::int64_t part = first; part < n_slices(n_last); part += stride)
        this->commit(last, n_last, part);
    };
    for (std::int64_t begin = 0; begin < n_columns_ && !pulse.stopped(); begin += tau_) {
      const std::int64_t n = std::min(tau_, n_columns_ - begin);
      const std::int32_t* const bundle = columns_ + begin;
      // The sums do not look at lam, so it may move while they are taken, if that is worth a claim.
      const std::int64_t n_committers = n_slices(n_last) < 8 ? 0 : team.size();
      if (n_committers == 0) commit(0, 1);
      team.share(n_shards + n_committers, [&](std::int64_t k) {
        if (k < n_shards)
          measure(k, bundle, n);
        else
          commit(k - n_shards, n_committers);
      });
      team.share(n_slices(n), [&](std::int64_t part) { decide(bundle, n, part); });
      team.share(n_shards, [&](std::int64_t s) { move(s, bundle, n, step_); });
      judge(n);
      pulse.beat(work);
      while (rose_) retreat(team, bundle, n);
      last = bundle;
      n_last = n;
    }
    commit(0, 1);
    outcome_.total = at_.total;
    return outcome_;
  }

 private:
  using Lanes = std::array<double, L>;

  void measure(std::int64_t s, const std::int32_t* bundle, std::int64_t n) {
    tauboost::measure<L, Signed>({A_, A_.shards[s], bundle, n},
                                 at_.rows.w + L * A_.shards[s].first_row, sums_.data() + s * tau_);
  }

  void move(std::int64_t s, const std::int32_t* bundle, std::int64_t n,
            const std::vector<double>& step) {
    const std::int64_t first = L * A_.shards[s].first_row;
    const LaneRows rows = {at_.rows.w + first, IsLogistic ? at_.rows.E + first : nullptr};
    tauboost::move<L, Signed, IsLogistic>({A_, A_.shards[s], bundle, n}, step.data(), up_.data(),
                                          rows, change_[s].data());
  }

  static constexpr std::int64_t slice = 16;  // columns whose steps one thread computes at a time
  static std::int64_t n_slices(std::int64_t n) { return (n + slice - 1) / slice; }

  // The steps of one slice of a bundle; coordinate l of the k-th column is number k L + l.
  void decide(const std::int32_t* bundle, std::int64_t n, std::int64_t part) {
    const std::int64_t end = L * std::min(n, (part + 1) * slice);
    std::array<Tally, L> tally{};
    for (std::int64_t first = L * part * slice; first < end; first += together) {
      const int size = static_cast<int>(std::min<std::int64_t>(together, end - first));
      Choices<together> block;
      for (int t = 0; t < size; ++t) {
        const std::int64_t k = (first + t) / L, i = bundle[k];
        const int l = static_cast<int>((first + t) % L);
        block.set(t, A_, at_.psi[l], i, at_.lam[i * L + l], sums(k, l), at_.total[l]);
      }
      for (int t = size; t < together; ++t) block.skip(t);
      choose(block, {IsLogistic});
      for (int t = 0; t < size; ++t) {
        target_[first + t] = block.target[t];
        step_[first + t] = block.target[t] - block.x[t];
        up_[first + t] = block.growth[t];
        tally[(first + t) % L].add(block, t);
      }
    }
    tally_[part] = tally;
  }

  SignedSums sums(std::int64_t k, int l) const {
    SignedSums sums;
    for (std::size_t s = 0; s < A_.shards.size(); ++s) {
      const LaneSums<L>& part = sums_[s * tau_ + k];
      sums += {part.neg[l], part.pos[l], part.square[l]};
    }
    return sums;
  }

  double loss_change(int l) const {
    double change = 0.0;
    for (const Lanes& part : change_) change += part[l];
    return IsLogistic ? change : std::log1p(change / at_.total[l]);
  }

  void judge(std::int64_t n) {
    std::array<Tally, L> all{};
    for (std::int64_t part = 0; part < n_slices(n); ++part)
      for (int l = 0; l < L; ++l) all[l].add(tally_[part][l]);
    outcome_.bundles += 1;
    rose_ = false;
    for (int l = 0; l < L; ++l) {
      outcome_.predicted[l] += all[l].gain;
      outcome_.edge[l] = std::max(outcome_.edge[l], all[l].edge);
      const double rise = loss_change(l) + all[l].cost;
      fraction_[l] = 1.0;
      pending_[l] = !(rise <= 0.0);
      is_whole_[l] = !pending_[l];
      if (pending_[l]) {
        outcome_.undone[l] += 1;
        rose_ = true;
      } else {
        keep(l, rise, all[l].length);
      }
    }
  }

  // Moves lam along one slice of the steps, in the lanes that kept them as they were decided.
  void commit(const std::int32_t* bundle, std::int64_t n, std::int64_t part) {
    const std::int64_t end = std::min(n, (part + 1) * slice);
    for (std::int64_t k = part * slice; k < end; ++k)
      for (int l = 0; l < L; ++l)
        if (is_whole_[l]) at_.lam[bundle[k] * L + l] = target_[k * L + l];
  }

  // The same judgement on the fraction of a lane's steps that is applied now.
  void judge_shorter(const std::int32_t* bundle, std::int64_t n, int l) {
    double cost = 0.0, length = 0.0;
    for (std::int64_t k = 0; k < n; ++k) {
      const double x = at_.lam[bundle[k] * L + l], step = fraction_[l] * step_[k * L + l];
      cost += at_.psi[l].change(bundle[k], x, x + step);
      length = std::max(length, std::abs(step) * A_.scale[bundle[k]]);
    }
    const double rise = loss_change(l) + cost;
    pending_[l] = fraction_[l] > 0.0 && !(rise <= 0.0);
    if (pending_[l] || fraction_[l] == 0.0) return;
    keep(l, rise, length);
    for (std::int64_t k = 0; k < n; ++k)
      at_.lam[bundle[k] * L + l] += fraction_[l] * step_[k * L + l];
  }

  void keep(int l, double rise, double length) {
    outcome_.decrease[l] -= rise;
    outcome_.longest[l] = std::max(outcome_.longest[l], length);
    if (IsLogistic) return;
    for (const Lanes& part : change_) at_.total[l] += part[l];
    if (at_.total[l] < 1e-2 * reference_[l]) at_.total[l] = reference_[l] = sum_of_weights(l);
  }

  double sum_of_weights(int l) const {
    return fixed_sum(0, A_.m, [&](std::int64_t j) { return std::abs(at_.rows.w[j * L + l]); });
  }

  // In the lanes that rose, takes back what is applied and applies half of it; after many halvings,
  // nothing.
  void retreat(Team& team, const std::int32_t* bundle, std::int64_t n) {
    constexpr double smallest = 1.0 / 1024;
    const auto n_shards = static_cast<std::int64_t>(A_.shards.size());
    set_part(bundle, n, [&](int l) { return -fraction_[l]; });
    team.share(n_shards, [&](std::int64_t s) { move(s, bundle, n, part_); });
    for (int l = 0; l < L; ++l) fraction_[l] = fraction_[l] > smallest ? fraction_[l] / 2 : 0.0;
    set_part(bundle, n, [&](int l) { return fraction_[l]; });
    team.share(n_shards, [&](std::int64_t s) { move(s, bundle, n, part_); });
    for (int l = 0; l < L; ++l)
      if (pending_[l]) judge_shorter(bundle, n, l);
    rose_ = std::any_of(pending_.begin(), pending_.end(), [](bool is) { return is; });
  }

  // part_ = the steps times a fraction, in the lanes that rose; 0 in the others
  template <typename Fraction>
  void set_part(const std::int32_t* bundle, std::int64_t n, Fraction fraction) {
    for (std::int64_t k = 0; k < n; ++k)
      for (int l = 0; l < L; ++l) {
        part_[k * L + l] = pending_[l] ? fraction(l) * step_[k * L + l] : 0.0;
        up_[k * L + l] = expm1(A_.scale[bundle[k]] * part_[k * L + l]);
      }
  }

  const Matrix& A_;
  LaneState<L> at_;
  Lanes reference_;
  const std::int32_t* columns_;
  const std::int64_t n_columns_, tau_;
  bool rose_ = false;
  std::array<bool, L> pending_{};   // lanes that rose, until they no longer do
  std::array<bool, L> is_whole_{};  // lanes that kept the last steps as they were decided
  Lanes fraction_{};
  LaneOutcome<L> outcome_;
  std::vector<double> target_, step_, part_, up_;  // tau x L
  std::vector<std::array<Tally, L>> tally_;        // slice by slice
  std::vector<LaneSums<L>> sums_;
  std::vector<Lanes> change_;
};

}  // namespace tauboost
