// The paper's Algorithm 2, Parallel AdaBoost, synchronous: tau-nice sampling, the paper's step, the
// test that undoes an increase.
//
// It keeps w_j = c_j exp((A lam)_j - shift) up to date by multiplication, never touching rows that
// a column does not touch. It does as many iterations as it is told, and returns early only when
// the numbers ask for a refresh (see Bounds).
#pragma once

#include <cmath>
#include <vector>

#include "iterate.hpp"
#include "pulse.hpp"
#include "sampling.hpp"
#include "steps.hpp"
#include "team.hpp"
#include "weights.hpp"

namespace tauboost {

class SynchronousPcdm {
 public:
  SynchronousPcdm(const Matrix& A, Iterate& at, double beta, const Penalty& psi,
                  NiceSampling& sampling, Bounds bounds)
      : A_(A),
        at_(at),
        beta_(beta),
        psi_(psi),
        sampling_(sampling),
        bounds_(bounds),
        reference_(at.total),
        subset_(sampling.tau()),
        step_(sampling.tau()),
        target_(sampling.tau()),
        sums_(sampling.tau() * A.shards.size()),
        change_(A.shards.size()) {}

  Outcome run(std::uint64_t first, std::int64_t n_iterations, int n_threads, Pulse& pulse) {
    const auto n_shards = static_cast<std::int64_t>(A_.shards.size());
    const std::int64_t work = sampling_.tau() * (A_.nnz / A_.n + 16);
    Team team(n_threads);
    while (outcome_.done < n_iterations && outcome_.drift <= bounds_.drift && !pulse.stopped()) {
      sampling_.draw(first + outcome_.done, subset_.data());
      team.share(n_shards, [&](std::int64_t s) { measure(s); });
      decide();
      team.share(n_shards, [&](std::int64_t s) { change_[s] = move(s, 1.0); });
      judge();
      pulse.beat(work);
      if (taken_back_) team.share(n_shards, [&](std::int64_t s) { move(s, -1.0); });
    }
    outcome_.total = at_.total;
    return outcome_;
  }

 private:
  void measure(std::int64_t s) {
    const Shard& shard = A_.shards[s];
    SignedSums* sums = sums_.data() + s * sampling_.tau();
    for (std::int64_t k = 0; k < sampling_.tau(); ++k)
      sums[k] = gather<Exclusive>(A_.column(shard, subset_[k]), at_.w + shard.first_row);
  }

  void decide() {
    const std::int64_t tau = sampling_.tau();
    for (std::int64_t k = 0; k < tau; ++k) {
      double slope = 0.0;
      for (std::size_t s = 0; s < A_.shards.size(); ++s)
        slope += sums_[s * tau + k].pos - sums_[s * tau + k].neg;
      const std::int64_t i = subset_[k];
      const double x = at_.lam[i];
      target_[k] = proximal_step(psi_, i, x, slope / at_.total, beta_, A_.scale[i]);
      step_[k] = target_[k] - x;
    }
  }

  double move(std::int64_t s, double direction) {
    const Shard& shard = A_.shards[s];
    double change = 0.0;
    for (std::int64_t k = 0; k < sampling_.tau(); ++k)
      if (step_[k] != 0.0)
        change += scatter(A_.column(shard, subset_[k]), direction * step_[k],
                          expm1(direction * A_.scale[subset_[k]] * step_[k]),
                          Exclusive{at_.w + shard.first_row});
    return change;
  }

  // The paper's test: an increase of the objective is undone.
  void judge() {
    const std::int64_t tau = sampling_.tau();
    double change = 0.0, penalty = 0.0;
    for (double part : change_) change += part;
    for (std::int64_t k = 0; k < tau; ++k)
      penalty += psi_.change(subset_[k], at_.lam[subset_[k]], target_[k]);
    outcome_.done += 1;
    taken_back_ = !(std::log1p(change / at_.total) + penalty <= 0.0);
    if (taken_back_) {
      outcome_.undone += 1;
      return;
    }
    at_.total += change;
    for (std::int64_t k = 0; k < tau; ++k) {
      at_.lam[subset_[k]] = target_[k];
      outcome_.drift += std::abs(step_[k]) * A_.scale[subset_[k]];
    }
    if (at_.total < Bounds::shrink * reference_) at_.total = reference_ = total(A_, at_.w);
  }

  const Matrix& A_;
  Iterate& at_;
  const double beta_;
  const Penalty& psi_;
  NiceSampling& sampling_;
  const Bounds bounds_;
  double reference_;
  bool taken_back_ = false;
  Outcome outcome_;
  std::vector<std::int64_t> subset_;
  std::vector<double> step_, target_;
  std::vector<SignedSums> sums_;
  std::vector<double> change_;
};

}  // namespace tauboost
