// From a column of numbers to a byte a cell.
//
// The edges are values of the column: code = number of edges below x, so any increasing transform
// of the column gives the same codes. Up to max_bins different values have a bin each; more share
// bins of nearly equal weight, but for a value that holds 1 / max_bins of the weight: it has its
// own. Weights are whole numbers here, so that their sums are exact, and neither the order of the
// rows nor copies in place of a weight change an edge. NaN is missing: it has no part in the edges.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tauboost {

constexpr int most_edges = 254;

// The different values of a column, ascending, with the weight of each.
struct Weighted {
  std::vector<double> value;
  std::vector<std::int64_t> weight;
};

// From rows in the order of their values; null weights are 1, and rows of weight 0 are not there.
inline Weighted different_values(const double* x, const std::int64_t* weights, std::int64_t n) {
  Weighted found;
  found.value.reserve(static_cast<std::size_t>(n));
  found.weight.reserve(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n && !std::isnan(x[j]); ++j) {
    const std::int64_t weight = weights == nullptr ? 1 : weights[j];
    if (weight == 0) continue;
    if (!found.value.empty() && found.value.back() == x[j]) {
      found.weight.back() += weight;
    } else {
      found.value.push_back(x[j]);
      found.weight.push_back(weight);
    }
  }
  return found;
}

// Which values have a bin of their own: the heaviest of those that hold 1 / max_bins of the weight,
// as long as the stretches between them can have a bin each, too.
inline std::vector<char> special_values(const Weighted& all, std::int64_t total, int max_bins) {
  const std::size_t n = all.value.size();
  std::vector<std::size_t> heavy;
  for (std::size_t i = 0; i < n; ++i)
    if (all.weight[i] >= (total + max_bins - 1) / max_bins) heavy.push_back(i);
  std::stable_sort(heavy.begin(), heavy.end(),
                   [&](std::size_t a, std::size_t b) { return all.weight[a] > all.weight[b]; });
  std::vector<char> is_special(n, 0);
  int needed = 1;  // bins: the special ones and the stretches
  for (const std::size_t i : heavy) {
    const bool meets_left = i == 0 || is_special[i - 1];
    const bool meets_right = i + 1 == n || is_special[i + 1];
    needed += 2 - meets_left - meets_right;
    if (needed > max_bins) break;
    is_special[i] = 1;
  }
  return is_special;
}

// Where bins end, for more values than bins: the next bin of a stretch takes its share of what is
// left, and a value goes to the bin that comes nearer to its share with it than without.
inline std::vector<double> quantile_edges(const Weighted& all, int max_bins) {
  std::int64_t total = 0, left = 0;
  for (const std::int64_t weight : all.weight) total += weight;
  const std::vector<char> is_special = special_values(all, total, max_bins);
  const std::size_t n = all.value.size();
  std::int64_t bins = max_bins, stretches = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bins -= is_special[i];
    if (!is_special[i]) left += all.weight[i];
    stretches += !is_special[i] && (i == 0 || is_special[i - 1]);
  }
  std::vector<double> edges;
  std::int64_t held = 0;  // in the bin that is being filled
  // What the bin must come near to, twice; none where the stretch has no other bin to use.
  const auto twice_a_share = [&] {
    return bins > stretches ? (2 * left + bins - 1) / std::max<std::int64_t>(bins, 1)
                            : std::numeric_limits<std::int64_t>::max();
  };
  std::int64_t full = twice_a_share();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const bool ends_stretch = is_special[i] || is_special[i + 1];
    if (!is_special[i]) held += all.weight[i];
    if (!ends_stretch && 2 * held + all.weight[i + 1] < full) continue;
    edges.push_back(all.value[i]);
    if (is_special[i]) continue;
    left -= held;
    held = 0;
    --bins;
    stretches -= ends_stretch;
    full = twice_a_share();
  }
  return edges;
}

// The edges of a column whose rows are in the order of their values, missing ones last.
inline std::vector<double> numeric_edges(const double* x, const std::int64_t* weights,
                                         std::int64_t n, int max_bins) {
  Weighted all = different_values(x, weights, n);
  if (static_cast<int>(all.value.size()) > max_bins) return quantile_edges(all, max_bins);
  if (!all.value.empty()) all.value.pop_back();
  return all.value;
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
