// Python's view of lane_rows.hpp: sweeps of any number of lanes that was compiled, one or several
// side by side.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bind/arguments.hpp"
#include "kernels/driver.hpp"
#include "kernels/lane_rows.hpp"
#include "kernels/subspace.hpp"
#include "simd/vectors.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

// use.operator()<L>() for the number of lanes, of those that were compiled.
template <typename Use>
auto with_lanes(std::int64_t n, Use use) {
  switch (n) {
    case 1:
      return use.template operator()<1>();
    case 2:
      return use.template operator()<2>();
    case 4:
      return use.template operator()<4>();
    case 8:
      return use.template operator()<8>();
    default:
      throw std::invalid_argument("the number of lanes must be 1, 2, 4 or 8");
  }
}

// Outcome of a sweep, and between what the odds are now: 1 for the exponential loss.
struct SweptLanes : LaneOutcome {
  SweptLanes() = default;
  template <int L>
  explicit SweptLanes(const Outcome<L>& found) : LaneOutcome(found) {}
  double least_odds = 1.0, most_odds = 1.0;
};

struct LaneSweep {
  const Matrix& A;
  Array<double> rows, lam;
  Array<const double> total, l1, l2;
  std::int64_t n_penalised;
  std::optional<Array<const double>> l1_factors, l2_factors;  // of each coordinate, lane by lane
  Array<const std::int32_t> columns;
  std::int64_t tau;
  bool is_logistic, is_signed;
  int n_threads;

  void check() const {
    const std::int64_t L = n_lanes();
    with_lanes(L, []<int>() {});  // there must be a kernel for so many
    expect_size(rows, A.m * L * (is_logistic ? 2 : 1), "rows");
    expect_size(lam, A.n * L, "lam");
    expect_size(l1, L, "l1");
    expect_size(l2, L, "l2");
    expect_size(l1_factors, n_penalised * L, "l1_factors");
    expect_size(l2_factors, n_penalised * L, "l2_factors");
  }

  std::int64_t n_lanes() const { return length(total); }

  SweptLanes run(Cancellation& cancel) const {
    return with_lanes(n_lanes(), [&]<int L>() {
      return with_loss(is_logistic,
                       [&]<LossOf Loss>(Loss) { return run<LaneRows<L, Loss>>(cancel); });
    });
  }

 private:
  template <RowsOf Rows>
  SweptLanes run(Cancellation& cancel) const {
    constexpr int L = Rows::L;
    std::array<double, L> totals;
    std::array<Penalty, L> psi;
    for (int l = 0; l < L; ++l) {
      totals[l] = total.data()[l];
      psi[l] = {l1.data()[l], l2.data()[l], nullptr, nullptr, n_penalised};
      psi[l].l1_factors = l1_factors ? l1_factors->data() + l : nullptr;
      psi[l].l2_factors = l2_factors ? l2_factors->data() + l : nullptr;
      psi[l].stride = L;
    }
    Rows kept(A, is_signed, rows.data(), tau);
    typename Rows::Steps steps(A, psi, {Rows::Loss::is_log_of_sum}, lam.data(), nullptr, tau);
    Slices slices(columns.data(), length(columns), tau);
    Team team(n_threads);
    SweptLanes found(Driver(kept, steps, totals).run(slices, team, cancel));
    if constexpr (Rows::Loss::keeps_odds) {
      const OddsRange odds = range_of_odds<L>(rows.data(), A.m);
      found.least_odds = odds.least;
      found.most_odds = odds.most;
    }
    return found;
  }
};

// Each sweep has threads of its own; those of the sweeps next to each other come on top.
std::vector<SweptLanes> sweep_lanes(const std::vector<const LaneSweep*>& sweeps, int n_threads) {
  return released([&](Cancellation& cancel) {
    std::vector<SweptLanes> found(sweeps.size());
    const auto n = length(sweeps);
    Team team(static_cast<int>(std::min<std::int64_t>(n_threads, n)));
    team.share(n, [&](std::int64_t k) { found[k] = sweeps[k]->run(cancel); });
    return found;
  });
}

// What subspace.hpp remembers between sweeps, as Python holds it.
struct Subspace {
  const Matrix& A;
  Array<const double> c;
  std::optional<Array<const double>> labels;
  Array<const double> l2;
  std::optional<Array<const double>> factors;
  Array<const std::int32_t> columns;
  std::int64_t n_penalised;
  Array<double> row_point, row_step, row_older, point, step, older;

