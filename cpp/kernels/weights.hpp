// The three things ever done to a per-row vector along one column: sum it, scale it, add to it.
//
// What "sum" and "scale" mean depends on the rows: Weights for those that nobody changes meanwhile,
// and those of a loss (loss.hpp), owned by one thread or shared.
#pragma once

#include <algorithm>

#include "kernels/loss.hpp"
#include "matrix/columns.hpp"
#include "simd/vectors.hpp"

namespace tauboost {

// Sums are taken in four parts of a fixed pattern, which is fast and has the same bits on every
// run: sum of term(k) over k in [begin, end), in a fixed pattern
template <typename Term>
[[gnu::always_inline]] inline double fixed_sum(std::int64_t begin, std::int64_t end, Term term) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  std::int64_t k = begin;
  for (; k + 4 <= end; k += 4) {
    a += term(k);
    b += term(k + 1);
    c += term(k + 2);
    d += term(k + 3);
  }
  for (; k < end; ++k) a += term(k);
  return (a + b) + (c + d);
}

// A number for the rows with A_ji < 0, and one for those with A_ji > 0.
struct Sides {
  double neg = 0.0, pos = 0.0;
  Sides& operator+=(const Sides& other) {
    neg += other.neg;
    pos += other.pos;
    return *this;
  }
};

// Sums over a column: of w_j |A_ji| over the rows with A_ji < 0 and with A_ji > 0, of w_j A_ji^2.
struct SignedSums {
  double neg = 0.0, pos = 0.0, square = 0.0;

  SignedSums& operator+=(const SignedSums& other) {
    neg += other.neg;
    pos += other.pos;
    square += other.square;
    return *this;
  }
};

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

// exp(r[js]) *= factor; returns the sum of w[js] before
template <typename Rows>
inline double scale_rows(const std::int32_t* js, std::int64_t n, double factor, Rows rows) {
  return fixed_sum(0, n, [=](std::int64_t k) {
    rows.expect(js[k + padding / 2]);
    return rows.scale(js[k], factor);
  });
}

// The same four rows at a time, so that the processor can divide several at once.
inline double scale_rows(const std::int32_t* js, std::int64_t n, double factor,
                         Logistic::Rows rows) {
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
