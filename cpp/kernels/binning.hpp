// From a column of numbers to a byte a cell.
//
// An edge lies between two neighbouring values of the column, well away from both, so that rounding
// on the way to a prediction moves no value into another bin: code = number of edges below x. Which
// values share a bin follows from their order alone. Up to max_bins different values have a bin
// each; more share bins of nearly equal weight, but for a value that holds 1 / max_bins of the
// weight: it has its own. Weights are whole numbers here, so that their sums are exact, and neither
// the order of the rows nor copies in place of a weight change an edge. NaN is missing: it has no
// part in the edges.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

namespace tauboost {

constexpr int most_edges = 254;

// A column whose rows are in the order of their values, missing ones last. Null weights are 1, and
// rows of weight 0 are not there.
struct SortedRows {
  const double* x;
  const std::int64_t* weights;
  std::int64_t n;

  // Calls take(value, weight) for each different value, ascending. Nothing is kept: all of the
  // columns are binned at once, a thread each, and the table itself may fill the memory.
  template <typename Take>
  void each_value(const Take& take) const {
    for (std::int64_t j = 0; j < n && !std::isnan(x[j]);) {
      const double value = x[j];
      std::int64_t weight = 0;
      for (; j < n && x[j] == value; ++j) weight += weights == nullptr ? 1 : weights[j];
      if (weight > 0) take(value, weight);
    }
  }
};

// Which values, by number, have a bin of their own, and what is left for all others.
struct SpecialValues {
  std::vector<std::int64_t> numbers;  // ascending
  std::int64_t stretches = 1;         // between them, of other values; each needs a bin
  std::int64_t left = 0;              // the weight of the other values

