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

template <int L>
void choose_lanes(const LaneColumns<L>& given, const StepRule& rule, LaneTargets<L>& found) {
#ifdef TAUBOOST_HAS_WIDE
  if (L >= 8 && vector_width() >= 8) return widest::choose_lanes(given, rule, found);
  if (L >= 4 && vector_width() >= 4) return wide::choose_lanes(given, rule, found);
#endif
  narrow::choose_lanes(given, rule, found);
}

template void choose_lanes<4>(const LaneColumns<4>&, const StepRule&, LaneTargets<4>&);
template void choose_lanes<8>(const LaneColumns<8>&, const StepRule&, LaneTargets<8>&);

}  // namespace tauboost
