// The three things ever done to a per-row vector along one column: sum it, scale it, add to it.
//
// Every kernel comes in two flavours through its Access: Exclusive for a vector that one thread
// owns, Shared for a vector that many threads change at once (relaxed atomics: no lost update).
// Sums keep four partial sums in a fixed pattern: fast, and the same bits on every run.
#pragma once

#include <atomic>
#include <cmath>

#include "columns.hpp"

namespace tauboost {

struct Exclusive {
  static double load(const double& x) { return x; }
  static double scale(double& x, double factor) {
    const double old = x;
    x = old * factor;
    return old;
  }
};

struct Shared {
  static double load(const double& x) {
    return std::atomic_ref<double>(const_cast<double&>(x)).load(std::memory_order_relaxed);
  }
  static double scale(double& x, double factor) {
    std::atomic_ref<double> shared(x);
    double old = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(old, old * factor, std::memory_order_relaxed)) {
    }
    return old;
  }
  static double add(double& x, double amount) {
    return std::atomic_ref<double>(x).fetch_add(amount, std::memory_order_relaxed) + amount;
  }
};

// sum of term(k) over k in [begin, end), in a fixed pattern
template <typename Term>
inline double fixed_sum(std::int64_t begin, std::int64_t end, Term term) {
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

// w[rows] *= factor; returns the sum of w[rows] before. The rows of a column differ from each
// other, so four are read before four are written: the processor need not wait to see that.
template <typename Access>
inline double scale_rows(const std::int32_t* rows, std::int64_t n, double factor, double* w) {
  return fixed_sum(0, n, [&](std::int64_t k) { return Access::scale(w[rows[k]], factor); });
}

template <>
inline double scale_rows<Exclusive>(const std::int32_t* rows, std::int64_t n, double factor,
                                    double* w) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    double &wa = w[rows[k]], &wb = w[rows[k + 1]], &wc = w[rows[k + 2]], &wd = w[rows[k + 3]];
    const double xa = wa, xb = wb, xc = wc, xd = wd;
    a += xa;
    b += xb;
    c += xc;
    d += xd;
    wa = xa * factor;
    wb = xb * factor;
    wc = xc * factor;
    wd = xd * factor;
  }
  for (; k < n; ++k) a += Exclusive::scale(w[rows[k]], factor);
  return (a + b) + (c + d);
}

// Sums of w_j |A_ji| over the rows with A_ji < 0 and with A_ji > 0.
struct SignedSums {
  double neg = 0.0, pos = 0.0;
};

// sums.neg = (w[rows] * values)[:n_neg].sum(); sums.pos = (w[rows] * values)[n_neg:].sum()
template <typename Access>
inline SignedSums gather(const Column& column, const double* w) {
  const auto weight = [&](std::int64_t k) { return Access::load(w[column.rows[k]]); };
  if (column.values == nullptr)
    return {column.scale * fixed_sum(0, column.n_neg, weight),
            column.scale * fixed_sum(column.n_neg, column.n, weight)};
  const auto weighted = [&](std::int64_t k) { return weight(k) * column.values[k]; };
  return {fixed_sum(0, column.n_neg, weighted), fixed_sum(column.n_neg, column.n, weighted)};
}

// w[rows] *= exp(A[rows, i] * d); returns the change of w.sum()
template <typename Access>
inline double scatter(const Column& column, double d, double* w) {
  if (column.values == nullptr) {
    const double up = std::expm1(column.scale * d), down = std::expm1(-column.scale * d);
    return down * scale_rows<Access>(column.rows, column.n_neg, 1.0 + down, w) +
           up *
               scale_rows<Access>(column.rows + column.n_neg, column.n - column.n_neg, 1.0 + up, w);
  }
  const auto scale_along = [&](double slope) {
    return [&, slope](std::int64_t k) {
      const double change = std::expm1(slope * column.values[k]);
      return change * Access::scale(w[column.rows[k]], 1.0 + change);
    };
  };
  return fixed_sum(0, column.n_neg, scale_along(-d)) +
         fixed_sum(column.n_neg, column.n, scale_along(d));
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
