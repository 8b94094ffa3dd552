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
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/concepts.hpp"
#include "kernels/penalty.hpp"
#include "table/bin_model.hpp"
#include "table/chain.hpp"
#include "table/grid.hpp"

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

// All levels of a term at once, from one histogram: the steps of tables for the driver.
//
// What a step is, and what it comes to, follows from the sums over each bin (term_steps.hpp). So
// every step is known to decrease the objective before a row has been touched: none is ever undone.

template <int L, LossOf Loss>
class BlockSteps {
 public:
  // Two signs a term, of its jumps and of its single bins: 1 if they may not be below 0, -1 if they
  // may not be above, 0 if both.
  BlockSteps(const Table& table, const TermPenalty* penalties, const std::int8_t* signs,
             double* levels, double* intercepts, int n_newton)
      : table_(table),
        penalties_(penalties),
        signs_(signs),
        levels_(levels),
        intercepts_(intercepts),
        n_newton_(n_newton),
        work_(L, TermWork(TermWork::padded(table.largest_term))) {}

  static std::int64_t n_slices(std::int64_t n) { return n * L; }

  // Blocks are single terms: all of a term's levels are many coordinates already.
  template <typename Rows>
  void decide(const Block& now, std::int64_t lane, const Rows& rows,
              const std::array<double, L>& total) {
    const int l = static_cast<int>(lane);
    const Term& term = table_.terms[now.columns[0]];
    TermWork& work = work_[l];
    rows.sums(term, l, total[l], work.sums);
    const std::int8_t* signs = signs_ + 2 * now.columns[0];
    const TermProblem problem = {term, penalties_[now.columns[0] * L + l], signs[0], signs[1],
                                 levels_ + l * table_.n_levels + term.offset};
    decide_term<Loss>(problem, work, total[l], n_newton_);
  }

  Tally tally(std::int64_t, int l) const { return work_[l].tally; }
  Tally tally(const Block&, int, double) const { return {}; }

  // Decided steps never raise the objective: there is nothing to make shorter.
  double shorter(double) const { return 0.0; }
  void set_part(const Block&, const std::array<double, L>&) {}
  void keep_part(const Block&, int, double) {}

  void commit(const Block& last, std::int64_t lane, const std::array<bool, L>&) {
    const Term& term = table_.terms[last.columns[0]];
    TermWork& work = work_[lane];
    double* x = levels_ + lane * table_.n_levels + term.offset;
    for (int b = 0; b < term.n_cells(); ++b) x[b] += work.d[b] - work.shift;
    intercepts_[lane] += work.shift;
    if (!term.is_pair()) without_rounding(term, x);
  }

  // exp of how much the rows of each bin move, their own level and the intercept, in the lanes
  // whose steps are taken: all of them, or none.
  std::array<const double*, L> taken(const std::array<double, L>& fraction) const {
    std::array<const double*, L> growth;
    for (int l = 0; l < L; ++l) growth[l] = fraction[l] == 1.0 ? work_[l].growth.data() : nullptr;
    return growth;
  }
  double change(int l) const { return work_[l].change; }

 private:
  const Table& table_;
  const TermPenalty* penalties_;
  const std::int8_t* signs_;
  double* levels_;      // lane by lane
  double* intercepts_;  // lane by lane
  const int n_newton_;
  std::vector<TermWork> work_;
};

}  // namespace tauboost
