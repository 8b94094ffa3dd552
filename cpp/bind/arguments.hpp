// What several files of bindings take from Python: psi, sample weights.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "bind/bindings.hpp"
#include "kernels/concepts.hpp"
#include "kernels/loss.hpp"
#include "kernels/penalty.hpp"
#include "matrix/columns.hpp"

namespace tauboost {

// psi as Python holds it: the arrays of its bounds and factors live as long as it does.
struct Psi {
  Psi(double l1, double l2, std::optional<Array<const double>> lower,
      std::optional<Array<const double>> upper, std::int64_t n_penalised,
      std::optional<Array<const double>> l1_factors, std::optional<Array<const double>> l2_factors)
      : lower(lower), upper(upper), l1_factors(l1_factors), l2_factors(l2_factors) {
    expect_size(lower, n_penalised, "lower");
    expect_size(upper, n_penalised, "upper");
    penalty = {l1, l2, data_of(lower), data_of(upper), n_penalised};
    expect_size(l1_factors, n_penalised, "l1_factors");
    expect_size(l2_factors, n_penalised, "l2_factors");
    penalty.l1_factors = data_of(l1_factors);
    penalty.l2_factors = data_of(l2_factors);
  }

  std::optional<Array<const double>> lower, upper, l1_factors, l2_factors;
  Penalty penalty;
};

inline SampleWeights sample_weights(const Matrix& A, const std::optional<Array<const double>>& c) {
  if (!c) return {nullptr, 0};
  if (c->size() == 1) return {c->data(), 0};
  expect_size(*c, A.m, "c");
  return {c->data(), 1};
}

// The rows of one problem; E and c where its loss keeps odds.
inline Iterate iterate(const Matrix& A, const Array<double>& w,
                       const std::optional<Array<double>>& E,
                       const std::optional<Array<const double>>& c, double* lam = nullptr,
                       double total = 1.0) {
  expect_size(w, A.m, "w");
  expect_size(E, A.m, "E");
  return {w.data(), lam, total, data_of(E), sample_weights(A, c)};
}

inline void expect_vectors(const Matrix& A, const Array<double>& w, const Array<double>& lam) {
  expect_size(w, A.m, "w");
  expect_size(lam, A.n, "lam");
}

// Outcome of a run of the driver in lanes, for any number of them.

struct LaneOutcome {
  template <int L>
  explicit LaneOutcome(const Outcome<L>& found)
      : blocks(found.blocks),
        undone(found.undone.begin(), found.undone.end()),
        total(found.total.begin(), found.total.end()),
        decrease(found.decrease.begin(), found.decrease.end()),
        predicted(found.predicted.begin(), found.predicted.end()),
        longest(found.longest.begin(), found.longest.end()),
        edge(found.edge.begin(), found.edge.end()) {}
  LaneOutcome() = default;

  std::int64_t blocks = 0;
  std::vector<std::int64_t> undone;
  std::vector<double> total, decrease, predicted, longest, edge;
};

}  // namespace tauboost
