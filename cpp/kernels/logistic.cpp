// The functions of logistic.hpp, compiled for every kind of machine.
#include "kernels/logistic.hpp"

#include <algorithm>
#include <limits>

#include "simd/vectors.hpp"

#define TAUBOOST_PART "kernels/logistic.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

void logistic(const double* r, std::int64_t n, double* losses, double* shares) {
  TAUBOOST_ON_THIS_MACHINE(8, logistic(r, n, losses, shares));
}

void logarithms(const double* x, std::int64_t n, double* out) {
  TAUBOOST_ON_THIS_MACHINE(8, logarithms(x, n, out));
}

}  // namespace tauboost
