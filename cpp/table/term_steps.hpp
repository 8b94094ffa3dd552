// The step of all levels of one term, from the sums over its bins.
//
// F along it is known from the sums over each bin: exactly, or by a bound (bin_model.hpp).
// It is minimised, with psi, by a few Newton steps over the bins, each of them a chain
// (chain.hpp) or a grid (grid.hpp). So every step is known to decrease the objective before a row
// has been touched: none is ever undone.
//
// psi is that of the weak hypotheses: lam_t = (x_{t+1} - x_t) / 2 for the thresholds of an ordered
// part, lam_b = x_b for single bins (categories, missing values). The intercept, which psi leaves
// alone, moves along with every term of one column: it takes the mean of the two ends of an ordered
// part, whose stumps are worth -1 and +1 there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/concepts.hpp"
#include "kernels/penalty.hpp"
#include "table/bin_model.hpp"
#include "table/chain.hpp"
#include "table/grid.hpp"
#include "table/psi.hpp"

namespace tauboost {

struct TermProblem {
  const Term& term;
  const TermPenalty penalty;
  const int jump_sign, bin_sign;
  const double* x;  // the levels before
};

struct TermWork {
  static int padded(int n) { return (n + 7) / 8 * 8; }

  explicit TermWork(int most)
      : sums{std::vector<double>(most), std::vector<double>(most)},
        d(most),
        next(most),
        growth(most),
        g(most),
        h(most),
        target(most),
        chain(most),
        grid(most) {}

  void begin(int n) {
    std::fill(d.begin(), d.begin() + padded(n), 0.0);
    std::fill(next.begin(), next.begin() + padded(n), 0.0);
    std::fill(growth.begin(), growth.begin() + padded(n), 1.0);
    shift = next_shift = last_move = 0.0;
  }

  BinSums sums;
  // The change of every bin's rows so far and the one that is tried; exp of it; the model there.
  std::vector<double> d, next, growth, g, h, target;
  std::vector<double> knots;             // of categories
  double shift = 0.0, next_shift = 0.0;  // the part of d that the intercept takes
  double last_move = 0.0, change = 0.0;
  Chain chain;
  Grid grid;
  Tally tally;
};

// Finds the step of a term whose sums are in `work`, and what it comes to. In term_steps.cpp: whose
// rows they are the sums of makes no difference.
template <LossOf Loss>
void decide_term(const TermProblem& problem, TermWork& work, double total, int n_newton);

// Levels that the chain made equal, and bins that it left at 0, are so to the last bit.
void without_rounding(const Term& term, double* x);

}  // namespace tauboost
