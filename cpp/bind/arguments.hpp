// What several files of bindings take from Python: psi, sample weights.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/bindings.hpp"
#include "kernels/iterate.hpp"
#include "kernels/penalty.hpp"
#include "matrix/columns.hpp"

namespace tauboost {

// psi as Python holds it: the arrays of its bounds live as long as it does.
struct Psi {
  Psi(double l1, double l2, std::optional<Array<const double>> lower,
      std::optional<Array<const double>> upper, std::int64_t n_penalised)
      : lower(lower), upper(upper) {
    if (lower) expect_size(*lower, n_penalised, "lower");
    if (upper) expect_size(*upper, n_penalised, "upper");
    penalty = {l1, l2, lower ? lower->data() : nullptr, upper ? upper->data() : nullptr,
               n_penalised};
  }

  std::optional<Array<const double>> lower, upper;
  Penalty penalty;
};

inline SampleWeights sample_weights(const Matrix& A, const std::optional<Array<const double>>& c) {
  if (!c) return {nullptr, 0};
  if (c->size() == 1) return {c->data(), 0};
  expect_size(*c, A.m, "c");
  return {c->data(), 1};
}

inline void expect_vectors(const Matrix& A, const Array<double>& w, const Array<double>& lam) {
  expect_size(w, A.m, "w");
  expect_size(lam, A.n, "lam");
}

}  // namespace tauboost
