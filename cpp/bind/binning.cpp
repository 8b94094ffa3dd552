// Python's view of binning.hpp.
#include "kernels/binning.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/bindings.hpp"

using namespace nb::literals;

namespace tauboost {

void bind_binning(nb::module_& module) {
  module.def(
      "numeric_edges",
      [](Array<const double> values, std::optional<Array<const std::int64_t>> weights,
         int max_bins) {
        const auto n = length(values);
        expect_size(weights, n, "weights");
        if (max_bins < 2 || max_bins > most_edges + 1)
          throw std::invalid_argument("max_bins is out of range");
        const WithoutGil free;
        return numeric_edges({values.data(), data_of(weights), n}, max_bins);
      },
      "values"_a, "weights"_a.none(), "max_bins"_a);

  module.def(
      "numeric_codes",
      [](Array<const double> values, Array<const double> edges, Array<std::uint8_t> codes) {
        const auto n = length(values);
        expect_size(codes, n, "codes");
        if (edges.size() > most_edges) throw std::invalid_argument("too many edges");
        const WithoutGil free;
        numeric_codes(values.data(), n, edges.data(), static_cast<int>(edges.size()), codes.data());
      },
      "values"_a, "edges"_a, "codes"_a);
}

}  // namespace tauboost
