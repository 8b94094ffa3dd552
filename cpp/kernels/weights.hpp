// The three things ever done to a per-row vector along one column: sum it, scale it, add to it.
//
// What "sum" and "scale" mean depends on the rows: Weights for those that nobody changes meanwhile,
// Exclusive for those that one thread owns, Shared for those that many threads change at once
// (relaxed atomics: no lost update), Logistic for that loss.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/sums.hpp"
#include "matrix/columns.hpp"
#include "simd/vectors.hpp"

namespace tauboost {

// Asks for a cache line long before its turn, into the second level: the first holds few requests.
inline void prefetch_far(const double* place) {
  __builtin_prefetch(place, 0, 2);
}

// How a kernel reads weights: weight(j) is w_j, and soon(j) asks for it early.
struct Weights {
  const double* w;
  double weight(std::int32_t j) const { return w[j]; }
  void soon(std::int32_t j) const { prefetch_far(w + j); }
};

// How a kernel reaches the rows it changes: scale(j, factor) multiplies exp(r_j) by the factor and
// returns the weight w_j that row j had before.
struct Exclusive {
  double* w;
  double scale(std::int32_t j, double factor) const {
    const double before = w[j];
    w[j] = before * factor;
    return before;
  }
  void expect(std::int32_t) const {}
};

struct Shared {
  double* w;
  static double load(const double& x) {
    return std::atomic_ref<double>(const_cast<double&>(x)).load(std::memory_order_relaxed);
  }
  static double multiply(double& x, double factor) {
    std::atomic_ref<double> shared(x);
    double before = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(before, before * factor, std::memory_order_relaxed)) {
    }
    return before;
  }
  static double add(double& x, double amount) {
    return std::atomic_ref<double>(x).fetch_add(amount, std::memory_order_relaxed) + amount;
  }
  double weight(std::int32_t j) const { return load(w[j]); }
  void soon(std::int32_t) const {}
  double scale(std::int32_t j, double factor) const { return multiply(w[j], factor); }
  // An atomic update waits for its cache line, which another core may hold: ask for it early.
  void expect(std::int32_t j) const {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(w[j]));  // what the built-in below becomes only with a flag
#else
    __builtin_prefetch(w + j, 1);
#endif
  }
};

// Logistic loss: E = exp(r) is what is multiplied, w = c E / (1 + E) follows.
struct Logistic {
  double* w;
  double* E;
  SampleWeights c;
  double scale(std::int32_t j, double factor) const {
    const double before = w[j], odds = E[j] * factor;
    E[j] = odds;
    w[j] = c[j] * (odds / (1.0 + odds));
    return before;
  }
  void expect(std::int32_t) const {}
};

// The odds are all that threads share, and weights follow from them whenever they are read. Were w
// written too, the last to write it need not be the last to have changed E.
struct SharedLogistic {
  double* E;
  SampleWeights c;
  double weight(std::int32_t j) const { return weight_at(j, Shared::load(E[j])); }
  void soon(std::int32_t) const {}
  double scale(std::int32_t j, double factor) const {
    return weight_at(j, Shared::multiply(E[j], factor));
  }
  void expect(std::int32_t j) const { Shared{E}.expect(j); }

 private:
  double weight_at(std::int32_t j, double odds) const { return c[j] * (odds / (1.0 + odds)); }
};

// The sums of a column whose |A_ji| are all the same leave that value out, and the squares.
// sums.neg = (w[rows] * values)[:n_neg].sum(); sums.pos = (w[rows] * values)[n_neg:].sum()
// sums.square = (w[rows] * values**2).sum(); w of each side is what is stored times its lag
template <typename Rows>
inline SignedSums unscaled_sums(const Column& column, const Rows& rows, Sides lag = {1.0, 1.0}) {
  const auto weight = [=, js = column.rows](std::int64_t k) {
    // Columns lie one after the other: what comes next is asked for across their borders.
    rows.soon(js[k + padding]);
    return rows.weight(js[k]);
  };
  const std::int64_t n_neg = column.n_neg, n = column.n;
  if (column.values == nullptr)
    return {lag.neg * fixed_sum(0, n_neg, weight), lag.pos * fixed_sum(n_neg, n, weight), 0.0};
  const auto both = [=, values = column.values](std::int64_t begin, std::int64_t end) {
    double squares[4] = {0.0, 0.0, 0.0, 0.0};
    const double sum = fixed_sum(begin, end, [&](std::int64_t k) {
      const double part = weight(k) * values[k];
      squares[(k - begin) % 4] += part * values[k];
      return part;
    });
    return Sides{sum, (squares[0] + squares[1]) + (squares[2] + squares[3])};
  };
  const auto [neg, neg_square] = both(0, n_neg);
  const auto [pos, pos_square] = both(n_neg, n);
  return {lag.neg * neg, lag.pos * pos, lag.neg * neg_square + lag.pos * pos_square};
}

