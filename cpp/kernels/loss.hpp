// The losses as kernels know them, with r = A lam:
//
//     exponential:  F = log(sum_j w_j),             w_j = c_j exp(r_j - shift)
//     logistic:     F = sum_j c_j log(1 + E_j),     w_j = c_j E_j / (1 + E_j),   E_j = exp(r_j)
//
// The weights w are what the gradient of F is made of, and a step multiplies exp(r_j) by a factor.
// A loss says what is kept of a row, how that is scaled, and what the change of w.sum() does to F.
// Its form for several rows or lanes at once is in lane_passes.inc, its form over the bins of a
// table in table/bin_model.hpp. Another loss is one more type here, in
// TAUBOOST_EACH_LOSS and with_loss().
#pragma once

#include <atomic>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace tauboost {

// The sample weights of a shard: one for each row, or the same for all.
struct SampleWeights {
  const double* c;
  std::int32_t stride;  // 0 where one weight serves all rows: a vector less to keep in the cache
  double operator[](std::int32_t j) const { return c[j * stride]; }
  SampleWeights from(std::int64_t row) const { return {c + row * stride, stride}; }
};

// What the coordinate methods exchange between Python and the kernels.
struct Iterate {
  double* w;
  double* lam;
  double total;                    // exponential: w.sum(), kept up to date by differences; else 1
  double* E = nullptr;             // of a loss that keeps odds
  SampleWeights c = {nullptr, 0};  // the same
};

// Numbers that many threads change at once: relaxed, and no update is lost.
struct Atomic {
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
  // An update waits for its cache line, which another core may hold: ask for it early.
  static void expect(double* x) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*x));  // what the built-in below becomes only with a flag
#else
    __builtin_prefetch(x, 1);
#endif
  }
};

// Rows: those that one thread owns. SharedRows: those that many threads change at once. Both have
//     scale(j, factor)  multiplies exp(r_j) and returns the weight that row j had before
//     expect(j)         asks early for what scale(j) will change
// and shared ones weight(j), as others have just left it.
struct Exponential {
  static constexpr bool is_log_of_sum = true;  // F = log(w.sum()), and w.sum() is kept
  static constexpr bool keeps_odds = false;    // E beside w
  static double change(double of_sum, double total) { return std::log1p(of_sum / total); }

  struct Rows {
    double* w;
    double scale(std::int32_t j, double factor) const {
      const double before = w[j];
      w[j] = before * factor;
      return before;
    }
    void expect(std::int32_t) const {}
  };
  static Rows rows(const Iterate& at, std::int64_t first) { return {at.w + first}; }

  struct SharedRows {
    double* w;
    double weight(std::int32_t j) const { return Atomic::load(w[j]); }
    void soon(std::int32_t) const {}
    double scale(std::int32_t j, double factor) const { return Atomic::multiply(w[j], factor); }
    void expect(std::int32_t j) const { Atomic::expect(w + j); }
  };
  static SharedRows shared_rows(const Iterate& at, std::int64_t first) { return {at.w + first}; }
};

struct Logistic {
  static constexpr bool is_log_of_sum = false;
  static constexpr bool keeps_odds = true;
  // An upper bound, as log(1 + t) <= t.
  static double change(double of_sum, double) { return of_sum; }

  struct Rows {
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
  static Rows rows(const Iterate& at, std::int64_t first) {
    return {at.w + first, at.E + first, at.c.from(first)};
  }

  // The odds are all that threads share, and weights follow from them whenever they are read. Were
  // w written too, the last to write it need not be the last to have changed E.
  struct SharedRows {
    double* E;
    SampleWeights c;
    double weight(std::int32_t j) const { return weight_at(j, Atomic::load(E[j])); }
    void soon(std::int32_t) const {}
    double scale(std::int32_t j, double factor) const {
      return weight_at(j, Atomic::multiply(E[j], factor));
    }
    void expect(std::int32_t j) const { Atomic::expect(E + j); }

   private:
    double weight_at(std::int32_t j, double odds) const { return c[j] * (odds / (1.0 + odds)); }
  };
  static SharedRows shared_rows(const Iterate& at, std::int64_t first) {
    return {at.E + first, at.c.from(first)};
  }
};

template <class T>
concept LossOf = requires(const Iterate& at, std::int64_t first, std::int32_t j, double x) {
  requires std::same_as<decltype(T::is_log_of_sum), const bool>;
  requires std::same_as<decltype(T::keeps_odds), const bool>;
  { T::change(x, x) } -> std::same_as<double>;
  { T::rows(at, first).scale(j, x) } -> std::same_as<double>;
  { T::shared_rows(at, first).scale(j, x) } -> std::same_as<double>;
  { T::shared_rows(at, first).weight(j) } -> std::same_as<double>;
  T::rows(at, first).expect(j);
  T::shared_rows(at, first).soon(j);
  T::shared_rows(at, first).expect(j);
};
static_assert(LossOf<Exponential> && LossOf<Logistic>);

// use(Loss, what) for each: what is compiled for all of them.
#define TAUBOOST_EACH_LOSS(use, what) use(Exponential, what) use(Logistic, what)

// Where what Python has given becomes a type: use(Logistic{}) or use(Exponential{}).
template <typename Use>
auto with_loss(bool keeps_odds, Use use) {
  return keeps_odds ? use(Logistic{}) : use(Exponential{});
}

}  // namespace tauboost
