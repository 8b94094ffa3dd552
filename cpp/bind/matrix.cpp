// Python's view of the matrix in the core, and of how it is built.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/bindings.hpp"
#include "matrix/build.hpp"

using namespace nb::literals;

namespace tauboost {
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
    expect_size(data, length(indices), "data");
    return {indptr.data(), indices.data(), data_of(data)};
  }
};

Centers centers_of(Array<const std::int64_t> centered, Array<const double> centers,
                   std::int64_t n_features) {
  const auto n = length(centered);
  expect_size(centers, n, "centers");
  Centers found;
  if (n == 0) return found;
  found.features.assign(centered.data(), centered.data() + n);
  found.values.assign(centers.data(), centers.data() + n);
  found.slot.assign(n_features, -1);
  for (std::int64_t s = 0; s < n; ++s) {
    const std::int64_t f = found.features[s];
    if (f < 0 || f >= n_features) throw nb::value_error("centered has a feature that X has not");
    found.slot[f] = static_cast<std::int32_t>(s);
  }
  return found;
}

// X as CSR arrays, or as the sum of two, with numbers subtracted from some of its columns.
template <typename Pointer, typename Index>
void bind_build(nb::module_& module) {
  module.def(
      "build_matrix",
      [](Array<const Pointer> indptr, Array<const Index> indices,
         std::optional<Array<const double>> data, std::optional<Array<const Pointer>> more_indptr,
         std::optional<Array<const Index>> more_indices,
         std::optional<Array<const double>> more_data, Array<const std::uint8_t> positive,
         Array<const std::int32_t> place, Array<const std::int64_t> centered,
         Array<const double> centers, bool intercept, Array<const std::int64_t> cuts,
         int n_threads) {
        const auto m = length(positive);
        const auto n = length(place);
        Csr<Pointer, Index> X = {{CsrArguments<Pointer, Index>{indptr, indices, data}.part(m)},
                                 positive.data(),
                                 place.data(),
                                 n,
                                 length(indices) / std::max<std::int64_t>(m, 1),
                                 centers_of(centered, centers, n)};
        if (more_indptr && more_indices)
          X.parts.push_back(
              CsrArguments<Pointer, Index>{*more_indptr, *more_indices, more_data}.part(m));
        const auto n_shards = length(cuts) - 1;
        return released([&](Cancellation& cancel) {
          return build(X, m, intercept, cuts.data(), n_shards, n_threads, cancel);
        });
      },
      "indptr"_a, "indices"_a, "data"_a.none(), "more_indptr"_a.none(), "more_indices"_a.none(),
      "more_data"_a.none(), "positive"_a, "place"_a, "centered"_a, "centers"_a, "intercept"_a,
      "cuts"_a, "n_threads"_a);
}

// The entries of A column by column, as SciPy's CSC takes them: rows of the core, and values with
// their signs.
void write_entries(const Matrix& A, std::int32_t* rows, double* values, Cancellation& cancel) {
  if (A.m > std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1)
    throw std::invalid_argument("rows has no room for the number of the last row");
  std::int64_t k = 0;
  for (std::int64_t i = 0; i < A.n && !cancel.stopped(); ++i) {
    const std::int64_t before = k;
    for (const Shard& shard : A.shards) {
      const Column column = A.column(shard, i);
      for (std::int64_t e = 0; e < column.n; ++e, ++k) {
        const double size = column.values != nullptr ? column.values[e] : column.scale;
        rows[k] = static_cast<std::int32_t>(shard.first_row + column.rows[e]);
        values[k] = e < column.n_neg ? -size : size;
      }
    }
    cancel.check(k - before);
  }
}

}  // namespace

void bind_matrix(nb::module_& module) {
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
      .def(
          "entries",
          [](const Matrix& A, Array<std::int32_t> rows, Array<double> values) {
            expect_size(rows, A.nnz, "rows");
            expect_size(values, A.nnz, "values");
            released([&](Cancellation& cancel) {
              write_entries(A, rows.data(), values.data(), cancel);
            });
          },
          "rows"_a, "values"_a)
      .def(
          "positive",
          [](const Matrix& A, Array<std::uint8_t> positive) {
            expect_size(positive, A.m, "positive");
            for (const Shard& shard : A.shards)
              for (std::int64_t j = 0; j < shard.n_rows; ++j)
                positive.data()[shard.first_row + j] = j >= shard.n_neg_rows;
          },
          "positive"_a)
      .def_prop_ro(
          "scale", [](const Matrix& A) { return view(A.scale); }, nb::rv_policy::reference_internal)
      .def(
          "rescale",
          [](Matrix& A, Array<const double> factors) {
            expect_size(factors, A.n, "factors");
            for (std::int64_t i = 0; i < A.n; ++i) A.scale[i] *= factors.data()[i];
          },
          "factors"_a)
      .def(
          "divide",
          [](Matrix& A, Array<const double> sizes, int n_threads) {
            expect_size(sizes, A.n, "sizes");
            const WithoutGil free;
            A.divide(sizes.data(), n_threads);
          },
          "sizes"_a, "n_threads"_a)
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
        const auto n = length(scale);
        expect_size(valued, n, "valued");
        return Matrix::outline(m, nnz, omega, intercept, scale.data(), valued.data(), n);
      },
      "m"_a, "nnz"_a, "omega"_a, "intercept"_a, "scale"_a, "valued"_a);
}

}  // namespace tauboost
