// What is done to the user's CSR rows as they are, without the matrix of columns.hpp: decision
// values, and a fingerprint of each row.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "matrix/input.hpp"
#include "threads/scratch.hpp"
#include "threads/team.hpp"

namespace tauboost {

template <typename Pointer, typename Index>
struct CsrRows : CsrPart<Pointer, Index> {
  std::int64_t m;
  std::int64_t n = std::numeric_limits<std::int64_t>::max();  // features: no index is used beyond
};

// What the checks of a CSR matrix ask for, in one read of it.
struct CsrFacts {
  std::int64_t least_index = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_index = -1;
  double least = std::numeric_limits<double>::infinity();  // of the sizes of values that are not 0
  double most = 0.0;
  bool is_finite = true;
  bool all_one = true;
  bool is_ascending = true;  // strictly, within every row
  bool has_duplicates = false;

  void add(const CsrFacts& other) {
    least_index = std::min(least_index, other.least_index);
    most_index = std::max(most_index, other.most_index);
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    is_finite = is_finite && other.is_finite;
    all_one = all_one && other.all_one;
    is_ascending = is_ascending && other.is_ascending;
    has_duplicates = has_duplicates || other.has_duplicates;
  }
};

inline void check_values(const double* data, std::int64_t begin, std::int64_t end,
                         CsrFacts& facts) {
  bool all_one = true;
  for (std::int64_t k = begin; k < end; ++k) all_one &= data[k] == 1.0;
  facts.all_one = all_one;
  if (all_one) {
    facts.least = facts.most = 1.0;
    return;
  }
  for (std::int64_t k = begin; k < end; ++k) {
    const double size = std::abs(data[k]);
    facts.is_finite &= size <= std::numeric_limits<double>::max();
    facts.most = std::max(facts.most, size);
    facts.least = std::min(facts.least, size == 0.0 ? facts.least : size);
  }
}

// Whether the indices ascend within each of some rows. Steps down are counted without reading
// where rows begin, which is fast, and then those that are there because a row begins.
template <typename Rows>
bool is_ascending(const Rows& X, std::int64_t first_row, std::int64_t last_row) {
  const std::int64_t begin = X.indptr[first_row], end = X.indptr[last_row];
  std::int64_t steps_down = 0, between_rows = 0;
  for (std::int64_t k = begin + 1; k < end; ++k) steps_down += X.indices[k - 1] >= X.indices[k];
  for (std::int64_t j = first_row; j < last_row; ++j) {
    const std::int64_t k = X.indptr[j];
    if (k > begin && k < X.indptr[j + 1]) between_rows += X.indices[k - 1] >= X.indices[k];
  }
  return steps_down == between_rows;
}

template <typename Rows>
bool has_duplicates(const Rows& X, std::int64_t first_row, std::int64_t last_row) {
  std::vector<std::remove_cvref_t<decltype(X.indices[0])>> row;
  for (std::int64_t j = first_row; j < last_row; ++j) {
    row.assign(X.indices + X.indptr[j], X.indices + X.indptr[j + 1]);
    if (!std::is_sorted(row.begin(), row.end())) std::sort(row.begin(), row.end());
    if (std::adjacent_find(row.begin(), row.end()) != row.end()) return true;
  }
  return false;
}

template <typename Rows>
CsrFacts facts_of(const Rows& X, std::int64_t first_row, std::int64_t last_row) {
  using Index = std::remove_cvref_t<decltype(X.indices[0])>;
  const std::int64_t begin = X.indptr[first_row], end = X.indptr[last_row];
  CsrFacts facts;
  if (begin == end) return facts;
  Index least = std::numeric_limits<Index>::max(), most = std::numeric_limits<Index>::min();
  for (std::int64_t k = begin; k < end; ++k) {
    least = std::min(least, X.indices[k]);
    most = std::max(most, X.indices[k]);
  }
  facts.least_index = least, facts.most_index = most;
  facts.is_ascending = is_ascending(X, first_row, last_row);
  facts.has_duplicates = !facts.is_ascending && has_duplicates(X, first_row, last_row);
  if (X.data != nullptr) check_values(X.data, begin, end, facts);
  return facts;
}

// Entries in a chunk: all of it stays in the cache for its three or four reads.
constexpr std::int64_t inspected_at_once = 1 << 16;

// The rows that begin within a chunk of entries.
template <typename Rows>
CsrFacts facts_of_chunk(const Rows& X, std::int64_t chunk) {
  const auto row_at = [&](std::int64_t entry) {
    return std::lower_bound(X.indptr, X.indptr + X.m, entry) - X.indptr;
  };
  return facts_of(X, row_at(chunk * inspected_at_once), row_at((chunk + 1) * inspected_at_once));
}

template <typename Rows>
CsrFacts inspect(const Rows& X, int n_threads) {
  const std::int64_t n_chunks = X.indptr[X.m] / inspected_at_once + 1;
  std::vector<CsrFacts> parts(n_chunks);
  Team(n_threads).share(n_chunks,
                        [&](std::int64_t chunk) { parts[chunk] = facts_of_chunk(X, chunk); });
  CsrFacts facts;
  for (const CsrFacts& part : parts) facts.add(part);
  return facts;
}

// The first of some rows in which two matrices have an entry in common; -1: none. Rows ascend.
template <typename Rows>
std::int64_t first_shared_row(const Rows& X, const Rows& Y) {
  for (std::int64_t j = 0; j < X.m; ++j) {
    std::int64_t k = X.indptr[j], l = Y.indptr[j];
    while (k < X.indptr[j + 1] && l < Y.indptr[j + 1]) {
      if (X.indices[k] == Y.indices[l]) return j;
      X.indices[k] < Y.indices[l] ? ++k : ++l;
    }
  }
  return -1;
}

constexpr std::int64_t rows_worth_a_claim = 64;

// out = X coef + intercept, with coef n x K and out m x K, rows next to each other.
template <int K, typename Rows>
void csr_product_fixed(const Rows& X, const double* coef, const double* intercept, double* out,
                       int n_threads) {
  const auto n = static_cast<std::uint64_t>(X.n);
  Team(n_threads).share_blocks(X.m, rows_worth_a_claim, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      double sum[K];
      for (int q = 0; q < K; ++q) sum[q] = 0.0;
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const double x = X.value(k);
        const auto f = static_cast<std::uint64_t>(X.indices[k]);
        if (f >= n) continue;  // changed since it was checked
        const double* row = coef + K * f;
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
  const auto n = static_cast<std::uint64_t>(X.n);
  Team(n_threads).share_blocks(X.m, rows_worth_a_claim, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      double* sum = out + j * K;
      for (std::int64_t q = 0; q < K; ++q) sum[q] = intercept[q];
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const double x = X.value(k);
        const auto f = static_cast<std::uint64_t>(X.indices[k]);
        if (f >= n) continue;
        const double* row = coef + K * f;
        for (std::int64_t q = 0; q < K; ++q) sum[q] += x * row[q];
      }
    }
  });
}

