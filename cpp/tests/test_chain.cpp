// The step function of least cost against its optimality conditions, and against its neighbours.
#include <vector>

#include "table/chain.hpp"
#include "tests/check.hpp"

namespace tauboost::test {
namespace {

struct Problem {
  std::vector<double> h, target;
  JumpPenalty penalty;

  double value(const std::vector<double>& x) const {
    double sum = 0.0;
    for (std::size_t t = 0; t < x.size(); ++t) {
      sum += 0.5 * h[t] * (x[t] - target[t]) * (x[t] - target[t]);
      if (t == 0) continue;
      const double jump = x[t] - x[t - 1];
      sum += penalty.a * std::abs(jump) + 0.5 * penalty.b * jump * jump;
    }
    return sum;
  }
  bool allows(const std::vector<double>& x) const {
    for (std::size_t t = 1; t < x.size(); ++t)
      if (penalty.sign * (x[t] - x[t - 1]) < 0.0) return false;
    return true;
  }
};

// The force across a jump, h (x - target) summed up to it, is a slope of its penalty.
void check_forces(const Problem& problem, const std::vector<double>& x) {
  const auto [a, b, sign] = problem.penalty;
  const double slack = 1e-8;
  double force = 0.0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    force += problem.h[t] * (x[t] - problem.target[t]);
    if (t + 1 == x.size()) break;
    const double jump = x[t + 1] - x[t], slope = force - b * jump;
    const double least = jump > 1e-12 ? a : sign > 0 ? -1e300 : -a;
    const double most = jump < -1e-12 ? -a : sign < 0 ? 1e300 : a;
    CHECK(least - slack <= slope && slope <= most + slack);
  }
  CHECK(std::abs(force) <= slack);
}

}  // namespace

void test_chain() {
  Random random(5);
  Chain chain(12);
  for (int k = 0; k < 600; ++k) {
    const int n = 1 + random.below(12);
    Problem problem;
    for (int t = 0; t < n; ++t) {
      problem.h.push_back(random.within(0.1, 2.0));
      problem.target.push_back(random.within(-1.0, 1.0));
    }
    problem.penalty = {0.3 * random.below(3), 0.5 * random.below(3), random.below(3) - 1};
    std::vector<double> x(n);
    chain.solve(n, problem.h.data(), problem.target.data(), problem.penalty, x.data());
    CHECK(problem.allows(x));
    check_forces(problem, x);
    const double found = problem.value(x);
    for (int turn = 0; turn < 100; ++turn) {
      std::vector<double> near(x);
      const double size = std::pow(10.0, -random.within(0.0, 5.0));
      // A piece of it moves, as a whole or each bin by itself.
      const int first = random.below(n), last = first + random.below(n - first);
      const double all = random.within(-size, size);
      for (int t = first; t <= last; ++t)
        near[t] += turn % 2 == 0 ? all : random.within(-size, size);
      if (problem.allows(near)) CHECK(found <= problem.value(near) + 1e-12);
    }
  }
}

}  // namespace tauboost::test
