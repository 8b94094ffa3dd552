// The passes of lanes over their rows, compiled for every kind of machine and number of lanes.
#include "kernels/lane_passes.hpp"

#include "simd/vectors.hpp"

#define TAUBOOST_PART "kernels/lane_passes.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

// One lane leaves rows to work on at once.
template <int L>
constexpr bool fills(int width) {
  return L >= width || L == 1;
}

template <int L, bool Signed>
void measure(const LanePass& pass, const double* w, LaneSums<L>* sums) {
#ifdef TAUBOOST_HAS_WIDE
  if (fills<L>(8) && vector_width() >= 8) return widest::measure<L, Signed>(pass, w, sums);
  if (fills<L>(4) && vector_width() >= 4) return wide::measure<L, Signed>(pass, w, sums);
#endif
  narrow::measure<L, Signed>(pass, w, sums);
}

template <int L, bool Signed, bool IsLogistic>
void move(const LanePass& pass, const double* step, const double* up, const LanePointers& rows,
          double* change) {
#ifdef TAUBOOST_HAS_WIDE
  if (fills<L>(8) && vector_width() >= 8)
    return widest::move<L, Signed, IsLogistic>(pass, step, up, rows, change);
  if (fills<L>(4) && vector_width() >= 4)
    return wide::move<L, Signed, IsLogistic>(pass, step, up, rows, change);
#endif
  narrow::move<L, Signed, IsLogistic>(pass, step, up, rows, change);
}

#define TAUBOOST_MOVE(L, Signed, IsLogistic)                                               \
  template void move<L, Signed, IsLogistic>(const LanePass&, const double*, const double*, \
                                            const LanePointers&, double*);
#define TAUBOOST_LANES(L)                                                        \
  template void measure<L, false>(const LanePass&, const double*, LaneSums<L>*); \
  template void measure<L, true>(const LanePass&, const double*, LaneSums<L>*);  \
  TAUBOOST_MOVE(L, false, false)                                                 \
  TAUBOOST_MOVE(L, false, true)                                                  \
  TAUBOOST_MOVE(L, true, false)                                                  \
  TAUBOOST_MOVE(L, true, true)

TAUBOOST_LANES(1)
TAUBOOST_LANES(2)
TAUBOOST_LANES(4)
TAUBOOST_LANES(8)

}  // namespace tauboost
