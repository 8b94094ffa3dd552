// The pass over the rows of a table, compiled for every kind of machine and number of lanes.
#include "table/passes.hpp"

#include <type_traits>

#include "simd/vectors.hpp"

#define TAUBOOST_PART "table/passes.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

template <int L, LossOf Loss>
void run(const TablePass<L>& pass) {
  TAUBOOST_ON_THIS_MACHINE(L == 1 ? 8 : 4, run<L, Loss>(pass));
}

#define TAUBOOST_RUN(Loss, L) template void run<L, Loss>(const TablePass<L>&);
TAUBOOST_EACH_LOSS(TAUBOOST_RUN, 1)
TAUBOOST_EACH_LOSS(TAUBOOST_RUN, 8)

}  // namespace tauboost
