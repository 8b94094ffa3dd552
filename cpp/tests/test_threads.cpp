// Draws and phases of threads. What a million phases do: fuzz/phases.cpp.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "kernels/sampling.hpp"
#include "tests/check.hpp"
#include "threads/cancellation.hpp"
#include "threads/scratch.hpp"
#include "threads/team.hpp"

namespace tauboost::test {

// Columns of a draw are distinct, all equally likely, and the same whenever they are drawn.
void test_draws() {
  constexpr std::int64_t n = 12, tau = 5, n_draws = 24000;
  NiceSampling sampling(n, tau, 3), again(n, tau, 3);
  std::vector<std::int32_t> subset(tau), other(tau);
  std::vector<std::int64_t> times(n), pairs(n * n);
  for (std::int64_t t = 0; t < n_draws; ++t) {
    sampling.draw(t, subset.data());
    std::sort(subset.begin(), subset.end());
    CHECK(std::adjacent_find(subset.begin(), subset.end()) == subset.end());
    CHECK(subset.front() >= 0 && subset.back() < n);
    for (const std::int32_t i : subset) {
      times[i] += 1;
      for (const std::int32_t k : subset) pairs[i * n + k] += 1;
    }
  }
  const double each = static_cast<double>(n_draws) * tau / n;
  for (std::int64_t i = 0; i < n; ++i) {
    CHECK(std::abs(static_cast<double>(times[i]) - each) < 6.0 * std::sqrt(each));
    const double both = each * (tau - 1) / (n - 1);
    for (std::int64_t k = 0; k < i; ++k)
      CHECK(std::abs(static_cast<double>(pairs[i * n + k]) - both) < 6.0 * std::sqrt(both));
  }
  sampling.draw(17, subset.data());
  again.draw(17, other.data());
  CHECK(subset == other);
  Draws draws(sampling, 17, 2);
  const Block first = draws.next(), second = draws.next();
  CHECK(std::equal(other.begin(), other.end(), first.columns) && second.n == tau);
  CHECK(draws.next().n == 0);
}

void test_threads() {
  for (const int size : {1, 2, 3, 8}) {
    Team team(size);
    CHECK(team.size() >= 1 && team.size() <= size);
    Scratch<std::int64_t> sums([] { return std::int64_t{0}; });
    for (std::int64_t n = 0; n < 200; ++n) {
      std::vector<int> times(static_cast<std::size_t>(n));
      team.share(n, [&](std::int64_t k) {
        times[k] += 1;
        *sums.borrow() += k;
      });
      CHECK(std::all_of(times.begin(), times.end(), [](int time) { return time == 1; }));
    }
    std::int64_t all = 0;
    sums.each([&](std::int64_t sum) { all += sum; });
    CHECK(all == 200 * 199 * 198 / 6 && sums.size() <= static_cast<std::size_t>(team.size()));
    int caught = 0;
    try {
      team.share(50, [](std::int64_t k) {
        if (k == 33) throw std::runtime_error("thrown");
      });
    } catch (const std::runtime_error&) {
      caught = 1;
    }
    CHECK(caught == 1);
    std::atomic<std::int64_t> sum{0};
    team.share_blocks(1000, 7, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) sum += k;
    });
    CHECK(sum == 499500);
  }
  int asked = 0;
  Cancellation cancel([&] { return ++asked == 2; });
  while (!cancel.stopped()) cancel.check(1 << 20);
  CHECK(asked == 2);
}

}  // namespace tauboost::test
