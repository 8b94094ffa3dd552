// Lanes: the per-row vectors of L problems that share one matrix, side by side.
//
// L problems that differ in labels, sample weights or psi (the classes of one-vs-rest, the folds of
// cross-validation, the alphas of a path) keep their weights of row j next to each other, and with
// the logistic loss the odds E behind them: w_0 ... w_L-1 E_0 ... E_L-1. A column's row numbers are
// then read once for all of them, what is known of a row comes in one or two cache lines, and the
// processor works on four or more lanes at once. A weight carries the label of its lane as its
// sign: negative where the lane's label is the opposite of the one the matrix was built with. A row
// that a lane leaves out has weight +0 or -0 there: it still knows its label.
#pragma once

#include "kernels/loss.hpp"
#include "matrix/columns.hpp"

namespace tauboost {

template <int L>
struct LaneSums {
  double neg[L], pos[L], square[L];
};

// How many numbers are kept of a row.
template <int L, LossOf Loss>
constexpr std::int64_t row_length = Loss::keeps_odds ? 2 * L : L;

// The columns of a block, in one shard.
struct LanePass {
  const Matrix& A;
  const Shard& shard;
  const std::int32_t* columns;
  std::int64_t n;
};

// The two passes of a block over the rows of one shard: the sums over its columns, and afterwards
// the steps, whose effect on w.sum() is returned in change. In lane_passes.cpp, once for every kind
// of machine.
template <int L, bool Signed, LossOf Loss>
void gather(const LanePass& pass, const double* rows, LaneSums<L>* sums);

template <int L, bool Signed, LossOf Loss>
void apply(const LanePass& pass, const double* step, const double* up, double* rows,
           double* change);

struct OddsRange {
  double least, most;
};

// Of the odds of m rows, in any lane.
template <int L>
OddsRange range_of_odds(const double* rows, std::int64_t m);

}  // namespace tauboost
