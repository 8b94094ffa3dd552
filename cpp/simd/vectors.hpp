// Numbers worked on several at a time. What is written in the .inc files is compiled once for every
// kind of machine worth it, in a namespace each, and chosen when it runs. The bits are the same on
// all of them: every number has its own operations, and their order does not change.
#pragma once

#include <cmath>
#include <cstdint>

#define TAUBOOST_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define TAUBOOST_HAS_WIDE 1
#endif

// Functions between these two may use the instructions of a machine: each compiler has its words.
#define TAUBOOST_PRAGMA(words) _Pragma(#words)
#if defined(__clang__)
#define TAUBOOST_BEGIN_TARGET(machine) \
  TAUBOOST_PRAGMA(clang attribute push(__attribute__((target(machine))), apply_to = function))
#define TAUBOOST_END_TARGET TAUBOOST_PRAGMA(clang attribute pop)
#else
#define TAUBOOST_BEGIN_TARGET(machine) \
  TAUBOOST_PRAGMA(GCC push_options)    \
  TAUBOOST_PRAGMA(GCC target(machine))
#define TAUBOOST_END_TARGET TAUBOOST_PRAGMA(GCC pop_options)
#endif

#define TAUBOOST_PART "simd/pack.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {

// How many numbers one instruction of this machine works on.
inline int widest_vector() {
#ifdef TAUBOOST_HAS_WIDE
  if (__builtin_cpu_supports("avx512f")) return 8;
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 2;
}

// How many it is made to work on: all it can, unless a test wants to see that fewer give the same.
inline int& chosen_width() {
  static int width = widest_vector();
  return width;
}

inline int vector_width() {
  return chosen_width();
}

// Returns what a function of the .inc files does, compiled for the widest vectors of at most `most`
// numbers that this machine has.
#ifdef TAUBOOST_HAS_WIDE
#define TAUBOOST_ON_THIS_MACHINE(most, ...)                           \
  if ((most) >= 8 && vector_width() >= 8) return widest::__VA_ARGS__; \
  if ((most) >= 4 && vector_width() >= 4) return wide::__VA_ARGS__;   \
  return narrow::__VA_ARGS__
#else
#define TAUBOOST_ON_THIS_MACHINE(most, ...) return narrow::__VA_ARGS__
#endif

// exp(x) - 1, precise for small x, where most steps are
inline double expm1(double x) {
  return std::abs(x) > narrow::expm1_reach ? std::exp(x) - 1.0 : narrow::expm1_series(x);
}

// out = exp(slope * values) of n numbers, a multiple of 8
inline void exp_along(const double* values, double slope, std::int64_t n, double* out) {
  TAUBOOST_ON_THIS_MACHINE(8, exp_along(values, slope, n, out));
}

}  // namespace tauboost
