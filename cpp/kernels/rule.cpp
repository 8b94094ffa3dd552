// The step of a coordinate, compiled for every kind of machine.
#include "kernels/rule.hpp"

#include "simd/vectors.hpp"

#define TAUBOOST_PART "kernels/rule.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

void choose(Choices<together>& block, const StepRule& rule) {
  TAUBOOST_ON_THIS_MACHINE(8, choose(block, rule));
}

void choose(Choices<1>& one, const StepRule& rule) {
  narrow::choose(one, rule);
}

template <int L>
void choose_lanes(const LaneColumns<L>& given, const StepRule& rule, LaneTargets<L>& found) {
  TAUBOOST_ON_THIS_MACHINE(L, choose_lanes(given, rule, found));
}

template void choose_lanes<4>(const LaneColumns<4>&, const StepRule&, LaneTargets<4>&);
template void choose_lanes<8>(const LaneColumns<8>&, const StepRule&, LaneTargets<8>&);

}  // namespace tauboost