  bool has(std::int64_t number) const {
    return std::binary_search(numbers.begin(), numbers.end(), number);
  }
};

// The heaviest of those that hold 1 / max_bins of the weight, as long as the stretches between them
// can have a bin each, too.
inline SpecialValues special_values(const SortedRows& rows, std::int64_t n_values,
                                    std::int64_t total, int max_bins) {
  struct Heavy {
    std::int64_t number, weight;
  };
  std::vector<Heavy> heavy;
  std::int64_t number = 0;
  rows.each_value([&](double, std::int64_t weight) {
    if (weight >= (total + max_bins - 1) / max_bins) heavy.push_back({number, weight});
    ++number;
  });
  std::stable_sort(heavy.begin(), heavy.end(),
                   [](const Heavy& a, const Heavy& b) { return a.weight > b.weight; });
  SpecialValues special;
  special.left = total;
  for (const Heavy& value : heavy) {
    const bool meets_left = value.number == 0 || special.has(value.number - 1);
    const bool meets_right = value.number + 1 == n_values || special.has(value.number + 1);
    const std::int64_t stretches = special.stretches + 1 - meets_left - meets_right;
    const auto bins = static_cast<std::int64_t>(special.numbers.size()) + 1 + stretches;
    if (bins > max_bins) break;
    special.stretches = stretches;
    special.left -= value.weight;
    special.numbers.insert(
        std::upper_bound(special.numbers.begin(), special.numbers.end(), value.number),
        value.number);
  }
  return special;
}

// Where to cut between neighbouring values: in the middle half of the gap, at the number nearest to
// its middle that has the fewest decimals. Only values without a number between them are cut at the
// lower one, which `code = number of edges below x` leaves below.
inline double cut_between(double low, double high) {
  constexpr int most_exponent = 22;                     // powers of ten up to it are exact
  constexpr double largest_whole = 9007199254740992.0;  // 2^53
  const double middle = std::midpoint(low, high);
  const double from = std::midpoint(low, middle), to = std::midpoint(middle, high);
  std::array<double, most_exponent + 1> powers{1.0};
  for (int k = 1; k <= most_exponent; ++k) powers[k] = 10.0 * powers[k - 1];
  for (int k = most_exponent; k >= -most_exponent; --k) {
    const double power = powers[std::abs(k)];
    const double whole = std::nearbyint(k < 0 ? middle * power : middle / power);
    if (!(std::abs(whole) < largest_whole)) break;
    const double cut = k < 0 ? whole / power : whole * power;  // rounded once: the nearest double
    if (low < cut && cut < high && from <= cut && cut <= to) return cut + 0.0;  // no -0
  }
  return low < middle && middle < high ? middle : low;
}

// Where bins end, for more values than bins: the next bin of a stretch takes its share of what is
// left, and a value goes to the bin that comes nearer to its share with it than without.
inline std::vector<double> quantile_edges(const SortedRows& rows, SpecialValues special,
                                          int max_bins) {
  std::int64_t bins = max_bins - static_cast<std::int64_t>(special.numbers.size());
  // What a bin must come near to, twice; none where the stretch has no other bin to use.
  const auto twice_a_share = [&] {
    return bins > special.stretches ? (2 * special.left + bins - 1) / bins
                                    : std::numeric_limits<std::int64_t>::max();
  };
  std::vector<double> edges;
  std::int64_t held = 0;  // in the bin that is being filled
  std::int64_t full = twice_a_share(), number = 0;
  auto next = special.numbers.begin();
  double last = 0.0;  // value
  bool last_is_special = false;
  rows.each_value([&](double value, std::int64_t weight) {
    const bool is_special = next != special.numbers.end() && *next == number;
    next += is_special;
    const bool ends_stretch = last_is_special || is_special;
    if (number++ > 0 && (ends_stretch || 2 * held + weight >= full)) {
      edges.push_back(cut_between(last, value));
      if (!last_is_special) {
        special.left -= held;
        held = 0;
        --bins;
        special.stretches -= ends_stretch;
        full = twice_a_share();
      }
    }
    if (!is_special) held += weight;
    last = value;
    last_is_special = is_special;
  });
  return edges;
}

// The edges of a column.
inline std::vector<double> numeric_edges(const SortedRows& rows, int max_bins) {
  std::int64_t n_values = 0, total = 0;
  rows.each_value([&](double, std::int64_t weight) {
    ++n_values;
    total += weight;
  });
  if (n_values > max_bins)
    return quantile_edges(rows, special_values(rows, n_values, total, max_bins), max_bins);
  std::vector<double> edges;
  std::int64_t number = 0;
  double last = 0.0;  // value
  rows.each_value([&](double value, std::int64_t) {
    if (number++ > 0) edges.push_back(cut_between(last, value));
    last = value;
  });
  return edges;
}

// The codes of a column by a search without branches, as many steps for every value, of several
// values at once. Behind the last edge stands infinity.
inline void numeric_codes(const double* x, std::int64_t n, const double* edges, int n_edges,
                          std::uint8_t* codes) {
  constexpr int at_once = 16;
  std::array<double, 256> padded;
  std::copy_n(edges, n_edges, padded.begin());
  std::fill(padded.begin() + n_edges, padded.end(), HUGE_VAL);
  const auto missing = static_cast<std::uint8_t>(n_edges + 1);
  int step = 128;
  while (step > 1 && step > n_edges) step /= 2;
  for (std::int64_t begin = 0; begin < n; begin += at_once) {
    const int size = static_cast<int>(std::min<std::int64_t>(at_once, n - begin));
    double value[at_once] = {};
    std::int64_t below[at_once] = {};
    std::copy_n(x + begin, size, value);
    for (int half = step; half > 0; half /= 2)
      for (int t = 0; t < at_once; ++t)
        below[t] += -static_cast<std::int64_t>(padded[below[t] + half - 1] < value[t]) & half;
    for (int t = 0; t < size; ++t)
      codes[begin + t] = std::isnan(value[t]) ? missing : static_cast<std::uint8_t>(below[t]);
  }
}

}  // namespace tauboost
