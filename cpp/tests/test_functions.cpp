// exp, log and their kin against the C library, and the same bits on every kind of machine.
#include <algorithm>
#include <vector>

#include "kernels/logistic.hpp"
#include "kernels/weights.hpp"
#include "simd/vectors.hpp"
#include "tests/check.hpp"

namespace tauboost::test {
namespace {

struct Found {
  std::vector<double> exps, logs, losses, shares;
  bool operator==(const Found&) const = default;
};

// On vectors of a width, of as many numbers as do not fill the last one.
Found on_width(int width, const std::vector<double>& x) {
  chosen_width() = std::min(width, widest_vector());
  const auto n = static_cast<std::int64_t>(x.size());
  Found found{x, x, x, x};
  exp_along(x.data(), 1.0, n / 8 * 8, found.exps.data());
  std::vector<double> positive(x);
  for (double& number : positive) number = std::exp(number);
  logarithms(positive.data(), n, found.logs.data());
  logistic(x.data(), n, found.losses.data(), found.shares.data());
  chosen_width() = widest_vector();
  return found;
}

}  // namespace

void test_functions() {
  // Four partial sums, added in pairs: the order is part of the bits that are promised.
  const double terms[] = {1.0, 1e16, -1e16, 1.0, 2.0};
  const auto term = [&](std::int64_t k) { return terms[k]; };
  CHECK(fixed_sum(0, 4, term) == 0.0 && fixed_sum(0, 5, term) == 4.0);

  double worst = 0.0;
  for (double x = -5.0; x < 5.0; x += 1e-4)
    if (std::abs(x) > 1e-15) worst = std::max(worst, ulps(expm1(x), std::expm1(x)));
  CHECK(worst <= 8.0);  // just beyond the reach of the series, exp(x) - 1 has lost three bits
  CHECK(expm1(0.0) == 0.0 && expm1(1e-300) == 1e-300);

  Random random(2);
  std::vector<double> x;
  for (int k = 0; k < 1021; ++k) x.push_back(random.within(-1.0, 1.0) * (k % 2 == 0 ? 30.0 : 2.0));
  const Found found = on_width(8, x);
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k < x.size() / 8 * 8) CHECK(ulps(found.exps[k], std::exp(x[k])) <= 3.0);
    CHECK(std::abs(found.logs[k] - std::log(std::exp(x[k]))) <= 4e-16 * (1.0 + std::abs(x[k])));
    const double loss = std::max(x[k], 0.0) + std::log1p(std::exp(-std::abs(x[k])));
    CHECK(std::abs(found.losses[k] - loss) <= 1e-14 * loss);
    CHECK(ulps(found.shares[k], 1.0 / (1.0 + std::exp(-x[k]))) <= 16.0);
  }
  CHECK(found == on_width(4, x));
  CHECK(found == on_width(2, x));
}

}  // namespace tauboost::test
