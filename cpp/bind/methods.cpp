// Python's view of the coordinate methods on rows of this machine.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/arguments.hpp"
#include "kernels/draw_rows.hpp"
#include "kernels/driver.hpp"
#include "kernels/lockfree.hpp"
#include "kernels/sweep_rows.hpp"

using namespace nb::literals;

namespace tauboost {

void bind_methods(nb::module_& module) {
  nb::class_<Psi>(module, "Psi")
      .def(nb::init<double, double, std::optional<Array<const double>>,
                    std::optional<Array<const double>>, std::int64_t,
                    std::optional<Array<const double>>, std::optional<Array<const double>>>(),
           "l1"_a, "l2"_a, "lower"_a.none(), "upper"_a.none(), "n_penalised"_a,
           "l1_factors"_a.none() = nb::none(), "l2_factors"_a.none() = nb::none());

  // Outcome of a run of the driver: of blocks of a sweep, or of draws; or of an asynchronous
  // method.
  nb::class_<Outcome<1>>(module, "SweepOutcome")
      .def_ro("bundles", &Outcome<1>::blocks)
      .def_ro("done", &Outcome<1>::blocks)
      .def_prop_ro("undone", [](const Outcome<1>& found) { return found.undone[0]; })
      .def_prop_ro("total", [](const Outcome<1>& found) { return found.total[0]; })
      .def_prop_ro("decrease", [](const Outcome<1>& found) { return found.decrease[0]; })
      .def_prop_ro("predicted", [](const Outcome<1>& found) { return found.predicted[0]; })
      .def_prop_ro("longest", [](const Outcome<1>& found) { return found.longest[0]; })
      .def_prop_ro("drift", [](const Outcome<1>& found) { return found.travel[0]; })
      .def_prop_ro("edge", [](const Outcome<1>& found) { return found.edge[0]; });

  module.attr("Outcome") = module.attr("SweepOutcome");

  nb::class_<NiceSampling>(module, "NiceSampling")
      .def(nb::init<std::int64_t, std::int64_t, std::uint64_t>(), "n"_a, "tau"_a, "seed"_a)
      .def_prop_ro("tau", &NiceSampling::tau)
      .def(
          "draw",
          [](NiceSampling& sampling, std::uint64_t t, Array<std::int64_t> subset) {
            expect_size(subset, sampling.tau(), "subset");
            sampling.draw(t, subset.data());
          },
          "t"_a, "subset"_a);

  module.def("independent_draw", &independent_draw, "seed"_a, "draw"_a, "n"_a);

  module.def(
      "pcdm",
      [](const Matrix& A, Array<double> w, Array<double> lam, double total, double beta,
         const Psi& psi, NiceSampling& sampling, std::uint64_t first, std::int64_t n_iterations,
         double max_drift, int n_threads) {
        expect_vectors(A, w, lam);
        if (sampling.n() != A.n) throw std::invalid_argument("sampling of another matrix");
        return released([&](Cancellation& cancel) {
          DrawRows rows(A, w.data(), sampling.tau());
          DrawRows::Steps steps(A, {psi.penalty}, {true, beta}, lam.data(), nullptr,
                                sampling.tau());
          Draws draws(sampling, first, n_iterations);
          Team team(n_threads);
          return Driver(rows, steps, {total}).run(draws, team, cancel, max_drift);
        });
      },
      "matrix"_a, "w"_a, "lam"_a, "total"_a, "beta"_a, "psi"_a, "sampling"_a, "first"_a,
      "n_iterations"_a, "max_drift"_a, "n_threads"_a);

  module.def(
      "exact_sweep",
      [](const Matrix& A, Array<double> w, std::optional<Array<double>> E,
         std::optional<Array<const double>> c, Array<double> lam, double total, const Psi& psi,
         Array<const std::int32_t> columns, std::int64_t tau, Array<double> gain, int n_threads) {
        expect_size(lam, A.n, "lam");
        expect_size(gain, A.n, "gain");
        const Iterate at = iterate(A, w, E, c, lam.data(), total);
        return released([&](Cancellation& cancel) {
          return with_loss(E.has_value(), [&]<LossOf Loss>(Loss) {
            using Rows = SweepRows<Loss>;
            Rows rows(A, at, tau);
            typename Rows::Steps steps(A, {psi.penalty}, {Loss::is_log_of_sum}, at.lam, gain.data(),
                                       tau);
            Slices slices(columns.data(), length(columns), tau);
            Team team(n_threads);
            const auto found = Driver(rows, steps, {total}).run(slices, team, cancel);
            rows.settle(team);
            return found;
          });
        });
      },
      "matrix"_a, "w"_a, "E"_a.none(), "c"_a.none(), "lam"_a, "total"_a, "psi"_a, "columns"_a,
      "tau"_a, "gain"_a, "n_threads"_a);

  module.def(
      "exact_async",
      [](const Matrix& A, Array<double> w, std::optional<Array<double>> E,
         std::optional<Array<const double>> c, Array<double> lam, double total, const Psi& psi,
         Array<const std::int32_t> columns, double max_drift, int n_threads) {
        expect_size(lam, A.n, "lam");
        Iterate at = iterate(A, w, E, c, lam.data(), total);
        return released([&](Cancellation& cancel) {
          return with_loss(E.has_value(), [&]<LossOf Loss>(Loss) {
            const StepRule rule{Loss::is_log_of_sum};
            return lock_free<Loss>(
                A, at, length(columns), {max_drift}, n_threads, cancel,
                [&](std::int64_t u) { return columns.data()[u]; },
                [&](std::int64_t i, double x, const SignedSums& sums, double total) {
                  return choose_one(A, psi.penalty, rule, i, x, sums, total);
                });
          });
        });
      },
      "matrix"_a, "w"_a, "E"_a.none(), "c"_a.none(), "lam"_a, "total"_a, "psi"_a, "columns"_a,
      "max_drift"_a, "n_threads"_a);

  module.def(
      "pcdm_async",
      [](const Matrix& A, Array<double> w, Array<double> lam, double total, double beta,
         const Psi& psi, std::uint64_t seed, std::int64_t first, std::int64_t n_draws,
         double max_drift, int n_threads) {
        expect_vectors(A, w, lam);
        Iterate at = {w.data(), lam.data(), total};
        return released([&](Cancellation& cancel) {
          return lock_free<Exponential>(
              A, at, n_draws, {max_drift}, n_threads, cancel,
              [&](std::int64_t u) { return independent_draw(seed, first + u, A.n); },
              [&](std::int64_t i, double x, const SignedSums& sums, double total) {
                return proximal_step(psi.penalty, i, x, (sums.pos - sums.neg) / total, beta,
                                     A.scale[i]);
              });
        });
      },
      "matrix"_a, "w"_a, "lam"_a, "total"_a, "beta"_a, "psi"_a, "seed"_a, "first"_a, "n_draws"_a,
      "max_drift"_a, "n_threads"_a);
}

}  // namespace tauboost
