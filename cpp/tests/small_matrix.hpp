// A dense matrix of signed entries as the core's, in some shards.
#pragma once

#include <vector>

#include "matrix/build.hpp"

namespace tauboost::test {

struct SmallMatrix {
  std::int64_t m, n;
  std::vector<double> M;               // row by row
  std::vector<std::uint8_t> positive;  // labels

  double entry(std::int64_t j, std::int64_t i) const {
    return (positive[j] != 0 ? 1.0 : -1.0) * M[j * n + i];
  }

  Matrix built(const std::vector<std::int64_t>& cuts) const {
    std::vector<std::int64_t> indptr(1, 0);
    std::vector<std::int32_t> indices, place;
    std::vector<double> data;
    for (std::int64_t j = 0; j < m; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (M[j * n + i] == 0.0) continue;
        indices.push_back(static_cast<std::int32_t>(i));
        data.push_back(M[j * n + i]);
      }
      indptr.push_back(static_cast<std::int64_t>(indices.size()));
    }
    for (std::int64_t i = 0; i < n; ++i) place.push_back(static_cast<std::int32_t>(i));
    const Csr<std::int64_t, std::int32_t> X = {
        {{indptr.data(), indices.data(), data.data()}}, positive.data(), place.data(), n, n};
    Cancellation cancel([] { return false; });
    return build(X, m, false, cuts.data(), static_cast<std::int64_t>(cuts.size()) - 1, 2, cancel);
  }
};

}  // namespace tauboost::test
