// What the coordinate methods exchange between Python and the kernels.
#pragma once

#include <cstdint>

#include "kernels/weights.hpp"

namespace tauboost {

struct Iterate {
  double* w;  // exponential: c exp(r - shift); logistic: c E / (1 + E)
  double* lam;
  double total;         // exponential: w.sum(), kept up to date by differences; logistic: 1
  double* E = nullptr;  // logistic only: exp(r)
  SampleWeights c = {nullptr, 0};  // logistic only

  bool is_logistic() const { return E != nullptr; }
};

struct AsyncOutcome {
  std::int64_t done = 0;  // draws carried out
  double total = 0.0;
  double drift = 0.0;  // sum of |step_i| scale_i: no residual moved by more
};

// Weights can be trusted while no residual has moved further than exp can represent, and w.sum()
// while it has not shrunk so far that its rounding errors show.
struct Bounds {
  double drift;
  static constexpr double shrink = 1e-2;
  static constexpr double vanished = 1e-100;  // of a total: time to rescale the weights
};

}  // namespace tauboost
