// Faults on purpose, only in builds with TAUBOOST_SANITIZE: `make asan` and `make tsan` must report
// them, which shows that the sanitizers watch this module.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <thread>

#include "bind/bindings.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

// Read at run time, so that the compiler can neither foresee nor remove the fault.
volatile std::int64_t sink = 0;

void overflow(std::int64_t size) {
  double* const values = new double[static_cast<std::size_t>(size)];
  std::fill_n(values, size, 1.0);
  sink = static_cast<std::int64_t>(values[size]);
  delete[] values;
}

void leak(std::int64_t size) {
  double* volatile lost = new double[static_cast<std::size_t>(size)];
  lost[0] = 1.0;
  lost = nullptr;
}

void undefined(std::int64_t least) {
  sink = -least;
}

void race(std::int64_t n_turns) {
  std::int64_t shared = 0;
  const auto count = [&] {
    for (std::int64_t k = 0; k < n_turns; ++k)
      const_cast<volatile std::int64_t&>(shared) = shared + 1;
  };
  std::thread other(count);
  count();
  other.join();
  sink = shared;
}

}  // namespace

void bind_inject(nb::module_& module) {
  module.def("inject_overflow", [] { overflow(sink + 16); });
  module.def("inject_leak", [] { leak(sink + 1000); });
  module.def("inject_undefined", [] { undefined(INT64_MIN + sink); });
  module.def("inject_race", [] {
    const WithoutGil free;
    race(sink + 10'000);
  });
}

}  // namespace tauboost
