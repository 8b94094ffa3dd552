// A test is a function that calls CHECK; main.cpp runs all that are listed there.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>

namespace tauboost::test {

inline int failures = 0;

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++tauboost::test::failures;                                                  \
    }                                                                              \
  } while (false)

inline bool is_near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * (1.0 + std::abs(b));
}

// How many doubles lie between two of the same sign.
inline double ulps(double a, double b) {
  std::int64_t i, j;
  std::memcpy(&i, &a, sizeof a);
  std::memcpy(&j, &b, sizeof b);
  return static_cast<double>(i > j ? i - j : j - i);
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double within(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(engine_);
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

 private:
  std::mt19937_64 engine_;
};

void test_elastic_net();
void test_functions();
void test_coordinate_step();
void test_sweeps();
void test_chain();
void test_draws();
void test_threads();

}  // namespace tauboost::test
