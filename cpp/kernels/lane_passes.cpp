// The passes of lanes over their rows, compiled for every kind of machine and number of lanes.
#include "kernels/lane_passes.hpp"

#include <algorithm>

#include "simd/vectors.hpp"

#define TAUBOOST_PART "kernels/lane_passes.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

// One lane leaves rows to work on at once.
template <int L>
constexpr int widest_for = L == 1 ? 8 : L;

template <int L, bool Signed, LossOf Loss>
void gather(const LanePass& pass, const double* rows, LaneSums<L>* sums) {
  TAUBOOST_ON_THIS_MACHINE(widest_for<L>, gather<L, Signed, Loss>(pass, rows, sums));
}

template <int L, bool Signed, LossOf Loss>
void apply(const LanePass& pass, const double* step, const double* up, double* rows,
           double* change) {
  TAUBOOST_ON_THIS_MACHINE(widest_for<L>, apply<L, Signed, Loss>(pass, step, up, rows, change));
}

template <int L>
OddsRange range_of_odds(const double* rows, std::int64_t m) {
  TAUBOOST_ON_THIS_MACHINE(4, range_of_odds<L>(rows, m));
}

#define TAUBOOST_PASSES(Loss, L)                                                              \
  template void gather<L, false, Loss>(const LanePass&, const double*, LaneSums<L>*);         \
  template void gather<L, true, Loss>(const LanePass&, const double*, LaneSums<L>*);          \
  template void apply<L, false, Loss>(const LanePass&, const double*, const double*, double*, \
                                      double*);                                               \
  template void apply<L, true, Loss>(const LanePass&, const double*, const double*, double*,  \
                                     double*);
#define TAUBOOST_LANES(L)                                                  \
  template OddsRange range_of_odds<L>(const double* rows, std::int64_t m); \
  TAUBOOST_EACH_LOSS(TAUBOOST_PASSES, L)

TAUBOOST_LANES(1)
TAUBOOST_LANES(2)
TAUBOOST_LANES(4)
TAUBOOST_LANES(8)

}  // namespace tauboost
