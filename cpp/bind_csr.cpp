// Python's view of csr.hpp.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "csr.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

template <typename Pointer, typename Index>
CsrRows<Pointer, Index> rows(const Array<const Pointer>& indptr, const Array<const Index>& indices,
                             const std::optional<Array<const double>>& data) {
  if (data) expect_size(*data, static_cast<std::int64_t>(indices.size()), "data");
  return {indptr.data(), indices.data(), data ? data->data() : nullptr,
          static_cast<std::int64_t>(indptr.size()) - 1};
}

template <typename Pointer, typename Index>
void bind_for(nb::module_& module) {
  module.def(
      "inspect_csr",
      [](Array<const Index> indices, std::optional<Array<const double>> data, int n_threads) {
        const auto n = static_cast<std::int64_t>(indices.size());
        if (data) expect_size(*data, n, "data");
        const WithoutGil free;
        return inspect(indices.data(), data ? data->data() : nullptr, n, n_threads);
      },
      "indices"_a, "data"_a.none(), "n_threads"_a);

  module.def(
      "csr_product",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, Array<const double> coef,
         Array<const double> intercept, Array<double> out, int n_threads) {
        const CsrRows<Pointer, Index> X = rows(indptr, indices, data);
        const auto K = static_cast<std::int64_t>(intercept.size());
        expect_size(out, X.m * K, "out");
        const WithoutGil free;
        csr_product(X, coef.data(), intercept.data(), K, out.data(), n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "coef"_a, "intercept"_a, "out"_a, "n_threads"_a);

  module.def(
      "row_fingerprints",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, std::uint64_t seed, Array<std::uint64_t> out,
         int n_threads) {
        const CsrRows<Pointer, Index> X = rows(indptr, indices, data);
        expect_size(out, X.m, "out");
        const WithoutGil free;
        row_fingerprints(X, seed, out.data(), n_threads);
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "seed"_a, "out"_a, "n_threads"_a);
}

}  // namespace

void bind_csr(nb::module_& module) {
  nb::class_<CsrFacts>(module, "CsrFacts")
      .def_ro("least_index", &CsrFacts::least_index)
      .def_ro("most_index", &CsrFacts::most_index)
      .def_ro("least", &CsrFacts::least)
      .def_ro("most", &CsrFacts::most)
      .def_ro("is_finite", &CsrFacts::is_finite)
      .def_ro("all_one", &CsrFacts::all_one);
  bind_for<std::int32_t, std::int32_t>(module);
  bind_for<std::int64_t, std::int64_t>(module);
  bind_for<std::int64_t, std::int32_t>(module);
}

}  // namespace tauboost
