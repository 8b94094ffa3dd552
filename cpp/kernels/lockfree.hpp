// The asynchronous methods: no barriers, no locks, every update an atomic one.
//
// A thread takes a coordinate, reads its column through whatever the others have written so far,
// claims the coordinate with one compare-and-swap and passes the step on to the weights. Nothing is
// lost: at the end w belongs to lam as after any sequential run, up to rounding. The order of
// updates is the machine's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "kernels/concepts.hpp"
#include "kernels/weights.hpp"
#include "threads/cancellation.hpp"
#include "threads/team.hpp"

namespace tauboost {

// Weights can be trusted while no residual has moved further than exp can represent, and w.sum()
// while it has not shrunk so far that its rounding errors show.
struct Bounds {
  double drift;
  static constexpr double shrink = 1e-2;      // two of sixteen digits lost
  static constexpr double vanished = 1e-100;  // of a total: time to rescale the weights
};

// One thread's view of the shared w.sum(): exchanged with the others once a block, so that the
// cache line that holds it does not travel with every update, and counted anew from w where
// differences have made it too small to be trusted.
class SharedTotal {
 public:
  explicit SharedTotal(double& total) : total_(total) {
    refresh();
    trusted_above_ = Bounds::shrink * seen_;
  }
  double now() const { return seen_ + own_; }
  void add(double change) { own_ += change; }
  void refresh() {
    seen_ = Atomic::add(total_, own_);
    own_ = 0.0;
  }
  void check(const Matrix& A, const double* w) {
    if (now() >= trusted_above_) return;
    seen_ = 0.0;
    for (std::int64_t j = 0; j < A.m; ++j) seen_ += Atomic::load(w[j]);
    own_ = 0.0;
    std::atomic_ref<double>(total_).store(seen_, std::memory_order_relaxed);
    trusted_above_ = Bounds::shrink * seen_;
  }

 private:
  double& total_;
  double seen_ = 0.0, own_ = 0.0, trusted_above_ = 0.0;
};

// Update coordinate i to rule(i, lam_i, sums, total), shards from `first` on; returns |step| scale.
template <LossOf Loss, typename Rule>
inline double lock_free_update(const Matrix& A, Iterate& at, SharedTotal& total, std::int64_t i,
                               std::size_t first, const Rule& rule) {
  const std::size_t n_shards = A.shards.size();
  const auto shard_at = [&](std::size_t s) -> const Shard& {
    return A.shards[(first + s) % n_shards];
  };
  SignedSums sums;
  for (std::size_t s = 0; s < n_shards; ++s)
    sums += column_sums(A.column(shard_at(s), i), Loss::shared_rows(at, shard_at(s).first_row));
  std::atomic_ref<double> coordinate(at.lam[i]);
  double from = coordinate.load(std::memory_order_relaxed), to;
  do {
    to = rule(i, from, sums, total.now());
  } while (!coordinate.compare_exchange_weak(from, to, std::memory_order_relaxed));
  const double step = to - from;
  if (step == 0.0) return 0.0;
  const double up = expm1(A.scale[i] * step);
  for (std::size_t s = 0; s < n_shards; ++s) {
    const double change =
        scatter(A.column(shard_at(s), i), step, up, Loss::shared_rows(at, shard_at(s).first_row));
    if constexpr (Loss::is_log_of_sum) total.add(change);  // others have none
  }
  return std::abs(step) * A.scale[i];
}

// Dense columns take turns. Two threads in dense columns at once would take every cache line of w
// from each other; so one that finds the other there puts its column off and goes on with the next.
class DenseTurns {
 public:
  bool try_begin() { return !taken_.exchange(true, std::memory_order_acquire); }
  void end() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

// Updates of the coordinates pick(0), ..., pick(n_updates - 1), dealt to the threads in blocks.
template <LossOf Loss, typename Pick, typename Rule>
class LockFree {
 public:
  LockFree(const Matrix& A, Iterate& at, const Pick& pick, const Rule& rule)
      : A_(A), at_(at), pick_(pick), rule_(rule) {}