// The finalizer of MurmurHash3: every bit of the result depends on every bit of x.
inline std::uint64_t murmur_mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// How the values of a column are seen: from `zero`, in units of 1 / `factor`, to 18 bits. Then a
// column and a multiple of it are the same, whatever the last bits are.
struct Ruler {
  double zero, factor;

  std::uint64_t bits(double x) const {
    constexpr std::uint64_t unit = std::uint64_t{1} << (52 - 18);
    x = (x - zero) * factor + 0.0;  // never -0
    return (std::bit_cast<std::uint64_t>(x) + unit / 2) & ~(unit - 1);
  }
};

// Adds to a number for each row that duplicates share, whatever the order in which their entries
// are given; zeros do not count. To be mixed once more when all of a row has been added. Without
// rulers, values are seen as they are.
template <typename Rows>
void row_fingerprints(const Rows& X, const std::vector<Ruler>& rulers, std::uint64_t seed,
                      std::uint64_t* out, int n_threads) {
  const auto n = static_cast<std::uint64_t>(X.n);
  const auto of_entry = [&](std::uint64_t f, double x) {
    const std::uint64_t bits = rulers.empty() ? std::bit_cast<std::uint64_t>(x) : rulers[f].bits(x);
    return murmur_mixed(bits * 0x9e3779b97f4a7c15ULL + f + seed);
  };
  // Entries of 1 in the same column all add the same.
  std::vector<std::uint64_t> of_one;
  if (X.data == nullptr && !rulers.empty())
    for (std::uint64_t f = 0; f < n; ++f) of_one.push_back(of_entry(f, 1.0));
  Team(n_threads).share_blocks(X.m, rows_worth_a_claim, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      std::uint64_t sum = 0;
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const double x = X.value(k);
        const auto f = static_cast<std::uint64_t>(X.indices[k]);
        if (x == 0.0 || f >= n) continue;
        sum += of_one.empty() ? of_entry(f, x) : of_one[f];
      }
      out[j] += sum;
    }
  });
}

