// The pass over the rows of a table, compiled for every kind of machine and number of lanes.
#include "table/passes.hpp"

#include <type_traits>

#include "simd/vectors.hpp"

#define TAUBOOST_PART "table/passes.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

template <int L, bool IsLogistic>
void run(const TablePass<L>& pass) {
#ifdef TAUBOOST_HAS_WIDE
  if (L == 1 && vector_width() >= 8) return widest::run<L, IsLogistic>(pass);
  if (vector_width() >= 4) return wide::run<L, IsLogistic>(pass);
#endif
  narrow::run<L, IsLogistic>(pass);
}

template void run<1, false>(const TablePass<1>&);
template void run<1, true>(const TablePass<1>&);
template void run<8, false>(const TablePass<8>&);
template void run<8, true>(const TablePass<8>&);

}  // namespace tauboost
