// The driver on a table whose rows are elsewhere: Python carries out its rounds (tauboost.dask).
//
// A term costs one round: the call that carries the steps of the last term also asks for the sums
// of the next one, which the parts take in one pass. The table here has the terms and no rows.
#include <optional>
#include <utility>

#include "bind/table_sweep.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

template <int Lanes_, LossOf Loss_>
class RemoteTableRows {
 public:
  static constexpr int L = Lanes_;
  using Loss = Loss_;
  using Steps = BlockSteps<L, Loss>;
  using Lanes = std::array<double, L>;

  RemoteTableRows(const Table& table, nb::object rounds)
      : table_(table), rounds_(std::move(rounds)), change_(1) {}

  std::int64_t n_parts() const { return 1; }
  std::int64_t work(std::int64_t) const { return 0; }

  void gather(std::int64_t, const Block& now) {
    auto sums = nb::cast<Array<const double>>(tell("round", now.columns[0]));
    expect_size(sums, 2 * L * table_.terms[now.columns[0]].n_cells(), "sums");
    sums_ = sums;
  }

  void sums(const Term& term, int l, double total, BinSums& sums) const {
    const std::int64_t n = term.n_cells();
    const double* of_lane = sums_->data() + 2 * l * n;
    const double scale = Loss::is_log_of_sum ? total : 1.0;
    for (std::int64_t b = 0; b < n; ++b) {
      sums.first[b] = of_lane[b] / scale;
      sums.second[b] = of_lane[n + b] / scale;
    }
  }

  void apply(std::int64_t, const Move<L>& wanted, const Steps& steps) {
    const std::int32_t term = wanted.block.columns[0];
    const std::int64_t n = table_.terms[term].n_cells();
    const auto taken = steps.taken(wanted.fraction);
    growth_.assign(L * n, 1.0);
    for (int l = 0; l < L; ++l) {
      change_[0][l] = taken[l] == nullptr ? 0.0 : steps.change(l);
      if (taken[l] != nullptr) std::copy_n(taken[l], n, growth_.data() + l * n);
    }
    const bool is_still = std::ranges::all_of(growth_, [](double up) { return up == 1.0; });
    last_ = is_still ? -1 : term;
  }

  const std::vector<Lanes>& changes() const { return change_; }
  double recount(int l) { return nb::cast<double>(tell("total", l)); }

  // The last steps go out with whatever is asked next.
  void settle(Team&) {
    if (last_ >= 0) tell("keep", 0);
  }

 private:
  nb::object tell(const char* what, int which) {
    const std::int32_t last = std::exchange(last_, -1);
    return rounds_.attr(what)(
        last, last < 0 ? nb::object(nb::none()) : copied(growth_.data(), growth_.size()), which);
  }

  const Table& table_;
  nb::object rounds_;
  std::optional<Array<const double>> sums_;
  std::int32_t last_ = -1;  // the term whose steps the rows have not taken yet
  std::vector<double> growth_;
  std::vector<Lanes> change_;
};

template <int L>
void bind_sweep(nb::module_& module, const char* name) {
  module.def(
      name,
      [](const OwnTable& table, nb::object rounds, bool is_logistic, Array<double> levels,
         Array<double> intercepts, Array<const double> total, Array<const double> l1,
         Array<const double> l2, Array<const std::int8_t> signs, Array<const std::int32_t> terms,
         int n_newton) {
        const SweepPlan<L> plan = {table, levels, intercepts, total,   l1,
                                   l2,    signs,  terms,      n_newton};
        plan.check();
        return with_loss(is_logistic, [&]<LossOf Loss>(Loss) {
          RemoteTableRows<L, Loss> rows(plan.table, rounds);
          Team team(1);
          Cancellation cancel([] { return false; });
          return LaneOutcome(plan.run(rows, team, cancel));
        });
      },
      "table"_a, "rounds"_a, "is_logistic"_a, "levels"_a, "intercepts"_a, "total"_a, "l1"_a, "l2"_a,
      "signs"_a, "terms"_a, "n_newton"_a);
}

}  // namespace

void bind_remote_tables(nb::module_& module) {
  bind_sweep<1>(module, "remote_table_sweep");
  bind_sweep<8>(module, "remote_table_lane_sweep");
}

}  // namespace tauboost
