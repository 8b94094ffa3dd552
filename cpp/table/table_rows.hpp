// The rows of a table for the driver: histograms in, steps out, in L lanes.
//
// A step is not applied when it is taken, but in the pass that sums up the next term: what it does
// to the objective is known without the rows (term_steps.hpp). Shards are summed in order, so the
// bits do not depend on the threads, nor on the instructions the machine has.
#pragma once

#include <array>
#include <vector>

#include "table/passes.hpp"
#include "table/term_steps.hpp"
#include "threads/team.hpp"

namespace tauboost {

// The rows of L problems on one table.
template <int L>
struct TableState {
  Real<L>* E;             // as in passes.hpp, in the order of the table's rows
  const double* c;        // logistic
  std::int32_t c_stride;  // 0: one weight serves all rows; L: every lane has its own
  // For each label and lane whether its rows have y = 1.
  const std::uint8_t* is_positive;
  std::vector<std::int32_t> shards;  // those that are trained on
};

template <int Lanes_, LossOf Loss_>
class TableRows {
 public:
  static constexpr int L = Lanes_;
  using Loss = Loss_;
  using Lanes = std::array<double, L>;
  using Steps = BlockSteps<L, Loss>;

  TableRows(const Table& table, const TableState<L>& state)
      : table_(table),
        state_(state),
        width_(replicas<L> * L * sums_a_cell<Loss>),
        stride_(static_cast<std::int64_t>(table.largest_term) * width_),
        parts_(parts_of(table, state.shards)),
        histograms_(parts_.size() * stride_),
        factors_(static_cast<std::int64_t>(table.n_labels) * table.largest_term * L),
        change_(1) {}

  std::int64_t n_parts() const { return static_cast<std::int64_t>(parts_.size()); }
  std::int64_t work(std::int64_t) const { return L * table_.n_rows; }

  void gather(std::int64_t part, const Block& now) {
    const Term& term = table_.terms[now.columns[0]];
    Real<L>* histogram = histograms_.data() + part * stride_;
    std::fill_n(histogram, term.n_cells() * width_, Real<L>(0));
    pass(part, &term, histogram);
  }

  // The sums of a lane over each cell: up and down, over the total, or gradient and curvature.
  void sums(const Term& term, int l, double total, BinSums& sums) const {
    const int n = term.n_cells();
    std::fill_n(sums.first.begin(), n, 0.0);
    std::fill_n(sums.second.begin(), n, 0.0);
    for (std::int64_t part = 0; part < n_parts(); ++part) {
      const Real<L>* histogram = histograms_.data() + part * stride_;
      const bool is_up = is_positive(parts_[part].label, l);
      for (int b = 0; b < n; ++b) {
        double w = 0.0, h = 0.0;
        for (int replica = 0; replica < replicas<L>; ++replica) {
          const Real<L>* cell = histogram + (b * replicas<L> + replica) * L * sums_a_cell<Loss> + l;
          w += cell[0];
          if constexpr (Loss::keeps_odds) h += cell[L];
        }
        if constexpr (Loss::keeps_odds) {
          sums.first[b] += is_up ? w : -w;
          sums.second[b] += h;
        } else {
          (is_up ? sums.first : sums.second)[b] += w;
        }
      }
    }
    if constexpr (!Loss::keeps_odds)
      for (int b = 0; b < n; ++b) {
        sums.first[b] /= total;
        sums.second[b] /= total;
      }
  }

  void apply(std::int64_t part, const Move<L>& wanted, const Steps& steps) {
    if (part != 0) return;
    for (int l = 0; l < L; ++l) change_[0][l] = wanted.fraction[l] == 1.0 ? steps.change(l) : 0.0;
    keep(table_.terms[wanted.block.columns[0]], steps.taken(wanted.fraction));
  }

  // Keeps what the next pass multiplies by: exp of the steps of a term, lane by lane; null: none.
  void keep(const Term& term, const std::array<const double*, L>& growth) {
    moved_ = nullptr;
    for (int l = 0; l < L; ++l)
      for (int b = 0; b < term.n_cells(); ++b) {
        const double up = growth[l] == nullptr ? 1.0 : growth[l][b];
        if (up != 1.0) moved_ = &term;
        const double down = 1.0 / up;
        for (std::int32_t label = 0; label < table_.n_labels; ++label)
          factors_[(label * static_cast<std::int64_t>(table_.largest_term) + b) * L + l] =
              static_cast<Real<L>>(is_positive(label, l) ? up : down);
      }
  }

  const std::vector<Lanes>& changes() const { return change_; }

  double recount(int l) {
    for (std::int64_t part = 0; part < n_parts(); ++part) pass(part, nullptr, nullptr);
    moved_ = nullptr;
    double total = 0.0;
    for (const std::int32_t s : state_.shards) {
      const RowShard& shard = table_.shards[s];
      double sum = 0.0;
      for (std::int64_t j = shard.first_row; j < shard.first_row + shard.n_rows; ++j)
        sum += state_.E[j * L + l];
      total += sum;
    }
    return total;
  }

  // Takes the steps that are still to be taken.
  void settle(Team& team) {
    if (moved_ != nullptr)
      team.share(n_parts(), [&](std::int64_t part) { pass(part, nullptr, nullptr); });
    moved_ = nullptr;
  }

 private:
  bool is_positive(std::int32_t label, int l) const {
    return state_.is_positive[label * L + l] != 0;
  }

  // Shards of one label with few rows are worked on together, and share a histogram: it may have
  // no more cells than rows, or else all of them would fill the memory.
  struct Part {
    std::int32_t label;
    std::vector<std::int32_t> shards;
    std::int64_t n_rows;
  };

  static std::vector<Part> parts_of(const Table& table, const std::vector<std::int32_t>& shards) {
    const std::int64_t worth_a_part = std::max<std::int64_t>(1 << 12, table.largest_term);
    std::vector<Part> parts;
    for (const std::int32_t s : shards) {
      const RowShard& shard = table.shards[s];
      if (parts.empty() || parts.back().label != shard.label ||
          parts.back().n_rows + shard.n_rows > worth_a_part)
        parts.push_back({shard.label, {}, 0});
      parts.back().shards.push_back(s);
      parts.back().n_rows += shard.n_rows;
    }
    return parts;
  }

  void pass(std::int64_t part, const Term* next, Real<L>* histogram) const {
    for (const std::int32_t s : parts_[part].shards) {
      const RowShard& shard = table_.shards[s];
      TablePass<L> pass;
      pass.n_rows = shard.n_rows;
      pass.E = state_.E + shard.first_row * L;
      pass.c = Loss::keeps_odds ? state_.c + shard.first_row * state_.c_stride : nullptr;
      pass.c_stride = state_.c_stride;
      pass.factor =
          factors_.data() + static_cast<std::int64_t>(shard.label) * table_.largest_term * L;
      pass.histogram = histogram;
      if (moved_ != nullptr) pass.last = CellOf(table_, *moved_, shard.first_row);
      if (next != nullptr) pass.next = CellOf(table_, *next, shard.first_row);
      run<L, Loss>(pass);
    }
  }

  const Table& table_;
  const TableState<L>& state_;
  const std::int64_t width_;  // numbers of a cell in a histogram
  const std::int64_t stride_;
  const std::vector<Part> parts_;
  std::vector<Real<L>> histograms_;  // part by part
  std::vector<Real<L>> factors_;     // label by label
  const Term* moved_ = nullptr;      // whose steps the rows have not taken yet
  std::vector<Lanes> change_;
};

}  // namespace tauboost
