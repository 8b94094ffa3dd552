// What the coordinate methods exchange between Python and the kernels.
#pragma once

#include <cstdint>

#include "kernels/sums.hpp"

namespace tauboost {

struct Iterate {
  double* w;  // exponential: c exp(r - shift); logistic: c E / (1 + E)
  double* lam;
  double total;         // exponential: w.sum(), kept up to date by differences; logistic: 1
  double* E = nullptr;  // logistic only: exp(r)
  SampleWeights c = {nullptr, 0};  // logistic only

  bool is_logistic() const { return E != nullptr; }
};

}  // namespace tauboost