// What the user's CSR rows say of their columns: ranges and moments, of which units are made.

// The entries of a column that are not 0.
struct ColumnRange {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  std::int64_t count = 0;

  void add(const ColumnRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    count += other.count;
  }
};

// Adds the entries of X to the ranges of its columns.
template <typename Rows>
void column_ranges(const Rows& X, double* least, double* most, std::int64_t* counts,
                   int n_threads) {
  const std::int64_t nnz = X.indptr[X.m];
  Team team(n_threads);
  Scratch<std::vector<ColumnRange>> seen([&] { return std::vector<ColumnRange>(X.n); });
  team.share(nnz / inspected_at_once + 1, [&](std::int64_t chunk) {
    const auto loan = seen.borrow();
    std::vector<ColumnRange>& ranges = *loan;
    const std::int64_t end = std::min(nnz, (chunk + 1) * inspected_at_once);
    for (std::int64_t k = chunk * inspected_at_once; k < end; ++k) {
      const auto f = static_cast<std::uint64_t>(X.indices[k]);
      const double x = X.value(k);
      if (x != 0.0 && f < static_cast<std::uint64_t>(X.n)) ranges[f].add({x, x, 1});
    }
  });
  team.share_blocks(X.n, 4096, [&](std::int64_t begin, std::int64_t end) {
    seen.each([&](const std::vector<ColumnRange>& ranges) {
      for (std::int64_t f = begin; f < end; ++f) {
        ColumnRange all{least[f], most[f], counts[f]};
        all.add(ranges[f]);
        least[f] = all.least, most[f] = all.most, counts[f] = all.count;
      }
    });
  });
}

// Some columns, and where 0 and 1 lie in them: an entry x counts as (x - zero) / size.
struct ChosenColumns {
  const std::int32_t* slot;  // of each feature, -1: not chosen
  const double* zero;        // of each chosen column
  const double* size;
  std::int64_t n;
};

// Rows in a chunk: sums are added chunk by chunk, the same for any number of threads.
constexpr std::int64_t rows_summed_at_once = 1 << 13;

// Adds, for each chosen column, the weights of its entries, and their first and second moments.
template <typename Rows>
void column_moments(const Rows& X, const double* weights, const ChosenColumns& chosen, double* out,
                    int n_threads) {
  const std::int64_t n_chunks = (X.m + rows_summed_at_once - 1) / rows_summed_at_once;
  std::vector<double> sums(3 * chosen.n * n_chunks);
  Team(n_threads).share(n_chunks, [&](std::int64_t chunk) {
    double* part = sums.data() + 3 * chosen.n * chunk;
    const std::int64_t end = std::min(X.m, (chunk + 1) * rows_summed_at_once);
    for (std::int64_t j = chunk * rows_summed_at_once; j < end; ++j)
      for (std::int64_t k = X.indptr[j]; k < X.indptr[j + 1]; ++k) {
        const auto f = static_cast<std::uint64_t>(X.indices[k]);
        const std::int32_t s = f < static_cast<std::uint64_t>(X.n) ? chosen.slot[f] : -1;
        if (s < 0 || X.value(k) == 0.0) continue;
        const double x = (X.value(k) - chosen.zero[s]) / chosen.size[s];
        part[3 * s] += weights[j];
        part[3 * s + 1] += weights[j] * x;
        part[3 * s + 2] += weights[j] * x * x;
      }
  });
  for (std::int64_t k = 0; k < 3 * chosen.n * n_chunks; ++k) out[k % (3 * chosen.n)] += sums[k];
}

}  // namespace tauboost
