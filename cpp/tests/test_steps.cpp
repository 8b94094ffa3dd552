// One coordinate's step against a search over a grid; whole sweeps against w = c exp(A lam).
#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/draw_rows.hpp"
#include "kernels/driver.hpp"
#include "kernels/lockfree.hpp"
#include "kernels/sweep_rows.hpp"
#include "tests/check.hpp"
#include "tests/small_matrix.hpp"

namespace tauboost::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Columns: a few entries, nearly full ones (which lag), one of many values, one of both signs.
SmallMatrix some_matrix(Random& random, bool is_signed) {
  SmallMatrix A = {60, 8, {}, {}};
  for (std::int64_t j = 0; j < A.m; ++j) A.positive.push_back(random.below(5) < 2);
  const double share[] = {0.1, 0.95, 0.5, 0.05, 0.9, 0.3, 0.8, 0.2};
  for (std::int64_t j = 0; j < A.m; ++j)
    for (std::int64_t i = 0; i < A.n; ++i) {
      double x = random.within(0.0, 1.0) < share[i] ? 1.0 + (i == 2) : 0.0;
      if (i == 5) x *= random.within(0.1, 2.0);
      if (i == 7 && is_signed && random.below(2) == 0) x = -x;
      A.M.push_back(x);
    }
  return A;
}

// A problem at a point, its rows in the order of the core.
struct Point {
  const SmallMatrix& small;
  const Matrix& A;
  std::vector<double> c, lam, w, E;

  Point(const SmallMatrix& small, const Matrix& A, std::vector<double> lam)
      : small(small), A(A), c(A.m, 1.0 / static_cast<double>(A.m)), lam(std::move(lam)) {
    w = weights(false);
    E = odds();
  }

  std::vector<double> odds() const {
    std::vector<double> E(A.m);
    for (std::int64_t j = 0; j < A.m; ++j) {
      double r = 0.0;
      for (std::int64_t i = 0; i < A.n; ++i) r += small.entry(A.row_order[j], i) * lam[i];
      E[j] = std::exp(r);
    }
    return E;
  }
  std::vector<double> weights(bool is_logistic) const {
    std::vector<double> w = odds();
    for (std::int64_t j = 0; j < A.m; ++j) w[j] = c[j] * (is_logistic ? w[j] / (1.0 + w[j]) : w[j]);
    return w;
  }
  double loss(bool is_logistic) const {
    double sum = 0.0;
    for (const double odds : odds()) sum += is_logistic ? std::log1p(odds) : odds;
    sum /= static_cast<double>(A.m);
    return is_logistic ? sum : std::log(sum);
  }
  double objective(const Penalty& psi, bool is_logistic) const {
    double sum = loss(is_logistic);
    for (std::int64_t i = 0; i < A.n; ++i) sum += psi.of(i).change(0.0, lam[i]);
    return sum;
  }
  bool has_weights(bool is_logistic) const {
    const std::vector<double> expected = weights(is_logistic);
    for (std::int64_t j = 0; j < A.m; ++j)
      if (!is_near(w[j] / expected[j], 1.0, 1e-11)) return false;
    return true;
  }
};

std::vector<double> some_point(Random& random, std::int64_t n) {
  std::vector<double> lam(n);
  for (double& x : lam) x = random.below(3) * random.within(-0.5, 0.5);
  return lam;
}

// The exponential loss along a column without values is known exactly: no place is better.
void step_is_a_minimum(Random& random, const SmallMatrix& small, const Matrix& A) {
  Point at(small, A, some_point(random, A.n));
  const double upper = random.below(2) == 0 ? 0.3 : infinity;
  const std::vector<double> most(A.n, upper);
  for (double& x : at.lam) x = std::min(x, upper);
  at.w = at.weights(false);
  const Penalty psi = {0.02 * random.below(3), 0.1 * random.below(3), nullptr, most.data(), A.n};
  // With l2 there is no closed form, and Newton's method ends once its step is short (rule.inc).
  const double slack = psi.l2 == 0.0 ? 1e-12 : 5e-5;
  for (std::int64_t i = 0; i < A.n; ++i) {
    if (A.is_valued(i)) continue;
    SignedSums sums;
    for (const Shard& shard : A.shards)
      sums += column_sums(A.column(shard, i), Weights{at.w.data() + shard.first_row});
    const double total = std::accumulate(at.w.begin(), at.w.end(), 0.0);
    Point there(at);
    there.lam[i] = choose_one(A, psi, {true}, i, at.lam[i], sums, total);
    const double found = there.objective(psi, false);
    for (int k = -400; k <= 400; ++k) {
      there.lam[i] = std::min(at.lam[i] + k / 100.0, upper);
      CHECK(found <= there.objective(psi, false) + slack);
    }
  }
}

