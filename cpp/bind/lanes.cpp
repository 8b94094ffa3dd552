// Python's view of lanes.hpp: one function for any number of lanes that was compiled.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/lane_outcome.hpp"
#include "kernels/lane_rows.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

struct Call {
  const Matrix& A;
  Array<double> w;
  std::optional<Array<double>> E;
  Array<double> lam;
  Array<const double> total, l1, l2;
  std::int64_t n_penalised;
  Array<const std::int32_t> columns;
  std::int64_t tau;
  int n_threads;
  bool is_signed;

  template <int L, bool Signed, bool IsLogistic>
  LaneOutcome run() const {
    using Rows = LaneRows<L, Signed, IsLogistic>;
    std::array<double, L> totals;
    std::array<Penalty, L> psi;
    for (int l = 0; l < L; ++l) {
      totals[l] = total.data()[l];
      psi[l] = {l1.data()[l], l2.data()[l], nullptr, nullptr, n_penalised};
    }
    const Outcome<L> outcome = released([&](Pulse& pulse) {
      Rows rows(A, {w.data(), E ? E->data() : nullptr}, tau);
      typename Rows::Steps steps(A, psi, {IsLogistic}, lam.data(), nullptr, tau);
      Slices slices(columns.data(), static_cast<std::int64_t>(columns.size()), tau);
      Team team(n_threads);
      return Driver<L, Rows, typename Rows::Steps>(rows, steps, totals, IsLogistic)
          .run(slices, team, pulse);
    });
    return LaneOutcome(outcome);
  }

  template <int L>
  LaneOutcome run() const {
    if (is_signed) return E ? run<L, true, true>() : run<L, true, false>();
    return E ? run<L, false, true>() : run<L, false, false>();
  }
};

LaneOutcome lane_sweep(const Matrix& A, Array<double> w, std::optional<Array<double>> E,
                       Array<double> lam, Array<const double> total, Array<const double> l1,
                       Array<const double> l2, std::int64_t n_penalised,
                       Array<const std::int32_t> columns, std::int64_t tau, bool is_signed,
                       int n_threads) {
  const auto L = static_cast<std::int64_t>(total.size());
  expect_size(w, A.m * L, "w");
  if (E) expect_size(*E, A.m * L, "E");
  expect_size(lam, A.n * L, "lam");
  expect_size(l1, L, "l1");
  expect_size(l2, L, "l2");
  const Call call = {A, w, E, lam, total, l1, l2, n_penalised, columns, tau, n_threads, is_signed};
  switch (L) {
    case 1:
      return call.run<1>();
    case 2:
      return call.run<2>();
    case 4:
      return call.run<4>();
    case 8:
      return call.run<8>();
    default:
      throw std::invalid_argument("the number of lanes must be 1, 2, 4 or 8");
  }
}

}  // namespace

void bind_lanes(nb::module_& module) {
  module.def("vector_width", &vector_width);
  module.def(
      "set_vector_width", [](int width) { chosen_width() = std::clamp(width, 2, widest_vector()); },
      "width"_a);

  nb::class_<LaneOutcome>(module, "LaneOutcome")
      .def_ro("bundles", &LaneOutcome::bundles)
      .def_ro("undone", &LaneOutcome::undone)
      .def_ro("total", &LaneOutcome::total)
      .def_ro("decrease", &LaneOutcome::decrease)
      .def_ro("predicted", &LaneOutcome::predicted)
      .def_ro("longest", &LaneOutcome::longest)
      .def_ro("edge", &LaneOutcome::edge);

  module.def("lane_sweep", &lane_sweep, "matrix"_a, "w"_a, "E"_a.none(), "lam"_a, "total"_a, "l1"_a,
             "l2"_a, "n_penalised"_a, "columns"_a, "tau"_a, "is_signed"_a, "n_threads"_a);
}

}  // namespace tauboost
