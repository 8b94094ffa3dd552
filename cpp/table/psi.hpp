// psi of all levels of a table: the elastic net over the hypotheses of each column, and the penalty
// of each pair.
#pragma once

#include <cmath>

#include "table/grid.hpp"
#include "table/table.hpp"

namespace tauboost {

// psi of one term in one lane. Of a pair: l1 is its ridge, l2 its smoothness.
struct TermPenalty {
  double l1, l2;
};

inline double psi_of(const Term& term, const TermPenalty& penalty, const double* x) {
  if (penalty.l1 == 0.0 && penalty.l2 == 0.0) return 0.0;
  if (term.is_pair()) return Grid::value(term, {penalty.l1, penalty.l2}, x);
  double size = 0.0, squares = 0.0;
  const auto add = [&](double lam) {
    size += std::abs(lam);
    squares += lam * lam;
  };
  for (int t = 0; t + 1 < term.ordered_first; ++t) add(0.5 * (x[t + 1] - x[t]));
  for (int b = term.ordered_first; b < term.n_cells(); ++b) add(x[b]);
  return penalty.l1 * size + 0.5 * penalty.l2 * squares;
}

inline double psi_of(const Table& table, const TermPenalty* penalties, const double* levels) {
  double sum = 0.0;
  for (std::size_t k = 0; k < table.terms.size(); ++k)
    sum += psi_of(table.terms[k], penalties[k], levels + table.terms[k].offset);
  return sum;
}

}  // namespace tauboost