template <LossOf Loss>
void sweeps_descend(Random& random, const SmallMatrix& small, const Matrix& A, int n_threads) {
  constexpr bool is_logistic = Loss::keeps_odds;
  Point at(small, A, some_point(random, A.n));
  at.w = at.weights(is_logistic);
  const Penalty psi = {0.01, 0.01, nullptr, nullptr, A.n};
  std::vector<std::int32_t> columns(A.n);
  std::iota(columns.begin(), columns.end(), 0);
  std::vector<double> gain(A.n);
  double before = at.objective(psi, is_logistic);
  Cancellation cancel([] { return false; });
  Team team(n_threads);
  for (int sweep = 0; sweep < 30; ++sweep) {
    const double total = is_logistic ? 1.0 : std::accumulate(at.w.begin(), at.w.end(), 0.0);
    const Iterate iterate = {
        at.w.data(), at.lam.data(), total, is_logistic ? at.E.data() : nullptr, {at.c.data(), 1}};
    SweepRows<Loss> rows(A, iterate, A.n);
    typename SweepRows<Loss>::Steps steps(A, {psi}, {Loss::is_log_of_sum}, at.lam.data(),
                                          gain.data(), A.n);
    Slices slices(columns.data(), A.n, 1 + random.below(static_cast<int>(A.n)));
    const auto found = Driver(rows, steps, {total}).run(slices, team, cancel);
    rows.settle(team);
    CHECK(at.has_weights(is_logistic));
    const double after = at.objective(psi, is_logistic);
    CHECK(after <= before + 1e-14);
    // What rose by the bound was undone, so what is reported fell by at least as much.
    CHECK(before - after >= found.decrease[0] - 1e-12);
    if (!is_logistic) CHECK(is_near(before - after, found.decrease[0], 1e-10));
    before = after;
  }
}

void draws_descend(Random& random, const SmallMatrix& small, const Matrix& A) {
  Point at(small, A, some_point(random, A.n));
  const Penalty psi = {0.01, 0.0, nullptr, nullptr, A.n};
  const double before = at.objective(psi, false);
  const std::int64_t tau = 3;
  NiceSampling sampling(A.n, tau, 7);
  DrawRows rows(A, at.w.data(), tau);
  DrawRows::Steps steps(A, {psi}, {true, static_cast<double>(tau)}, at.lam.data(), nullptr, tau);
  Draws draws(sampling, 0, 50);
  Cancellation cancel([] { return false; });
  Team team(2);
  const auto found = Driver(rows, steps, {std::accumulate(at.w.begin(), at.w.end(), 0.0)})
                         .run(draws, team, cancel);
  CHECK(found.blocks == 50 && at.has_weights(false));
  CHECK(is_near(before - at.objective(psi, false), found.decrease[0], 1e-11));
}

template <LossOf Loss>
void lock_free_keeps_weights(Random& random, const SmallMatrix& small, const Matrix& A) {
  constexpr bool is_logistic = Loss::keeps_odds;
  Point at(small, A, some_point(random, A.n));
  at.w = at.weights(is_logistic);
  const double total = is_logistic ? 1.0 : std::accumulate(at.w.begin(), at.w.end(), 0.0);
  Iterate iterate = {
      at.w.data(), at.lam.data(), total, is_logistic ? at.E.data() : nullptr, {at.c.data(), 1}};
  const Penalty psi = {0.01, 0.1, nullptr, nullptr, A.n};
  Cancellation cancel([] { return false; });
  const auto found = lock_free<Loss>(
      A, iterate, 400, {1e6}, 4, cancel, [&](std::int64_t u) { return u % A.n; },
      [&](std::int64_t i, double x, const SignedSums& sums, double total) {
        return choose_one(A, psi, {Loss::is_log_of_sum}, i, x, sums, total);
      });
  CHECK(found.blocks == 400 && at.has_weights(is_logistic));
}

}  // namespace

void test_coordinate_step() {
  Random random(3);
  for (int k = 0; k < 10; ++k) {
    const SmallMatrix small = some_matrix(random, k % 2 == 0);
    const Matrix A = small.built({0, 25, 60});
    CHECK(A.is_sound && A.is_valued(5) && !A.is_valued(2) && A.scale[2] == 2.0);
    CHECK(A.full.empty() == (k % 2 == 0));
    step_is_a_minimum(random, small, A);
  }
}

void test_sweeps() {
  Random random(4);
  for (int k = 0; k < 6; ++k) {
    const SmallMatrix small = some_matrix(random, k % 2 == 0);
    const Matrix A = small.built({0, 10, 25, 60});
    sweeps_descend<Exponential>(random, small, A, 1 + k % 3);
    sweeps_descend<Logistic>(random, small, A, 1 + k % 3);
    draws_descend(random, small, A);
    lock_free_keeps_weights<Exponential>(random, small, A);
    lock_free_keeps_weights<Logistic>(random, small, A);
  }
}

}  // namespace tauboost::test
