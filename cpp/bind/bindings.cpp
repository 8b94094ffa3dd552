// The compiled module tauboost._core: Python's view of the kernels. Arguments are checked by
// problem.py before they come here; the checks below only keep a mistake in our own Python from
// reading out of bounds.
#include "bind/bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "kernels/bundle_steps.hpp"
#include "kernels/draw_rows.hpp"
#include "kernels/lockfree.hpp"
#include "kernels/newton.hpp"
#include "kernels/products.hpp"
#include "kernels/sweep_rows.hpp"
#include "matrix/build.hpp"

using namespace nb::literals;
using namespace tauboost;

namespace {

template <typename T>
NumpyArray<const T> view(const std::vector<T>& values) {
  return NumpyArray<const T>(values.data(), {values.size()}, nb::handle());
}

template <typename Pointer, typename Index>
struct CsrArguments {
  Array<const Pointer> indptr;
  Array<const Index> indices;
  std::optional<Array<const double>> data;

  CsrPart<Pointer, Index> part(std::int64_t m) const {
    expect_size(indptr, m + 1, "indptr");
    if (data) expect_size(*data, static_cast<std::int64_t>(indices.size()), "data");
    return {indptr.data(), indices.data(), data ? data->data() : nullptr};
  }
};

// X as CSR arrays, or as the sum of two.
template <typename Pointer, typename Index>
void bind_build(nb::module_& module) {
  module.def(
      "build_matrix",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, std::optional<Array<const Pointer>> more_indptr,
         std::optional<Array<const Index>> more_indices,
         std::optional<Array<const double>> more_data, Array<const std::uint8_t> positive,
         Array<const std::int32_t> place, bool intercept, Array<const std::int64_t> cuts,
         int n_threads) {
        const auto m = static_cast<std::int64_t>(positive.size());
        Csr<Pointer, Index> X = {{CsrArguments<Pointer, Index>{indptr, indices, data}.part(m)},
                                 positive.data(),
                                 place.data(),
                                 static_cast<std::int64_t>(place.size())};
        if (more_indptr && more_indices)
          X.parts.push_back(
              CsrArguments<Pointer, Index>{*more_indptr, *more_indices, more_data}.part(m));
        const WithoutGil free;
        const auto n_shards = static_cast<std::int64_t>(cuts.size()) - 1;
        return build(X, m, intercept, cuts.data(), n_shards, n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "more_indptr"_a.none(), "more_indices"_a.none(),
      "more_data"_a.none(), "positive"_a, "place"_a, "intercept"_a, "cuts"_a, "n_threads"_a);
}

// psi as Python holds it: the arrays of its bounds live as long as it does.
struct Psi {
  Psi(double l1, double l2, std::optional<Array<const double>> lower,
      std::optional<Array<const double>> upper, std::int64_t n_penalised)
      : lower(lower), upper(upper) {
    if (lower) expect_size(*lower, n_penalised, "lower");
    if (upper) expect_size(*upper, n_penalised, "upper");
    penalty = {l1, l2, lower ? lower->data() : nullptr, upper ? upper->data() : nullptr,
               n_penalised};
  }

  std::optional<Array<const double>> lower, upper;
  Penalty penalty;
};

// The steps of bundles whose rows are elsewhere: sums come in, steps go out. One bundle at a time;
// the arrays live as long as this does. With a beta the step is the paper's, otherwise exact.
struct RemoteSteps {
  RemoteSteps(const Matrix& A, const Psi& psi, Array<double> lam, double total, Array<double> gain,
              bool is_logistic, std::optional<double> beta, std::int64_t tau)
      : lam(lam), gain(gain) {
    expect_size(lam, A.n, "lam");
    expect_size(gain, A.n, "gain");
    const StepRule rule = {is_logistic, beta.value_or(0.0)};
    steps.emplace(A, psi.penalty, rule, lam.data(), total, gain.data(), tau);
  }

  void decide(Array<const std::int32_t> columns, Array<const double> neg, Array<const double> pos,
              Array<const double> square, Array<double> out) {
    const auto n = static_cast<std::int64_t>(columns.size());
    expect_size(neg, n, "neg");
    expect_size(pos, n, "pos");
    expect_size(square, n, "square");
    expect_size(out, n, "steps");
    if (n > static_cast<std::int64_t>(steps->step().size()))
      throw std::invalid_argument("more columns than tau");
    bundle.assign(columns.data(), columns.data() + n);
    for (std::int64_t part = 0; part < BundleSteps::n_slices(n); ++part)
      steps->decide(bundle.data(), n, part, [&](std::int64_t k) {
        return SignedSums{neg.data()[k], pos.data()[k], square.data()[k]};
      });
    std::copy_n(steps->step().begin(), n, out.data());
  }

  void judge(const std::vector<double>& changes) {
    const auto n = static_cast<std::int64_t>(bundle.size());
    steps->judge(n, changes);
    for (std::int64_t part = 0; part < BundleSteps::n_slices(n); ++part)
      steps->commit(bundle.data(), n, part);
  }

  void judge_shorter(double fraction, const std::vector<double>& changes) {
    const auto n = static_cast<std::int64_t>(bundle.size());
    steps->judge_shorter(bundle.data(), n, fraction, changes);
  }

  SweepOutcome outcome() const {
    SweepOutcome outcome = steps->outcome();
    outcome.total = steps->total();
    return outcome;
  }

  Array<double> lam, gain;
  std::vector<std::int32_t> bundle;
  std::optional<BundleSteps> steps;
};

SampleWeights sample_weights(const Matrix& A, const std::optional<Array<const double>>& c) {
  if (!c) return {nullptr, 0};
  if (c->size() == 1) return {c->data(), 0};
  expect_size(*c, A.m, "c");
  return {c->data(), 1};
}

void expect_vectors(const Matrix& A, const Array<double>& w, const Array<double>& lam) {
  expect_size(w, A.m, "w");
  expect_size(lam, A.n, "lam");
}

SweepOutcome one_lane(const Outcome<1>& found) {
  return {found.bundles,      found.undone[0],  found.total[0], found.decrease[0],
          found.predicted[0], found.longest[0], found.edge[0]};
}

}  // namespace

NB_MODULE(_core, module) {
  // Whatever a thread still holds when Python exits (Dask's do) would be reported as a leak.
  nb::set_leak_warnings(false);

  nb::class_<Matrix>(module, "Matrix")
      .def_ro("m", &Matrix::m)
      .def_ro("n", &Matrix::n)
      .def_ro("nnz", &Matrix::nnz)
      .def_ro("omega", &Matrix::omega)
      .def_ro("n_valued", &Matrix::n_valued)
      .def_ro("is_sound", &Matrix::is_sound)
      .def_prop_ro("n_shards", [](const Matrix& A) { return A.shards.size(); })
      .def_prop_ro("nbytes", &Matrix::nbytes)
      .def(
          "column_counts",
          [](const Matrix& A, Array<std::int64_t> counts) {
            expect_size(counts, A.n, "counts");
            for (std::int64_t i = 0; i < A.n; ++i) {
              counts.data()[i] = 0;
              for (const Shard& shard : A.shards)
                counts.data()[i] += shard.start[i + 1] - shard.start[i];
            }
          },
          "counts"_a)
      .def_prop_ro(
          "scale", [](const Matrix& A) { return view(A.scale); }, nb::rv_policy::reference_internal)
      .def(
          "valued",
          [](const Matrix& A, Array<std::uint8_t> valued) {
            expect_size(valued, A.n, "valued");
            for (std::int64_t i = 0; i < A.n; ++i) valued.data()[i] = A.is_valued(i);
          },
          "valued"_a)
      .def_prop_ro(
          "row_order", [](const Matrix& A) { return view(A.row_order); },
          nb::rv_policy::reference_internal);

  bind_build<std::int32_t, std::int32_t>(module);
  bind_build<std::int64_t, std::int64_t>(module);
  bind_build<std::int64_t, std::int32_t>(module);

  module.def(
      "outline",
      [](std::int64_t m, std::int64_t nnz, std::int64_t omega, bool intercept,
         Array<const double> scale, Array<const std::uint8_t> valued) {
        const auto n = static_cast<std::int64_t>(scale.size());
        expect_size(valued, n, "valued");
        return Matrix::outline(m, nnz, omega, intercept, scale.data(), valued.data(), n);
      },
      "m"_a, "nnz"_a, "omega"_a, "intercept"_a, "scale"_a, "valued"_a);

  module.def(
      "gather_columns",
      [](const Matrix& A, Array<const double> w, Array<const std::int32_t> columns,
         Array<double> neg, Array<double> pos, int n_threads, std::optional<Array<double>> square) {
        const auto n = static_cast<std::int64_t>(columns.size());
        expect_size(w, A.m, "w");
        expect_size(neg, n, "neg");
        expect_size(pos, n, "pos");
        if (square) expect_size(*square, n, "square");
        released([&](Pulse& pulse) {
          gather_columns(A, w.data(), columns.data(), n, neg.data(), pos.data(),
                         square ? square->data() : nullptr, n_threads, pulse);
          return 0;
        });
      },
      "matrix"_a, "w"_a, "columns"_a, "neg"_a, "pos"_a, "n_threads"_a, "square"_a = nb::none());

  module.def(
      "move_rows",
      [](const Matrix& A, Array<double> w, std::optional<Array<double>> E,
         std::optional<Array<const double>> c, Array<const std::int32_t> columns,
         Array<const double> steps, double fraction, int n_threads) {
        const auto n = static_cast<std::int64_t>(columns.size());
        expect_size(w, A.m, "w");
        if (E) expect_size(*E, A.m, "E");
        expect_size(steps, n, "steps");
        const Iterate at = {w.data(), nullptr, 0.0, E ? E->data() : nullptr, sample_weights(A, c)};
        const WithoutGil free;
        return move_rows(A, at, columns.data(), n, steps.data(), fraction, n_threads);
      },
      "matrix"_a, "w"_a, "E"_a.none(), "c"_a.none(), "columns"_a, "steps"_a, "fraction"_a,
      "n_threads"_a);

  module.def(
      "add_all",
      [](const Matrix& A, Array<const double> d, Array<double> r, int n_threads) {
        expect_size(d, A.n, "d");
        expect_size(r, A.m, "r");
        released([&](Pulse& pulse) {
          add_all(A, d.data(), r.data(), n_threads, pulse);
          return 0;
        });
      },
      "matrix"_a, "d"_a, "r"_a, "n_threads"_a);

  module.def(
      "pure_gather",
      [](const Matrix& A, Array<const double> w, int n_threads) {
        expect_size(w, A.m, "w");
        const WithoutGil free;
        return pure_gather(A, w.data(), n_threads);
      },
      "matrix"_a, "w"_a, "n_threads"_a);

  module.def(
      "gram",
      [](const Matrix& A, Array<const double> w, Array<const std::int32_t> columns, Array<double> H,
         int n_threads) {
        expect_size(w, A.m, "w");
        const auto k = static_cast<std::int64_t>(columns.size());
        expect_size(H, k * k, "H");
        released([&](Pulse& pulse) {
          gram(A, w.data(), columns.data(), k, H.data(), n_threads, pulse);
          return 0;
        });
      },
      "matrix"_a, "w"_a, "columns"_a, "H"_a, "n_threads"_a);

  module.def(
      "quadratic_descent",
      [](Array<const double> H, Array<double> slope, Array<const double> x, Array<const double> l1,
         Array<const double> lower, Array<const double> upper, std::int64_t most_passes,
         Array<double> d) {
        const auto k = static_cast<std::int64_t>(d.size());
        expect_size(H, k * k, "H");
        expect_size(slope, k, "slope");
        expect_size(x, k, "x");
        expect_size(l1, k, "l1");
        expect_size(lower, k, "lower");
        expect_size(upper, k, "upper");
        released([&](Pulse& pulse) {
          quadratic_descent(H.data(), slope.data(), x.data(), l1.data(), lower.data(), upper.data(),
                            k, most_passes, d.data(), pulse);
          return 0;
        });
      },
      "H"_a, "slope"_a, "x"_a, "l1"_a, "lower"_a, "upper"_a, "most_passes"_a, "d"_a);

  nb::class_<Psi>(module, "Psi")
      .def(nb::init<double, double, std::optional<Array<const double>>,
                    std::optional<Array<const double>>, std::int64_t>(),
           "l1"_a, "l2"_a, "lower"_a.none(), "upper"_a.none(), "n_penalised"_a);

  nb::class_<DrawOutcome>(module, "Outcome")
      .def_ro("done", &DrawOutcome::done)
      .def_ro("undone", &DrawOutcome::undone)
      .def_ro("total", &DrawOutcome::total)
      .def_ro("drift", &DrawOutcome::drift);

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
        return released([&](Pulse& pulse) {
          DrawRows rows(A, w.data(), sampling.tau());
          DrawRows::Steps steps(A, {psi.penalty}, {false, beta}, lam.data(), nullptr,
                                sampling.tau());
          Draws draws(sampling, first, n_iterations);
          Team team(n_threads);
          const auto found = Driver<1, DrawRows, DrawRows::Steps>(rows, steps, {total}, false)
                                 .run(draws, team, pulse, max_drift);
          return DrawOutcome{found.bundles, found.undone[0], found.total[0], found.travel[0]};
        });
      },
      "matrix"_a, "w"_a, "lam"_a, "total"_a, "beta"_a, "psi"_a, "sampling"_a, "first"_a,
      "n_iterations"_a, "max_drift"_a, "n_threads"_a);

  nb::class_<SweepOutcome>(module, "SweepOutcome")
      .def_ro("bundles", &SweepOutcome::bundles)
      .def_ro("undone", &SweepOutcome::undone)
      .def_ro("total", &SweepOutcome::total)
      .def_ro("decrease", &SweepOutcome::decrease)
      .def_ro("predicted", &SweepOutcome::predicted)
      .def_ro("longest", &SweepOutcome::longest)
      .def_ro("edge", &SweepOutcome::edge);

  nb::class_<RemoteSteps>(module, "BundleSteps")
      .def(nb::init<const Matrix&, const Psi&, Array<double>, double, Array<double>, bool,
                    std::optional<double>, std::int64_t>(),
           "matrix"_a, "psi"_a, "lam"_a, "total"_a, "gain"_a, "is_logistic"_a, "beta"_a.none(),
           "tau"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("decide", &RemoteSteps::decide, "columns"_a, "neg"_a, "pos"_a, "square"_a, "steps"_a)
      .def("judge", &RemoteSteps::judge, "changes"_a)
      .def("judge_shorter", &RemoteSteps::judge_shorter, "fraction"_a, "changes"_a)
      .def_prop_ro("rose", [](const RemoteSteps& at) { return at.steps->rose(); })
      .def_prop_ro("fraction", [](const RemoteSteps& at) { return at.steps->fraction(); })
      .def_prop_ro("shorter", [](const RemoteSteps& at) { return at.steps->shorter(); })
      .def_prop_ro("is_worn", [](const RemoteSteps& at) { return at.steps->is_worn(); })
      .def(
          "renew", [](RemoteSteps& at, double total) { at.steps->renew(total); }, "total"_a)
      .def_prop_ro("outcome", &RemoteSteps::outcome)
      .def_prop_ro("total", [](const RemoteSteps& at) { return at.steps->total(); });

  module.def(
      "exact_sweep",
      [](const Matrix& A, Array<double> w, std::optional<Array<double>> E,
         std::optional<Array<const double>> c, Array<double> lam, double total, const Psi& psi,
         Array<const std::int32_t> columns, std::int64_t tau, Array<double> gain, int n_threads) {
        expect_vectors(A, w, lam);
        if (E) expect_size(*E, A.m, "E");
        expect_size(gain, A.n, "gain");
        const Iterate at = {w.data(), lam.data(), total, E ? E->data() : nullptr,
                            sample_weights(A, c)};
        return released([&](Pulse& pulse) {
          SweepRows rows(A, at, tau);
          SweepRows::Steps steps(A, {psi.penalty}, {at.is_logistic()}, at.lam, gain.data(), tau);
          Slices slices(columns.data(), static_cast<std::int64_t>(columns.size()), tau);
          Team team(n_threads);
          const auto found =
              Driver<1, SweepRows, SweepRows::Steps>(rows, steps, {total}, at.is_logistic())
                  .run(slices, team, pulse);
          rows.settle(team);
          return one_lane(found);
        });
      },
      "matrix"_a, "w"_a, "E"_a.none(), "c"_a.none(), "lam"_a, "total"_a, "psi"_a, "columns"_a,
      "tau"_a, "gain"_a, "n_threads"_a);

  module.def(
      "exact_async",
      [](const Matrix& A, Array<double> w, std::optional<Array<double>> E,
         std::optional<Array<const double>> c, Array<double> lam, double total, const Psi& psi,
         Array<const std::int32_t> columns, double max_drift, int n_threads) {
        expect_vectors(A, w, lam);
        if (E) expect_size(*E, A.m, "E");
        Iterate at = {w.data(), lam.data(), total, E ? E->data() : nullptr, sample_weights(A, c)};
        return released([&](Pulse& pulse) {
          return lock_free(
              A, at, static_cast<std::int64_t>(columns.size()), {max_drift}, n_threads, pulse,
              [&](std::int64_t u) { return columns.data()[u]; },
              [&, rule = StepRule{at.is_logistic()}](std::int64_t i, double x,
                                                     const SignedSums& sums, double total) {
                return choose_one(A, psi.penalty, rule, i, x, sums, total);
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
        return released([&](Pulse& pulse) {
          return lock_free(
              A, at, n_draws, {max_drift}, n_threads, pulse,
              [&](std::int64_t u) { return independent_draw(seed, first + u, A.n); },
              [&](std::int64_t i, double x, const SignedSums& sums, double total) {
                return proximal_step(psi.penalty, i, x, (sums.pos - sums.neg) / total, beta,
                                     A.scale[i]);
              });
        });
      },
      "matrix"_a, "w"_a, "lam"_a, "total"_a, "beta"_a, "psi"_a, "seed"_a, "first"_a, "n_draws"_a,
      "max_drift"_a, "n_threads"_a);

  bind_csr(module);
  bind_lanes(module);
  bind_svmlight(module);
#ifdef TAUBOOST_SANITIZE
  bind_inject(module);
#endif
}
