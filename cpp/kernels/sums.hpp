// What kernels sum over the rows of a column, and in which order: in four partial sums of a fixed
// pattern, which is fast and has the same bits on every run.
#pragma once

#include <cstdint>

namespace tauboost {

// sum of term(k) over k in [begin, end), in a fixed pattern
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

// The sample weights of a shard: one for each row, or the same for all.
struct SampleWeights {
  const double* c;
  std::int32_t stride;  // 0 where one weight serves all rows: a vector less to keep in the cache
  double operator[](std::int32_t j) const { return c[j * stride]; }
  SampleWeights from(std::int64_t row) const { return {c + row * stride, stride}; }
};

}  // namespace tauboost
