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
constexpr bool fills(int width) {
  return L >= width || L == 1;
}

template <int L, bool Signed, bool IsLogistic>
void gather(const LanePass& pass, const double* rows, LaneSums<L>* sums) {
#ifdef TAUBOOST_HAS_WIDE
  if (fills<L>(8) && vector_width() >= 8)
    return widest::gather<L, Signed, IsLogistic>(pass, rows, sums);
  if (fills<L>(4) && vector_width() >= 4)
    return wide::gather<L, Signed, IsLogistic>(pass, rows, sums);
#endif
  narrow::gather<L, Signed, IsLogistic>(pass, rows, sums);
}

template <int L, bool Signed, bool IsLogistic>
void apply(const LanePass& pass, const double* step, const double* up, double* rows,
           double* change) {
#ifdef TAUBOOST_HAS_WIDE
  if (fills<L>(8) && vector_width() >= 8)
    return widest::apply<L, Signed, IsLogistic>(pass, step, up, rows, change);
  if (fills<L>(4) && vector_width() >= 4)
    return wide::apply<L, Signed, IsLogistic>(pass, step, up, rows, change);
#endif
  narrow::apply<L, Signed, IsLogistic>(pass, step, up, rows, change);
}

template <int L>
OddsRange range_of_odds(const double* rows, std::int64_t m) {
#ifdef TAUBOOST_HAS_WIDE
  if (vector_width() >= 4) return wide::range_of_odds<L>(rows, m);
#endif
  return narrow::range_of_odds<L>(rows, m);
}

#define TAUBOOST_PASSES(L, Signed, IsLogistic)                                               \
  template void gather<L, Signed, IsLogistic>(const LanePass&, const double*, LaneSums<L>*); \
  template void apply<L, Signed, IsLogistic>(const LanePass&, const double*, const double*,  \
                                             double*, double*);
#define TAUBOOST_LANES(L)                                                  \
  template OddsRange range_of_odds<L>(const double* rows, std::int64_t m); \
  TAUBOOST_PASSES(L, false, false)                                         \
  TAUBOOST_PASSES(L, false, true)                                          \
  TAUBOOST_PASSES(L, true, false)                                          \
  TAUBOOST_PASSES(L, true, true)

TAUBOOST_LANES(1)
TAUBOOST_LANES(2)
TAUBOOST_LANES(4)
TAUBOOST_LANES(8)

}  // namespace tauboost
