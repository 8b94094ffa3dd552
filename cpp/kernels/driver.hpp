// The one loop of the synchronous coordinate methods: sums of a block, steps, apply, accept, undo.
//
// Columns are taken in blocks. The rows give the sums over the columns of a block, the steps
// follow from the sums, the rows take the steps. Where the objective rose, the steps are taken back
// and shorter ones tried, down to none: no objective ever rises. L problems (lanes) may go through
// the same blocks side by side, each tested by itself.
//
// Rows is where the rows are and what is kept of them:
//     n_parts()                      parts that are worked on independently of each other
//     gather(part, block)          sums the weights over the columns of a block
//     apply(part, move, steps)        applies the steps, or a fraction of them
//     changes()                      by how much that changed each lane's w.sum(), part by part
//     recount(l)                     w.sum() of a lane, anew
//     work(n)                        nonzeros of a block, roughly
// Steps turns sums into steps and keeps lam:
//     n_slices(n), decide(...)       the steps of one slice of a block
//     tally(n, l), tally(..., f)     what the test needs to know of them, or of a fraction
//     set_part(block, f)            the fraction of the steps, lane by lane, to be applied next
//     shorter(f)                     the fraction to try after f
//     commit(...), keep_part(...)    lam moves along
// Sums, steps and what a column is are between these two: the driver looks at none of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "threads/cancellation.hpp"
#include "threads/team.hpp"

namespace tauboost {

// Some columns whose steps are taken together.
struct Block {
  const std::int32_t* columns = nullptr;
  std::int64_t n = 0;
};

// Which steps the rows are to take: those of a block, in fractions lane by lane. Negative ones
// take back what was applied; 1 means that the steps are new.
template <int L>
struct Move {
  Block block, next;  // next: whose sums will be asked for afterwards, if this is kept
  std::array<double, L> fraction;
  bool is_part;  // the steps are those of set_part, and not as they were decided
};

// What the test of the objective needs to know of some steps.
struct Tally {
  double gain = 0.0;    // what they promise
  double edge = 0.0;    // the largest violation, over the scale of its column
  double cost = 0.0;    // the change of psi
  double length = 0.0;  // the largest |step_i| scale_i
  double travel = 0.0;  // the sum of them: no residual moves by more

  void add(const Tally& other) {
    gain += other.gain;
    edge = std::max(edge, other.edge);
    cost += other.cost;
    length = std::max(length, other.length);
    travel += other.travel;
  }
};

template <int L>
struct Outcome {
  std::int64_t blocks = 0;
  std::array<std::int64_t, L> undone{};
  std::array<double, L> total{};      // exponential: w.sum(); logistic: 1
  std::array<double, L> decrease{};   // of the objective, as it was tested
  std::array<double, L> predicted{};  // what it would have been had no two columns met in a row
  std::array<double, L> longest{};    // max of |step_i| scale_i
  std::array<double, L> travel{};     // sum of |step_i| scale_i
  std::array<double, L> edge{};       // max of violation_i / scale_i, each when it was visited
};

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

template <int L, typename Rows, typename Steps>
class Driver {
 public:
  using Lanes = std::array<double, L>;

  Driver(Rows& rows, Steps& steps, const Lanes& total, bool is_logistic)
      : rows_(rows), steps_(steps), reference_(total), is_logistic_(is_logistic) {
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
  // The sums do not look at lam, so it may move along the last steps while they are taken, if that
  // is worth a claim.
  void gather(Team& team, const Block& now, const Block& last) {
    const std::int64_t n_parts = rows_.n_parts();
    const std::int64_t n_committers = Steps::n_slices(last.n) < 8 ? 0 : team.size();
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
    return is_logistic_ ? change : std::log1p(change / outcome_.total[l]);
  }

  void keep(int l, double rise, const Tally& tally) {
    outcome_.decrease[l] -= rise;
    outcome_.longest[l] = std::max(outcome_.longest[l], tally.length);
    outcome_.travel[l] += tally.travel;
    if (is_logistic_) return;
    double& total = outcome_.total[l];
    for (const Lanes& part : rows_.changes()) total += part[l];
    // Kept by differences, it may shrink so far that their rounding errors show.
    constexpr double trusted_share = 1e-2;
    if (total < trusted_share * reference_[l]) total = reference_[l] = rows_.recount(l);
  }

  bool is_pending() const { return std::ranges::find(pending_, true) != pending_.end(); }

  Rows& rows_;
  Steps& steps_;
  Lanes reference_, fraction_{};
  const bool is_logistic_;
  std::array<bool, L> pending_{};   // lanes that rose, until they no longer do
  std::array<bool, L> is_whole_{};  // lanes that kept the last steps as they were decided
  Outcome<L> outcome_;
};

}  // namespace tauboost
