// The one pass of a table's kernels over the rows of a shard: take the steps of the last term, and
// sum up the next one. The bytes of two columns and a row's weights are read once; L lanes keep
// their weights of a row next to each other.
//
// E_j = c_j exp(r_j - shift) for the exponential loss: it is the weight itself. E_j = exp(r_j) for
// the logistic loss, where the weight is c_j E_j / (1 + E_j) and its curvature c_j E_j / (1 +
// E_j)^2.
#pragma once

#include <cstdint>

#include "kernels/loss.hpp"
#include "table/table.hpp"

namespace tauboost {

// How to find the cell of a row.
struct CellOf {
  const std::uint8_t* first = nullptr;  // null: there is no such term
  const std::uint8_t* second = nullptr;
  const std::uint16_t *first_map = nullptr, *second_map = nullptr;

  CellOf() = default;
  CellOf(const Table& table, const Term& term, std::int64_t first_row)
      : first(table.column(term.first) + first_row) {
    if (term.second < 0) return;
    second = table.column(term.second) + first_row;
    first_map = term.first_map.data();
    second_map = term.second_map.data();
  }
};

// One lane is exact: double. Several lanes are a search: float, twice as many in a cache line and
// in a vector.
template <int L>
struct RealOf {
  using type = float;
};
template <>
struct RealOf<1> {
  using type = double;
};
template <int L>
using Real = typename RealOf<L>::type;

template <int L>
struct TablePass {
  std::int64_t n_rows;
  Real<L>* E;             // L numbers a row
  const double* c;        // logistic: sample weights
  std::int32_t c_stride;  // 0: one serves all rows; L: every lane has its own
  CellOf last, next;
  const Real<L>* factor;  // exp of the last steps, L numbers a cell, for this label
  // Of the next term: L sums of weights for each cell, and as many of curvatures (logistic) behind
  // them. One lane: `replicas` histograms side by side, so that no sum waits for the one before it.
  Real<L>* histogram;
};

template <int L>
constexpr int replicas = L == 1 ? 4 : 1;

template <LossOf Loss>
constexpr int sums_a_cell = Loss::keeps_odds ? 2 : 1;

// In passes.cpp, once for every kind of machine.
template <int L, LossOf Loss>
void run(const TablePass<L>& pass);

}  // namespace tauboost
