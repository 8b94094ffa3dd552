// What the driver exchanges with rows and steps, and what it asks of them.
//
// Rows is where the rows are and what is kept of them; Steps turns sums into steps and keeps lam.
// Sums, steps and what a column is are between these two: the driver sees none of them. Both work
// on L problems (vector lanes) side by side. A part is a piece of the rows that is worked on by
// itself, a slice one of the columns of a block.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>

#include "kernels/loss.hpp"

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
  std::int64_t blocks = 0;  // or, of an asynchronous method, updates
  std::array<std::int64_t, L> undone{};
  std::array<double, L> total{};      // exponential: w.sum(); logistic: 1
  std::array<double, L> decrease{};   // of the objective, as it was tested
  std::array<double, L> predicted{};  // what it would have been had no two columns met in a row
  std::array<double, L> longest{};    // max of |step_i| scale_i
  std::array<double, L> travel{};     // sum of |step_i| scale_i
  std::array<double, L> edge{};       // max of violation_i / scale_i, each when it was visited
};

template <class R>
concept RowsOf = LossOf<typename R::Loss> &&
                 requires(R rows, const R seen, std::int64_t part, const Block& block,
                          const Move<R::L>& move, const typename R::Steps& steps, int lane) {
                   { seen.n_parts() } -> std::same_as<std::int64_t>;
                   // sums the weights over the columns of a block
                   rows.gather(part, block);
                   // applies the steps, or a fraction of them
                   rows.apply(part, move, steps);
                   // by how much that changed each lane's w.sum(), part by part
                   { *seen.changes().begin() } -> std::convertible_to<std::array<double, R::L>>;
                   // w.sum() of a lane, anew
                   { rows.recount(lane) } -> std::same_as<double>;
                   // nonzeros of so many columns, roughly
                   { seen.work(block.n) } -> std::same_as<std::int64_t>;
                 };

template <class S, class R>
concept StepsOf =
    requires(S steps, const S seen, const R& rows, std::int64_t slice, int lane, const Block& block,
             const std::array<double, R::L>& fraction, const std::array<bool, R::L>& is_whole) {
      { S::n_slices(block.n) } -> std::same_as<std::int64_t>;
      // the steps of one slice of a block; fraction: the total of each lane
      steps.decide(block, slice, rows, fraction);
      // what the test needs to know of all of them, or of a fraction
      { seen.tally(block.n, lane) } -> std::same_as<Tally>;
      { seen.tally(block, lane, fraction[0]) } -> std::same_as<Tally>;
      // the fraction of the steps, lane by lane, to be applied next, and the one to try after it
      steps.set_part(block, fraction);
      { seen.shorter(fraction[0]) } -> std::same_as<double>;
      // lam moves along: in the lanes that kept all of the steps, or by a fraction of them
      steps.commit(block, slice, is_whole);
      steps.keep_part(block, lane, fraction[0]);
    };

}  // namespace tauboost
