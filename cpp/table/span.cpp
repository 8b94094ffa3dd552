// The sums of span.hpp, block by block.
#include "table/span.hpp"

#include <algorithm>
#include <vector>

#include "kernels/logistic.hpp"
#include "simd/vectors.hpp"

#define TAUBOOST_PART "table/span.inc"
#include "simd/each_machine.inc"
#undef TAUBOOST_PART

namespace tauboost {
namespace {

constexpr std::int64_t part_rows = 1 << 13, block_rows = 1 << 9;
constexpr int width = 8;

// The loops of this machine.
struct Loops {
  decltype(&narrow::step_along) step_along;
  decltype(&narrow::weigh_all) weigh_all;
  decltype(&narrow::add_products) add_products;

  static Loops chosen() {
#ifdef TAUBOOST_HAS_WIDE
    if (vector_width() >= 8) return {widest::step_along, widest::weigh_all, widest::add_products};
    if (vector_width() >= 4) return {wide::step_along, wide::weigh_all, wide::add_products};
#endif
    return {narrow::step_along, narrow::weigh_all, narrow::add_products};
  }
};

// Adds n rows, a multiple of 8, from the given pointers on.
void add_block(const Loops& loops, const SpanRows& at, std::int64_t n, const double* steps,
               double* all) {
  alignas(64) double r[block_rows], value[block_rows], w[block_rows], h[block_rows];
  loops.step_along(at.now, at.along, at.m, steps, n, r);
  const double* bend = h;
  const double* values = value;
  if (at.c != nullptr) {
    logistic(r, n, value, w);
    loops.weigh_all(at.c, at.c_stride, n, value, w, h);
  } else {
    constexpr double least = -700.0, most = 300.0;  // nobody goes so far, and sums stay finite
    for (std::int64_t j = 0; j < n; ++j) r[j] = std::clamp(r[j], least, most);
    exp_along(r, 1.0, n, w);
    bend = values = w;
  }
  loops.add_products(values, w, bend, at.along, at.m, n, all);
}

// The last rows, less than eight: followed by some that count for nothing.
void add_last(const Loops& loops, const SpanRows& at, std::int64_t n, const double* steps,
              double* all) {
  double now[width] = {}, along[SpanRows::K * width] = {}, c[width] = {};
  std::copy_n(at.now, n, now);
  for (int k = 0; k < SpanRows::K; ++k) std::copy_n(at.along + k * at.m, n, along + k * width);
  if (at.c != nullptr)
    for (std::int64_t j = 0; j < n; ++j) c[j] = at.c[j * at.c_stride];
  else
    std::fill(now + n, now + width, -1e9);
  add_block(loops, {width, now, along, at.c == nullptr ? nullptr : c, 1}, width, steps, all);
}

}  // namespace

std::array<double, SpanRows::n_sums> SpanRows::sums(const std::array<double, K>& steps,
                                                    Team& team) const {
  const Loops loops = Loops::chosen();
  const std::int64_t n_parts = (m + part_rows - 1) / part_rows;
  std::vector<double> of_part(n_parts * n_sums);
  team.share(n_parts, [&](std::int64_t k) {
    alignas(64) double all[n_sums * width] = {};
    const std::int64_t end = std::min(m, (k + 1) * part_rows), even = end / width * width;
    for (std::int64_t first = k * part_rows; first < even; first += block_rows)
      add_block(loops, from(first), std::min(block_rows, even - first), steps.data(), all);
    if (even < end) add_last(loops, from(even), end - even, steps.data(), all);
    for (int q = 0; q < n_sums; ++q)
      for (int t = 0; t < width; ++t) of_part[k * n_sums + q] += all[q * width + t];
  });
  std::array<double, n_sums> total{};
  for (std::int64_t k = 0; k < n_parts; ++k)
    for (int q = 0; q < n_sums; ++q) total[q] += of_part[k * n_sums + q];
  return total;
}

void SpanRows::go(const std::array<double, K>& steps, double* r, Team& team) const {
  const Loops loops = Loops::chosen();
  team.share((m + part_rows - 1) / part_rows, [&](std::int64_t k) {
    const std::int64_t first = k * part_rows, n = std::min(part_rows, m - first);
    loops.step_along(now + first, along + first, m, steps.data(), n, r + first);
  });
}

}  // namespace tauboost