  Outcome<1> run(std::int64_t n_updates, Bounds bounds, int n_threads, Cancellation& cancel) {
    // At least 16 blocks a thread, or a few dense columns keep the others waiting at the end; 32
    // updates are enough for what is shared once a block not to be felt.
    const std::int64_t block = std::clamp<std::int64_t>(n_updates / (16 * n_threads), 1, 32);
    const double smallest = Bounds::vanished * at_.total;
    const std::int64_t work = block * (A_.nnz / A_.n + 16);
    Outcome<1> outcome;
    Team team(n_threads);
    // One task for each thread, and updates for as long as there are any: a task that is begun late
    // finds fewer left.
    team.share(team.size(), [&](std::int64_t rank) {
      // They begin at different shards, so that on dense columns they do not chase each other.
      const std::size_t first_shard = rank * A_.shards.size() / team.size();
      Member member{first_shard, SharedTotal(at_.total), {}};
      while (!cancel.stopped() && Atomic::load(outcome.travel[0]) <= bounds.drift &&
             member.total.now() >= smallest) {
        const std::int64_t begin = next_.fetch_add(block, std::memory_order_relaxed);
        if (begin >= n_updates) break;
        const std::int64_t end = std::min(begin + block, n_updates);
        double drift = 0.0;
        for (std::int64_t u = begin; u < end; ++u) drift += visit(pick_(u), member);
        drift += catch_up(member, most_put_off);
        member.total.refresh();
        Atomic::add(outcome.travel[0], drift);
        cancel.check(work);
      }
      Atomic::add(outcome.travel[0], catch_up(member, 0));
      member.total.refresh();
    });
    if constexpr (Loss::keeps_odds) set_weights(team);
    outcome.blocks = std::min(next_.load(), n_updates);
    outcome.total[0] = at_.total;
    return outcome;
  }

 private:
  static constexpr std::size_t most_put_off = 64;  // two blocks of columns

  struct Member {
    std::size_t first_shard;
    SharedTotal total;
    std::vector<std::int64_t> put_off;
  };

  // w of the odds that the threads have left.
  void set_weights(Team& team) const {
    team.share(static_cast<std::int64_t>(A_.shards.size()), [&](std::int64_t s) {
      const Shard& shard = A_.shards[s];
      const auto rows = Loss::rows(at_, shard.first_row);
      for (std::int32_t j = 0; j < shard.n_rows; ++j) rows.scale(j, 1.0);
    });
  }

  bool is_dense(std::int64_t i) const {
    std::int64_t count = 0;
    for (const Shard& shard : A_.shards) count += shard.start[i + 1] - shard.start[i];
    return 8 * count > A_.m;  // it touches every cache line: a line has 8 weights
  }

  double update(std::int64_t i, Member& member) {
    if constexpr (Loss::is_log_of_sum) member.total.check(A_, at_.w);
    return lock_free_update<Loss>(A_, at_, member.total, i, member.first_shard, rule_);
  }

  double visit(std::int64_t i, Member& member) {
    if (!is_dense(i)) return update(i, member);
    if (!turns_.try_begin()) {
      member.put_off.push_back(i);
      return 0.0;
    }
    const double drift = update(i, member);
    turns_.end();
    return drift;
  }

  // Makes up for what was put off, in turn if the turn is free, regardless if there is too much.
  double catch_up(Member& member, std::size_t most) {
    double drift = 0.0;
    while (!member.put_off.empty()) {
      const bool has_turn = turns_.try_begin();
      if (!has_turn && member.put_off.size() <= most) break;
      drift += update(member.put_off.back(), member);
      member.put_off.pop_back();
      if (has_turn) turns_.end();
    }
    return drift;
  }

  const Matrix& A_;
  Iterate& at_;
  const Pick& pick_;
  const Rule& rule_;
  alignas(128) DenseTurns turns_;
  alignas(128) std::atomic<std::int64_t> next_{0};
};

template <LossOf Loss, typename Pick, typename Rule>
Outcome<1> lock_free(const Matrix& A, Iterate& at, std::int64_t n_updates, Bounds bounds,
                     int n_threads, Cancellation& cancel, const Pick& pick, const Rule& rule) {
  return LockFree<Loss, Pick, Rule>(A, at, pick, rule).run(n_updates, bounds, n_threads, cancel);
}

}  // namespace tauboost
