// Python's view of logistic.hpp.
#include "kernels/logistic.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/arguments.hpp"

using namespace nb::literals;

namespace tauboost {

void bind_logistic(nb::module_& module) {
  module.def(
      "logistic",
      [](Array<const double> r, std::optional<Array<double>> losses,
         std::optional<Array<double>> shares) {
        const auto n = length(r);
        expect_size(losses, n, "losses");
        expect_size(shares, n, "shares");
        const WithoutGil free;
        logistic(r.data(), n, data_of(losses), data_of(shares));
      },
      "r"_a, "losses"_a.none(), "shares"_a.none());

  module.def(
      "logarithms",
      [](Array<const double> x, Array<double> out) {
        const auto n = length(x);
        expect_size(out, n, "out");
        const WithoutGil free;
        logarithms(x.data(), n, out.data());
      },
      "x"_a, "out"_a);
}

}  // namespace tauboost