template <typename Rows>
inline SignedSums column_sums(const Column& column, const Rows& rows) {
  SignedSums sums = unscaled_sums(column, rows);
  if (column.values == nullptr) {
    sums.neg *= column.scale;
    sums.pos *= column.scale;
    sums.square = column.scale * (sums.neg + sums.pos);
  }
  return sums;
}

// exp(x) - 1, precise for small x, where most steps are
inline double expm1(double x) {
  if (std::abs(x) > 0.125) return std::exp(x) - 1.0;
  // The Taylor series, in pairs: terms that do not wait for each other.
  const double x2 = x * x, x4 = x2 * x2;
  const double low = (1.0 + x * (1.0 / 2)) + x2 * ((1.0 / 6) + x * (1.0 / 24));
  const double middle = ((1.0 / 120) + x * (1.0 / 720)) + x2 * ((1.0 / 5040) + x * (1.0 / 40320));
  const double high = (1.0 / 362880) + x * (1.0 / 3628800);
  return x * (low + x4 * (middle + x4 * high));
}

// exp(r[js]) *= factor; returns the sum of w[js] before
template <typename Rows>
inline double scale_rows(const std::int32_t* js, std::int64_t n, double factor, Rows rows) {
  return fixed_sum(0, n, [=](std::int64_t k) {
    rows.expect(js[k + padding / 2]);
    return rows.scale(js[k], factor);
  });
}

// The same four rows at a time, so that the processor can divide several at once.
template <>
inline double scale_rows<Logistic>(const std::int32_t* js, std::int64_t n, double factor,
                                   Logistic rows) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    double odds[4], share[4];
    for (int t = 0; t < 4; ++t) odds[t] = rows.E[js[k + t]] * factor;
    for (int t = 0; t < 4; ++t) share[t] = odds[t] / (1.0 + odds[t]);
    for (int t = 0; t < 4; ++t) {
      const std::int32_t j = js[k + t];
      sum[t] += rows.w[j];
      rows.E[j] = odds[t];
      rows.w[j] = rows.c[j] * share[t];
    }
  }
  for (; k < n; ++k) sum[0] += rows.scale(js[k], factor);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// exp(r[js]) *= exp(slope * values); returns the change of w.sum()
template <typename Rows>
inline double scale_rows_along(const std::int32_t* js, const double* values, std::int64_t n,
                               double slope, Rows rows) {
  constexpr std::int64_t block = 64;  // numbers whose exp is computed at a time
  double factors[block], change = 0.0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t size = std::min(block, n - begin), whole = size / 8 * 8;
    exp_along(values + begin, slope, whole, factors);
    if (whole < size) {
      double last[8] = {};
      std::copy_n(values + begin + whole, size - whole, last);
      exp_along(last, slope, 8, factors + whole);
    }
    const std::int32_t* part = js + begin;
    change += fixed_sum(0, size, [=, &factors](std::int64_t k) {
      rows.expect(part[k + padding / 2]);
      return (factors[k] - 1.0) * rows.scale(part[k], factors[k]);
    });
  }
  return change;
}

// exp(r[rows]) *= exp(A[rows, i] * d), given up = expm1(scale * d). Returns the change of w.sum(),
// which is that of the exponential loss and, as log(1 + t) <= t, an upper bound on that of the
// logistic loss.
template <typename Rows>
inline Sides scatter_sides(const Column& column, double d, double up, const Rows& rows) {
  const std::int64_t n_pos = column.n - column.n_neg;
  const std::int32_t* positive = column.rows + column.n_neg;
  if (column.values != nullptr)
    return {scale_rows_along(column.rows, column.values, column.n_neg, -d, rows),
            scale_rows_along(positive, column.values + column.n_neg, n_pos, d, rows)};
  // Most columns of text have very few entries, often of one sign: what is not needed counts.
  Sides change;
  if (column.n_neg > 0) {
    const double down = -up / (1.0 + up);
    change.neg = down * scale_rows(column.rows, column.n_neg, 1.0 + down, rows);
  }
  if (n_pos > 0) change.pos = up * scale_rows(positive, n_pos, 1.0 + up, rows);
  return change;
}

template <typename Rows>
inline double scatter(const Column& column, double d, double up, const Rows& rows) {
  const Sides change = scatter_sides(column, d, up, rows);
  return change.neg + change.pos;
}

// r[rows] += A[rows, i] * d
inline void add(const Column& column, double d, double* r) {
  const auto step = [&](std::int64_t k) {
    return d * (column.values == nullptr ? column.scale : column.values[k]);
  };
  for (std::int64_t k = 0; k < column.n_neg; ++k) r[column.rows[k]] -= step(k);
  for (std::int64_t k = column.n_neg; k < column.n; ++k) r[column.rows[k]] += step(k);
}

// w.sum(), shard by shard
inline double total(const Matrix& A, const double* w) {
  double sum = 0.0;
  for (const Shard& shard : A.shards) {
    const double* part = w + shard.first_row;
    sum += fixed_sum(0, shard.n_rows, [&](std::int64_t j) { return part[j]; });
  }
  return sum;
}

}  // namespace tauboost
