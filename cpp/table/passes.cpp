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

template void run<1, Exponential>(const TablePass<1>&);
template void run<1, Logistic>(const TablePass<1>&);
template void run<8, Exponential>(const TablePass<8>&);
template void run<8, Logistic>(const TablePass<8>&);

}  // namespace tauboost
