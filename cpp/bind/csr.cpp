// Python's view of csr.hpp.
#include "matrix/csr.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/bindings.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

template <typename Pointer, typename Index>
CsrRows<Pointer, Index> rows(const Array<const Pointer>& indptr, const Array<const Index>& indices,
                             const std::optional<Array<const double>>& data) {
  expect_size(data, length(indices), "data");
  if (indptr.size() == 0 || indptr.data()[0] != 0 ||
      static_cast<std::size_t>(indptr.data()[indptr.size() - 1]) > indices.size())
    throw std::invalid_argument("indptr does not fit indices");
  return {{indptr.data(), indices.data(), data_of(data)}, length(indptr) - 1};
}

template <typename Pointer, typename Index>
void bind_for(nb::module_& module) {
  module.def(
      "inspect_csr",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, int n_threads) {
        const CsrRows<Pointer, Index> X = rows(indptr, indices, data);
        const WithoutGil free;
        return inspect(X, n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "n_threads"_a);

  module.def(
      "first_shared_row",
      [](Array<const Pointer> indptr, Array<const Index> indices, Array<const Pointer> more_indptr,
         Array<const Index> more_indices) {
        const CsrRows<Pointer, Index> X = rows(indptr, indices, {});
        const CsrRows<Pointer, Index> Y = rows(more_indptr, more_indices, {});
        if (X.m != Y.m) throw std::invalid_argument("different numbers of rows");
        const WithoutGil free;
        return first_shared_row(X, Y);
      },
      "indptr"_a, "indices"_a, "more_indptr"_a, "more_indices"_a);

  module.def(
      "csr_product",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, Array<const double> coef,
         Array<const double> intercept, Array<double> out, int n_threads) {
        CsrRows<Pointer, Index> X = rows(indptr, indices, data);
        const auto K = length(intercept);
        X.n = length(coef) / std::max<std::int64_t>(K, 1);
        expect_size(out, X.m * K, "out");
        const WithoutGil free;
        csr_product(X, coef.data(), intercept.data(), K, out.data(), n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "coef"_a, "intercept"_a, "out"_a, "n_threads"_a);

  module.def(
      "column_ranges",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, Array<double> least, Array<double> most,
         Array<std::int64_t> counts, int n_threads) {
        CsrRows<Pointer, Index> X = rows(indptr, indices, data);
        X.n = length(counts);
        expect_size(least, X.n, "least");
        expect_size(most, X.n, "most");
        const WithoutGil free;
        column_ranges(X, least.data(), most.data(), counts.data(), n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "least"_a, "most"_a, "counts"_a, "n_threads"_a);

  module.def(
      "column_moments",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, Array<const double> weights,
         Array<const std::int32_t> slot, Array<const double> zero, Array<const double> size,
         Array<double> out, int n_threads) {
        CsrRows<Pointer, Index> X = rows(indptr, indices, data);
        X.n = length(slot);
        const auto n = length(zero);
        expect_size(weights, X.m, "weights");
        expect_size(size, n, "size");
        expect_size(out, 3 * n, "out");
        if (std::any_of(slot.data(), slot.data() + X.n, [n](std::int32_t s) { return s >= n; }))
          throw std::invalid_argument("slot is out of range");
        const WithoutGil free;
        const ChosenColumns chosen{slot.data(), zero.data(), size.data(), n};
        column_moments(X, weights.data(), chosen, out.data(), n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "weights"_a, "slot"_a, "zero"_a, "size"_a, "out"_a,
      "n_threads"_a);

  module.def(
      "row_fingerprints",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, std::uint64_t seed, Array<std::uint64_t> out,
         int n_threads, std::optional<Array<const double>> zero,
         std::optional<Array<const double>> size) {
        CsrRows<Pointer, Index> X = rows(indptr, indices, data);
        expect_size(out, X.m, "out");
        std::vector<Ruler> rulers;
        if (zero && size) {
          X.n = length(*zero);
          expect_size(*size, X.n, "size");
          for (std::int64_t f = 0; f < X.n; ++f)
            rulers.push_back({zero->data()[f], 1.0 / size->data()[f]});
        }
        const WithoutGil free;
        row_fingerprints(X, rulers, seed, out.data(), n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "seed"_a, "out"_a, "n_threads"_a,
      "zero"_a = nb::none(), "size"_a = nb::none());
}

}  // namespace

void bind_csr(nb::module_& module) {
  nb::class_<CsrFacts>(module, "CsrFacts")
      .def_ro("least_index", &CsrFacts::least_index)
      .def_ro("most_index", &CsrFacts::most_index)
      .def_ro("least", &CsrFacts::least)
      .def_ro("most", &CsrFacts::most)
      .def_ro("is_finite", &CsrFacts::is_finite)
      .def_ro("all_one", &CsrFacts::all_one)
      .def_ro("is_ascending", &CsrFacts::is_ascending)
      .def_ro("has_duplicates", &CsrFacts::has_duplicates);
  module.def(
      "inspect_values",
      [](Array<const double> values) {
        CsrFacts facts;
        check_values(values.data(), 0, length(values), facts);
        return facts;
      },
      "values"_a);
  bind_for<std::int32_t, std::int32_t>(module);
  bind_for<std::int64_t, std::int64_t>(module);
  bind_for<std::int64_t, std::int32_t>(module);
}

}  // namespace tauboost
