// psi of one coordinate against brute force.
#include <algorithm>
#include <limits>

#include "kernels/penalty.hpp"
#include "tests/check.hpp"

namespace tauboost::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double value(const ElasticNet<double>& psi, double x) {
  return psi.l1 * std::abs(x) + 0.5 * psi.l2 * x * x;
}

ElasticNet<double> some_psi(Random& random) {
  ElasticNet<double> psi = {random.below(3) * 0.4, random.below(3) * 0.7, -infinity, infinity};
  if (random.below(2) == 0) psi.lower = random.within(-1.0, 0.0) * random.below(2);
  if (random.below(2) == 0) psi.upper = random.within(0.0, 1.0) * random.below(2);
  return psi;
}

void prox_is_a_minimum(Random& random) {
  const ElasticNet<double> psi = some_psi(random);
  const double point = random.within(-2.0, 2.0), curvature = random.within(0.1, 3.0);
  const double found = psi.prox(point, curvature);
  const auto objective = [&](double x) {
    return 0.5 * curvature * (x - point) * (x - point) + value(psi, x);
  };
  CHECK(psi.lower <= found && found <= psi.upper);
  const double first = std::max(psi.lower, -3.0), last = std::min(psi.upper, 3.0);
  double best = infinity;
  for (int k = 0; k <= 4000; ++k)
    best = std::min(best, objective(first + (last - first) * k / 4000));
  CHECK(objective(found) <= best + 1e-12);
}

// How far 0 is from slope + the subdifferential, which is that of the chord on either side.
void violation_is_a_distance(Random& random) {
  const ElasticNet<double> psi = some_psi(random);
  const double slope = random.within(-2.0, 2.0);
  double x = random.below(2) == 0 ? 0.0 : random.within(-1.0, 1.0);
  if (random.below(4) == 0) x = random.below(2) == 0 ? psi.lower : psi.upper;
  x = std::isfinite(x) ? std::clamp(x, psi.lower, psi.upper) : 0.0;
  constexpr double h = 1e-7;
  const auto change = [&](double to) { return slope * (to - x) + value(psi, to) - value(psi, x); };
  const double up = x + h <= psi.upper ? change(x + h) / h : infinity;
  const double down = x - h >= psi.lower ? change(x - h) / h : infinity;
  CHECK(is_near(psi.violation(x, slope), std::max({0.0, -up, -down}), 1e-5));
}

}  // namespace

void test_elastic_net() {
  Random random(1);
  for (int k = 0; k < 300; ++k) prox_is_a_minimum(random);
  for (int k = 0; k < 3000; ++k) violation_is_a_distance(random);
  const ElasticNet<double> psi = {0.3, 2.0, -infinity, infinity};
  CHECK(is_near(psi.change(-1.0, 0.5), value(psi, 0.5) - value(psi, -1.0), 1e-15));
  const double factors[] = {2.0, 0.5};
  const Penalty penalty = {0.3, 2.0, nullptr, nullptr, 2, factors, nullptr};
  CHECK(penalty.of(0).l1 == 0.6 && penalty.of(1).l1 == 0.15 && penalty.of(1).l2 == 2.0);
  CHECK(penalty.of(2).prox(-0.7, 1.0) == -0.7);  // the intercept is free
  CHECK(proximal_step(penalty, 0, 1.0, 0.0, 1.0, 0.0) == 1.0);
  CHECK(proximal_step(penalty, 2, 0.0, 1e9, 1.0, 2.0) == -longest_move / 2.0);
}

}  // namespace tauboost::test
