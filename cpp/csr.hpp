// What is done to the user's CSR rows as they are, without the matrix of columns.hpp: decision
// values, and a fingerprint of each row.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "team.hpp"

namespace tauboost {

template <typename Pointer, typename Index>
struct CsrRows {
  const Pointer* indptr;
  const Index* indices;
  const double* data;  // null: every entry is 1
  std::int64_t m;
  double value(std::int64_t k) const { return data == nullptr ? 1.0 : data[k]; }
};

// What the checks of a CSR matrix ask for, in one read of it.
struct CsrFacts {
  std::int64_t least_index = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_index = -1;
  double least = std::numeric_limits<double>::infinity();  // of the sizes of values that are not 0
  double most = 0.0;
  bool is_finite = true;
  bool all_one = true;

  void add(const CsrFacts& other) {
    least_index = std::min(least_index, other.least_index);
    most_index = std::max(most_index, other.most_index);
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    is_finite = is_finite && other.is_finite;
    all_one = all_one && other.all_one;
  }
};

template <typename Index>
CsrFacts facts_of(const Index* indices, const double* data, std::int64_t begin, std::int64_t end) {
  CsrFacts facts;
  Index least = std::numeric_limits<Index>::max(), most = -1;
  for (std::int64_t k = begin; k < end; ++k) {
    least = std::min(least, indices[k]);
    most = std::max(most, indices[k]);
  }
  if (begin < end) facts.least_index = least, facts.most_index = most;
  if (data == nullptr) return facts;
  bool all_one = true;
  for (std::int64_t k = begin; k < end; ++k) all_one &= data[k] == 1.0;
  facts.all_one = all_one;
  if (all_one) {
    facts.least = facts.most = 1.0;
    return facts;
  }
  for (std::int64_t k = begin; k < end; ++k) {
    const double size = std::abs(data[k]);
    facts.is_finite &= size <= std::numeric_limits<double>::max();
    facts.most = std::max(facts.most, size);
    facts.least = std::min(facts.least, size == 0.0 ? facts.least : size);
  }
  return facts;
}

template <typename Index>
CsrFacts inspect(const Index* indices, const double* data, std::int64_t n, int n_threads) {
  constexpr std::int64_t chunk = 1 << 16;  // all of it in the cache for its two or three reads
  Team team(n_threads);
  std::vector<CsrFacts> parts(team.size());
  team.share((n + chunk - 1) / chunk, [&](std::int64_t b, int member) {
    parts[member].add(facts_of(indices, data, b * chunk, std::min(n, (b + 1) * chunk)));
  });
  CsrFacts facts;
  for (const CsrFacts& part : parts) facts.add(part);
  return facts;
}

constexpr std::int64_t rows_worth_a_claim = 64;

// out = X coef + intercept, with coef n x K and out m x K, rows next to each other.
template <int K, typename Rows>
void csr_product_fixed(const Rows& X, const double* coef, const double* intercept, double* out,
                       int n_threads) {
  Team(n_threads).share_blocks(X.m, rows_worth_a_claim, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      double sum[K];
      for (int q = 0; q < K; ++q) sum[q] = 0.0;
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const double x = X.value(k);
        const double* row = coef + K * static_cast<std::int64_t>(X.indices[k]);
        for (int q = 0; q < K; ++q) sum[q] += x * row[q];
      }
      for (int q = 0; q < K; ++q) out[j * K + q] = sum[q] + intercept[q];
    }
  });
}

template <typename Rows>
void csr_product(const Rows& X, const double* coef, const double* intercept, std::int64_t K,
                 double* out, int n_threads) {
  switch (K) {
    case 1:
      return csr_product_fixed<1>(X, coef, intercept, out, n_threads);
    case 2:
      return csr_product_fixed<2>(X, coef, intercept, out, n_threads);
    case 4:
      return csr_product_fixed<4>(X, coef, intercept, out, n_threads);
    case 8:
      return csr_product_fixed<8>(X, coef, intercept, out, n_threads);
  }
  Team(n_threads).share_blocks(X.m, rows_worth_a_claim, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      double* sum = out + j * K;
      for (std::int64_t q = 0; q < K; ++q) sum[q] = intercept[q];
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const double x = X.value(k);
        const double* row = coef + K * static_cast<std::int64_t>(X.indices[k]);
        for (std::int64_t q = 0; q < K; ++q) sum[q] += x * row[q];
      }
    }
  });
}

// The finalizer of MurmurHash3: every bit of the result depends on every bit of x.
inline std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// Adds to a number for each row that equal rows share, whatever the order in which their entries
// are given; zeros do not count. To be mixed once more when all of a row has been added.
template <typename Rows>
void row_fingerprints(const Rows& X, std::uint64_t seed, std::uint64_t* out, int n_threads) {
  Team(n_threads).share_blocks(X.m, rows_worth_a_claim, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      std::uint64_t sum = 0;
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const double x = X.value(k);
        if (x == 0.0) continue;
        const auto bits = std::bit_cast<std::uint64_t>(x);
        sum +=
            mixed(bits * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(X.indices[k]) + seed);
      }
      out[j] += sum;
    }
  });
}

}  // namespace tauboost
