// The user's rows as the matrix is built from them: CSR arrays, or the sum of two, with numbers
// subtracted from some columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tauboost {

// The entries of X, or part of them: X may be the sum of a matrix of ones and one of other values.
template <typename Pointer, typename Index>
struct CsrPart {
  const Pointer* indptr;
  const Index* indices;
  const double* data;  // null: every entry is 1
  double value(std::int64_t k) const { return data == nullptr ? 1.0 : data[k]; }
};

// The features that have a number subtracted.
struct Centers {
  std::vector<std::int64_t> features;
  std::vector<double> values;
  std::vector<std::int32_t> slot;  // of every feature, -1: not among them; empty if none is
};

template <typename Pointer, typename Index>
struct Csr {
  std::vector<CsrPart<Pointer, Index>> parts;
  const std::uint8_t* positive;
  const std::int32_t* place;  // feature -> column of the core
  std::int64_t n_features;
  std::int64_t entries_a_row;  // on average, roughly
  Centers centers = {};

  bool has_values() const {
    return !centers.slot.empty() ||
           std::any_of(parts.begin(), parts.end(), [](const auto& X) { return X.data != nullptr; });
  }
  bool any_negative(std::int64_t m) const {
    return !centers.slot.empty() || std::any_of(parts.begin(), parts.end(), [m](const auto& X) {
      return X.data != nullptr &&
             std::any_of(X.data, X.data + X.indptr[m], [](double v) { return v < 0.0; });
    });
  }
};

// Visits the entries of row j of X that are not 0: visit(feature, value). `own` has room for the
// values of centered features. Returns whether every feature is one that X can have.
template <typename Input, typename Visit>
[[gnu::always_inline]] inline bool visit_row(const Input& input, std::int64_t j,
                                             std::vector<double>& own, Visit visit) {
  const auto n = static_cast<std::uint64_t>(input.n_features);
  const std::int32_t* slot = input.centers.slot.empty() ? nullptr : input.centers.slot.data();
  bool is_sound = true;
  std::fill(own.begin(), own.end(), 0.0);
  for (const auto& X : input.parts) {
    const std::int64_t last = X.indptr[j + 1];  // read once, for speed: stores might alias it
    for (std::int64_t k = X.indptr[j]; k < last; ++k) {
      const double v = X.value(k);
      const auto f = static_cast<std::uint64_t>(X.indices[k]);
      if (v == 0.0) continue;
      if (f >= n)
        is_sound = false;
      else if (slot != nullptr && slot[f] >= 0)
        own[slot[f]] = v;
      else
        visit(f, v);
    }
  }
  for (std::size_t s = 0; s < own.size(); ++s) {
    const double v = own[s] - input.centers.values[s];
    if (v != 0.0) visit(static_cast<std::uint64_t>(input.centers.features[s]), v);
  }
  return is_sound;
}

}  // namespace tauboost
