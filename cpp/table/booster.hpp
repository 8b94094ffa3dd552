// Textbook AdaBoost with stumps: the histograms of all columns, kept up to date round by round.
//
// A stump h is worth +1 on one side of a threshold and -1 on the other: a step multiplies the
// weights of one side by exp(y d) and of the other by exp(-y d). Every label has a scale of its
// own, which takes the factor of the side with more rows; so only the rows of the other side are
// touched, and what they weigh is added to the histograms. Scales and weights are settled by a
// refresh.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "table/table.hpp"
#include "threads/team.hpp"

namespace tauboost {

class Booster {
 public:
  // Weights of the rows of two labels; the label 1 has y = 1.
  Booster(const Table& table, const double* w)
      : table_(table),
        w_(w, w + table.n_rows),
        by_row_(table.n_rows * table.n_columns),
        counts_(table.n_levels),
        deltas_(table.shards.size() * table.n_levels),
        touched_(table.shards.size()) {
    for (std::int64_t k = 0; k < table.n_columns; ++k)
      for (std::int64_t j = 0; j < table.n_rows; ++j)
        by_row_[j * table.n_columns + k] = table.column(static_cast<std::int32_t>(k))[j];
    for (auto& sums : sums_) sums.assign(table.n_levels, 0.0);
    for (const RowShard& shard : table.shards) {
      touched_[&shard - table.shards.data()].resize(shard.n_rows);
      for_rows(shard, [&](std::int64_t j, std::int64_t level) {
        sums_[shard.label][level] += w_[j];
        counts_[level] += 1;
      });
    }
  }

  std::int64_t n_sums() const { return table_.n_levels + 1; }

  // The sums of weights over A_ji < 0 and A_ji > 0 for the hypothesis of every level (the threshold
  // above it, or its bin), and for the intercept behind them.
  void signed_sums(double* neg, double* pos) const {
    double totals[2] = {};
    for (const Term& term : table_.terms) {
      const double *down = sums_[0].data() + term.offset, *up = sums_[1].data() + term.offset;
      double down_all = 0.0, up_all = 0.0, down_below = 0.0, up_below = 0.0;
      const int n = term.ordered_first;
      for (int b = 0; b < n; ++b) {
        down_all += scales_[0] * down[b];
        up_all += scales_[1] * up[b];
      }
      double all[2] = {down_all, up_all};
      for (int b = 0; b < term.n_cells(); ++b) {
        const double d = scales_[0] * down[b], u = scales_[1] * up[b];
        if (b < n) {
          down_below += d;
          up_below += u;
          neg[term.offset + b] = up_below + std::max(down_all - down_below, 0.0);
          pos[term.offset + b] = down_below + std::max(up_all - up_below, 0.0);
        } else {
          all[0] += d;
          all[1] += u;
          neg[term.offset + b] = d;
          pos[term.offset + b] = u;
        }
      }
      if (term.offset == 0) std::copy_n(all, 2, totals);
    }
    neg[table_.n_levels] = totals[0];
    pos[table_.n_levels] = totals[1];
  }

  // lam of the hypothesis of a level (or of the intercept: level n_levels) moves by d.
  void move(std::int64_t level, double d, Team& team) {
    const double up[2] = {std::exp(-d), std::exp(d)};  // of a row of each label where h = 1
    if (level == table_.n_levels) {
      for (int label = 0; label < 2; ++label) scales_[label] *= up[label];
      return;
    }
    const auto term = *std::ranges::find_if(
        table_.terms, [&](const Term& other) { return level < other.offset + other.n_cells(); });
    const int bin = static_cast<int>(level - term.offset);
    const bool is_threshold = bin + 1 < term.ordered_first;
    // Rows of bins first ... last change next to the others; where h = 0, neither do.
    int first = bin, last = bin;
    std::array<double, 2> ratio = {up[0], up[1]};
    if (is_threshold) {
      std::int64_t below = 0, above = 0;
      for (int b = 0; b < term.ordered_first; ++b)
        (b <= bin ? below : above) += counts_[term.offset + b];
      const bool takes_above = above < below;
      // Missing values, where h = 0, are on neither side: they are touched with the smaller one.
      first = takes_above ? bin + 1 : 0;
      last = takes_above ? term.ordered_first - 1 : bin;
      for (int label = 0; label < 2; ++label) {
        const double here = takes_above ? up[label] : 1.0 / up[label];
        scales_[label] /= here;
        ratio[label] = here * here;
      }
    }
    touch(term, first, last, ratio, team);
    if (is_threshold && term.n_cells() > term.ordered_first) {
      std::array<double, 2> back;
      for (int label = 0; label < 2; ++label) back[label] = std::sqrt(ratio[label]);
      touch(term, term.ordered_first, term.n_cells() - 1, back, team);
    }
  }

