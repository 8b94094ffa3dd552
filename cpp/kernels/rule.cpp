// The step of a coordinate, compiled for every kind of machine.
#include "kernels/rule.hpp"

#include "simd/vectors.hpp"

#define TAUBOOST_PART "kernels/rule.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

void choose(Choices<together>& block, const StepRule& rule) {
#ifdef TAUBOOST_HAS_WIDE
  if (vector_width() >= 8) return widest::choose(block, rule);
  if (vector_width() >= 4) return wide::choose(block, rule);
#endif
  narrow::choose(block, rule);
}

void choose(Choices<1>& one, const StepRule& rule) {
  narrow::choose(one, rule);
}

}  // namespace tauboost
