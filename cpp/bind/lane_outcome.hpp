// What came of a run of the driver in lanes, for any number of them.
#pragma once

#include <nanobind/stl/vector.h>

#include <vector>

#include "bind/bindings.hpp"
#include "kernels/concepts.hpp"

namespace tauboost {

struct LaneOutcome {
  template <int L>
  explicit LaneOutcome(const Outcome<L>& found)
      : blocks(found.blocks),
        undone(found.undone.begin(), found.undone.end()),
        total(found.total.begin(), found.total.end()),
        decrease(found.decrease.begin(), found.decrease.end()),
        predicted(found.predicted.begin(), found.predicted.end()),
        longest(found.longest.begin(), found.longest.end()),
        edge(found.edge.begin(), found.edge.end()) {}
  LaneOutcome() = default;

  std::int64_t blocks = 0;
  std::vector<std::int64_t> undone;
  std::vector<double> total, decrease, predicted, longest, edge;
};

}  // namespace tauboost