 private:
  template <typename Visit>
  void for_rows(const RowShard& shard, const Visit& visit) const {
    for (std::int64_t j = shard.first_row; j < shard.first_row + shard.n_rows; ++j)
      for (const Term& term : table_.terms)
        visit(j, term.offset + code_of<true>(term, by_row_.data() + j * table_.n_columns));
  }

  // The code of a row; tables without wide terms need not ask for high bytes.
  template <bool HasWide>
  static std::int64_t code_of(const Term& term, const std::uint8_t* row) {
    if (HasWide && term.is_wide) return row[term.first] + Table::byte * row[term.second];
    return row[term.first];
  }

  // Multiplies the weights of the rows in these bins, and brings the histograms up to date.
  void touch(const Term& term, int first, int last, const std::array<double, 2>& ratio,
             Team& team) {
    std::int64_t n_touched = 0;
    for (int b = first; b <= last; ++b) n_touched += counts_[term.offset + b];
    if (n_touched == 0) return;
    const auto n_shards = static_cast<std::int64_t>(table_.shards.size());
    team.share(n_shards, [&](std::int64_t s) {
      if (has_wide_)
        touch_shard<true>(s, term, first, last, ratio);
      else
        touch_shard<false>(s, term, first, last, ratio);
    });
    for (std::int64_t s = 0; s < n_shards; ++s) {
      const double* delta = deltas_.data() + s * table_.n_levels;
      std::vector<double>& sums = sums_[table_.shards[s].label];
      for (std::int64_t b = 0; b < table_.n_levels; ++b) sums[b] += delta[b];
    }
  }

  template <bool HasWide>
  void touch_shard(std::int64_t s, const Term& term, int first, int last,
                   const std::array<double, 2>& ratio) {
    const RowShard& shard = table_.shards[s];
    std::int32_t* rows = touched_[s].data();
    std::int64_t n = 0;
    if (HasWide && term.is_wide) {
      for (std::int64_t j = 0; j < shard.n_rows; ++j) {
        const std::uint8_t* row = by_row_.data() + (shard.first_row + j) * table_.n_columns;
        const std::int64_t code = code_of<true>(term, row);
        rows[n] = static_cast<std::int32_t>(j);
        n += first <= code && code <= last;
      }
    } else {
      const std::uint8_t* code = table_.column(term.first) + shard.first_row;
      const auto width = static_cast<std::uint8_t>(last - first);
      for (std::int64_t j = 0; j < shard.n_rows; ++j) {
        rows[n] = static_cast<std::int32_t>(j);
        n += static_cast<std::uint8_t>(code[j] - first) <= width;
      }
    }
    double* delta = deltas_.data() + s * table_.n_levels;
    std::fill_n(delta, table_.n_levels, 0.0);
    const double growth = ratio[shard.label] - 1.0;
    for (std::int64_t t = 0; t < n; ++t) {
      const std::int64_t j = shard.first_row + rows[t];
      const double change = growth * w_[j];
      w_[j] += change;
      const std::uint8_t* row = by_row_.data() + j * table_.n_columns;
      for (const Term& other : table_.terms)
        delta[other.offset + code_of<HasWide>(other, row)] += change;
    }
  }

  const Table& table_;
  const bool has_wide_ = std::ranges::any_of(table_.terms, &Term::is_wide);
  std::vector<double> w_;
  std::vector<std::uint8_t> by_row_;         // the codes, row by row
  std::vector<std::int64_t> counts_;         // rows on each level
  std::array<std::vector<double>, 2> sums_;  // of w over each level, label by label
  std::array<double, 2> scales_ = {1.0, 1.0};
  std::vector<double> deltas_;  // of the histograms, shard by shard
  std::vector<std::vector<std::int32_t>> touched_;
};

}  // namespace tauboost
