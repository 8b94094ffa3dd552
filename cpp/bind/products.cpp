// Python's view of products with the matrix, and of Newton's quadratic.
#include "kernels/products.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/arguments.hpp"
#include "kernels/newton.hpp"

using namespace nb::literals;

namespace tauboost {

void bind_products(nb::module_& module) {
  module.def(
      "gather_columns",
      [](const Matrix& A, Array<const double> w, Array<const std::int32_t> columns,
         Array<double> neg, Array<double> pos, int n_threads, std::optional<Array<double>> square) {
        const auto n = length(columns);
        expect_size(w, A.m, "w");
        expect_size(neg, n, "neg");
        expect_size(pos, n, "pos");
        expect_size(square, n, "square");
        released([&](Cancellation& cancel) {
          gather_columns(A, w.data(), columns.data(), n, neg.data(), pos.data(), data_of(square),
                         n_threads, cancel);
        });
      },
      "matrix"_a, "w"_a, "columns"_a, "neg"_a, "pos"_a, "n_threads"_a, "square"_a = nb::none());

  module.def(
      "move_rows",
      [](const Matrix& A, Array<double> w, std::optional<Array<double>> E,
         std::optional<Array<const double>> c, Array<const std::int32_t> columns,
         Array<const double> steps, double fraction, int n_threads) {
        const auto n = length(columns);
        expect_size(steps, n, "steps");
        const Iterate at = iterate(A, w, E, c);
        const WithoutGil free;
        return with_loss(E.has_value(), [&]<LossOf Loss>(Loss) {
          return move_rows<Loss>(A, at, columns.data(), n, steps.data(), fraction, n_threads);
        });
      },
      "matrix"_a, "w"_a, "E"_a.none(), "c"_a.none(), "columns"_a, "steps"_a, "fraction"_a,
      "n_threads"_a);

  module.def(
      "add_all",
      [](const Matrix& A, Array<const double> d, Array<double> r, int n_threads) {
        expect_size(d, A.n, "d");
        expect_size(r, A.m, "r");
        released([&](Cancellation& cancel) { add_all(A, d.data(), r.data(), n_threads, cancel); });
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
        const auto k = length(columns);
        expect_size(H, k * k, "H");
        released([&](Cancellation& cancel) {
          gram(A, w.data(), columns.data(), k, H.data(), n_threads, cancel);
        });
      },
      "matrix"_a, "w"_a, "columns"_a, "H"_a, "n_threads"_a);

  module.def(
      "quadratic_descent",
      [](Array<const double> H, Array<double> slope, Array<const double> x, Array<const double> l1,
         Array<const double> lower, Array<const double> upper, std::int64_t most_passes,
         Array<double> d) {
        const auto k = length(d);
        expect_size(H, k * k, "H");
        expect_size(slope, k, "slope");
        expect_size(x, k, "x");
        expect_size(l1, k, "l1");
        expect_size(lower, k, "lower");
        expect_size(upper, k, "upper");
        released([&](Cancellation& cancel) {
          quadratic_descent(H.data(), slope.data(), x.data(), l1.data(), lower.data(), upper.data(),
                            k, most_passes, d.data(), cancel);
        });
      },
      "H"_a, "slope"_a, "x"_a, "l1"_a, "lower"_a, "upper"_a, "most_passes"_a, "d"_a);
}

}  // namespace tauboost
