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
        const auto n = static_cast<std::int64_t>(r.size());
        if (losses) expect_size(*losses, n, "losses");
        if (shares) expect_size(*shares, n, "shares");
        const WithoutGil free;
        logistic(r.data(), n, losses ? losses->data() : nullptr, shares ? shares->data() : nullptr);
      },
      "r"_a, "losses"_a.none(), "shares"_a.none());

  module.def(
      "logarithms",
      [](Array<const double> x, Array<double> out) {
        const auto n = static_cast<std::int64_t>(x.size());
        expect_size(out, n, "out");
        const WithoutGil free;
        logarithms(x.data(), n, out.data());
      },
      "x"_a, "out"_a);
}

}  // namespace tauboost
