// The one loop of the synchronous coordinate methods: sums of a block, steps, apply, accept, undo.
//
// Columns are taken in blocks. The rows give the sums over the columns of a block, the steps
// follow from the sums, the rows take the steps. Where the objective rose, the steps are taken back
// and shorter ones tried, down to none: no objective ever rises. L problems (lanes) may go through
// the same blocks side by side, each tested by itself.
//
// What it asks of rows and of steps: concepts.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "kernels/concepts.hpp"
#include "threads/cancellation.hpp"
#include "threads/team.hpp"

namespace tauboost {

// Slices of columns in their order, tau at a time.
class Slices {
 public:
  Slices(const std::int32_t* columns, std::int64_t n, std::int64_t tau)
      : columns_(columns), left_(n), tau_(tau) {}

  Block next() {
    const Block block = {columns_, std::min(tau_, left_)};
    columns_ += block.n;
    left_ -= block.n;
    return block;
  }

 private:
  const std::int32_t* columns_;
  std::int64_t left_, tau_;
};

template <RowsOf Rows>
  requires StepsOf<typename Rows::Steps, Rows>
class Driver {
 public:
  static constexpr int L = Rows::L;
  using Loss = typename Rows::Loss;
  using Steps = typename Rows::Steps;
  using Lanes = std::array<double, L>;

  Driver(Rows& rows, Steps& steps, const Lanes& total)
      : rows_(rows), steps_(steps), reference_(total) {
    outcome_.total = total;
  }

  // One block after another, until there are no more or some lane has travelled too far.
  template <typename Blocks>
  Outcome<L> run(Blocks& blocks, Team& team, Cancellation& cancel,
                 double farthest = std::numeric_limits<double>::infinity()) {
    Block now = blocks.next(), last;
    while (now.n > 0 && !cancel.stopped() &&
           *std::ranges::max_element(outcome_.travel) <= farthest) {
      gather(team, now, last);
      const Block next = blocks.next();
      team.share(Steps::n_slices(now.n),
                 [&](std::int64_t slice) { steps_.decide(now, slice, rows_, outcome_.total); });
      fraction_.fill(1.0);
      apply(team, now, next, false);
      accept(now);
      cancel.check(rows_.work(now.n));
      while (is_pending()) backtrack(team, now, next);
      last = now;
      now = next;
    }
    commit(last, 0, 1);
    return outcome_;
  }

 private:
  // The sums do not read lam, so it may move along the last steps while they are taken, if that
  // is worth a claim.
  void gather(Team& team, const Block& now, const Block& last) {
    const std::int64_t n_parts = rows_.n_parts();
    constexpr std::int64_t worth_a_claim = 8;  // slices: fewer are written sooner than dealt
    const std::int64_t n_committers = Steps::n_slices(last.n) < worth_a_claim ? 0 : team.size();
    if (n_committers == 0) commit(last, 0, 1);
    team.share(n_parts + n_committers, [&](std::int64_t k) {
      if (k < n_parts)
        rows_.gather(k, now);
      else
        commit(last, k - n_parts, n_committers);
    });
  }

  void commit(const Block& last, std::int64_t first, std::int64_t stride) {
    for (std::int64_t slice = first; slice < Steps::n_slices(last.n); slice += stride)
      steps_.commit(last, slice, is_whole_);
  }

  void apply(Team& team, const Block& now, const Block& next, bool is_part) {
    const Move<L> wanted = {now, next, fraction_, is_part};
    team.share(rows_.n_parts(), [&](std::int64_t part) { rows_.apply(part, wanted, steps_); });
  }

  // Keeps the steps in the lanes where the objective did not rise.
  void accept(const Block& now) {
    outcome_.blocks += 1;
    for (int l = 0; l < L; ++l) {
      const Tally tally = steps_.tally(now.n, l);
      outcome_.predicted[l] += tally.gain;
      outcome_.edge[l] = std::max(outcome_.edge[l], tally.edge);
      const double rise = loss_change(l) + tally.cost;
      pending_[l] = !(rise <= 0.0);
      is_whole_[l] = !pending_[l];
      if (pending_[l])
        outcome_.undone[l] += 1;
      else
        keep(l, rise, tally);
    }
  }

  // In the lanes that rose, takes back what is applied and applies less of it; in the end, nothing.
  void backtrack(Team& team, const Block& now, const Block& next) {
    Lanes shorter{};
    for (int l = 0; l < L; ++l) {
      shorter[l] = pending_[l] ? steps_.shorter(fraction_[l]) : 0.0;
      fraction_[l] = pending_[l] ? -fraction_[l] : 0.0;
    }
    for (const Lanes& fraction : {Lanes(fraction_), shorter}) {
      fraction_ = fraction;
      steps_.set_part(now, fraction_);
      apply(team, now, next, true);
    }
    for (int l = 0; l < L; ++l)
      if (pending_[l]) accept_shorter(now, l);
  }

  void accept_shorter(const Block& now, int l) {
    const Tally tally = steps_.tally(now, l, fraction_[l]);
    const double rise = loss_change(l) + tally.cost;
    pending_[l] = fraction_[l] > 0.0 && !(rise <= 0.0);
    if (pending_[l] || fraction_[l] == 0.0) return;
    keep(l, rise, tally);
    steps_.keep_part(now, l, fraction_[l]);
  }

  double loss_change(int l) const {
    double change = 0.0;
    for (const Lanes& part : rows_.changes()) change += part[l];
    return Loss::change(change, outcome_.total[l]);
  }

  void keep(int l, double rise, const Tally& tally) {
    outcome_.decrease[l] -= rise;
    outcome_.longest[l] = std::max(outcome_.longest[l], tally.length);
    outcome_.travel[l] += tally.travel;
    if constexpr (!Loss::is_log_of_sum) return;
    double& total = outcome_.total[l];
    for (const Lanes& part : rows_.changes()) total += part[l];
    // Kept by differences, it may shrink so far that their rounding errors show: two digits go.
    constexpr double trusted_share = 1e-2;
    if (total < trusted_share * reference_[l]) total = reference_[l] = rows_.recount(l);
  }

  bool is_pending() const { return std::ranges::find(pending_, true) != pending_.end(); }

  Rows& rows_;
  Steps& steps_;
  Lanes reference_, fraction_{};
  std::array<bool, L> pending_{};   // lanes that rose, until they no longer do
  std::array<bool, L> is_whole_{};  // lanes that kept the last steps as they were decided
  Outcome<L> outcome_;
};

}  // namespace tauboost
