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
#ifdef TAUBOOST_HAS_WIDE
  if (vector_width() >= 8) return widest::logistic(r, n, losses, shares);
  if (vector_width() >= 4) return wide::logistic(r, n, losses, shares);
#endif
  narrow::logistic(r, n, losses, shares);
}

void logarithms(const double* x, std::int64_t n, double* out) {
#ifdef TAUBOOST_HAS_WIDE
  if (vector_width() >= 8) return widest::logarithms(x, n, out);
  if (vector_width() >= 4) return wide::logarithms(x, n, out);
#endif
  narrow::logarithms(x, n, out);
}

}  // namespace tauboost