  void check() const {
    const auto L = length(l2);
    expect_size(labels, A.m, "labels");
    expect_size(factors, n_penalised * L, "factors");
    expect_size(c, A.m * L, "c");
    for (const auto* part : {&row_point, &row_step, &row_older})
      expect_size(*part, A.m * L, "a row's memory");
    for (const auto* part : {&point, &step, &older})
      expect_size(*part, A.n * L, "a column's memory");
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns.data()[k] < 0 || columns.data()[k] >= A.n)
        throw std::invalid_argument("no such column");
  }

  std::vector<double> run(Array<double> rows, Array<double> lam) {
    const auto L = length(l2);
    expect_size(rows, A.m * L * 2, "rows");
    expect_size(lam, A.n * L, "lam");
    return with_lanes(L, [&]<int Lanes>() { return run_in<Lanes>(rows, lam); });
  }

 private:
  template <int L>
  std::vector<double> run_in(Array<double> rows, Array<double> lam) {
    const SubspaceProblem problem = {A.m,
                                     A.n,
                                     n_penalised,
                                     columns.data(),
                                     length(columns),
                                     c.data(),
                                     data_of(labels),
                                     l2.data(),
                                     data_of(factors)};
    const Memory memory = {row_point.data(), row_step.data(), row_older.data(),
                           point.data(),     step.data(),     older.data()};
    std::swap(row_step, row_older);  // for the next time
    std::swap(step, older);
    const WithoutGil free;
    const auto gain = SubspaceStep<L>(problem, memory, rows.data(), lam.data()).run();
    return {gain.begin(), gain.end()};
  }
};

}  // namespace

void bind_lanes(nb::module_& module) {
  module.def("vector_width", &vector_width);
  module.def(
      "set_vector_width", [](int width) { chosen_width() = std::clamp(width, 2, widest_vector()); },
      "width"_a);

  nb::class_<LaneOutcome>(module, "LaneOutcome")
      .def_ro("bundles", &LaneOutcome::blocks)
      .def_ro("undone", &LaneOutcome::undone)
      .def_ro("total", &LaneOutcome::total)
      .def_ro("decrease", &LaneOutcome::decrease)
      .def_ro("predicted", &LaneOutcome::predicted)
      .def_ro("longest", &LaneOutcome::longest)
      .def_ro("edge", &LaneOutcome::edge);
  nb::class_<SweptLanes, LaneOutcome>(module, "SweptLanes")
      .def_ro("least_odds", &SweptLanes::least_odds)
      .def_ro("most_odds", &SweptLanes::most_odds);

  nb::class_<LaneSweep>(module, "LaneSweep")
      .def("__init__",
           made_of<LaneSweep, const Matrix&, Array<double>, Array<double>, Array<const double>,
                   Array<const double>, Array<const double>, std::int64_t,
                   std::optional<Array<const double>>, std::optional<Array<const double>>,
                   Array<const std::int32_t>, std::int64_t, bool, bool, int>(),
           "matrix"_a, "rows"_a, "lam"_a, "total"_a, "l1"_a, "l2"_a, "n_penalised"_a,
           "l1_factors"_a.none(), "l2_factors"_a.none(), "columns"_a, "tau"_a, "is_logistic"_a,
           "is_signed"_a, "n_threads"_a, nb::keep_alive<1, 2>());
  nb::class_<Subspace>(module, "Subspace")
      .def("__init__",
           made_of<Subspace, const Matrix&, Array<const double>, std::optional<Array<const double>>,
                   Array<const double>, std::optional<Array<const double>>,
                   Array<const std::int32_t>, std::int64_t, Array<double>, Array<double>,
                   Array<double>, Array<double>, Array<double>, Array<double>>(),
           "matrix"_a, "c"_a, "labels"_a.none(), "l2"_a, "factors"_a.none(), "columns"_a,
           "n_penalised"_a, "row_point"_a, "row_step"_a, "row_older"_a, "point"_a, "step"_a,
           "older"_a, nb::keep_alive<1, 2>())
      .def("run", &Subspace::run, "rows"_a, "lam"_a);
  module.def("sweep_lanes", &sweep_lanes, "sweeps"_a, "n_threads"_a);
}

}  // namespace tauboost
