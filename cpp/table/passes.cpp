// The pass over the rows of a table, compiled for every kind of machine and number of lanes.
#include "table/passes.hpp"

#include <type_traits>

#include "simd/vectors.hpp"

#define TAUBOOST_PART "table/passes.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

template <int L, bool IsLogistic>
void run(const TablePass& pass) {
#ifdef TAUBOOST_HAS_WIDE
  if (L != 4 && vector_width() >= 8) return widest::run<L, IsLogistic>(pass);
  if (vector_width() >= 4) return wide::run<L, IsLogistic>(pass);
#endif
  narrow::run<L, IsLogistic>(pass);
}

#define TAUBOOST_TABLE_LANES(L)                        \
  template void run<L, false>(const TablePass& pass); \
  template void run<L, true>(const TablePass& pass);

TAUBOOST_TABLE_LANES(1)
TAUBOOST_TABLE_LANES(4)
TAUBOOST_TABLE_LANES(8)

}  // namespace tauboost
