// Python's view of tables: the table, sweeps over its terms, and sums and values along its rows.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>

#include "bind/table_sweep.hpp"
#include "table/booster.hpp"
#include "table/duplicates.hpp"
#include "table/pairs.hpp"
#include "table/span.hpp"
#include "table/table_rows.hpp"
#include "table/whole.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

// The rows of a table, or of a part of one, as the kernels take them.
template <int L>
struct RowsCall {
  const Table& table;
  Array<Real<L>> E;
  std::optional<Array<const double>> c;
  Array<const std::uint8_t> is_positive;
  Array<const std::int32_t> shards;

  TableState<L> state() const {
    constexpr std::int64_t lanes = L;
    expect_size(E, table.n_rows * lanes, "E");
    if (c && c->size() != 1 && length(*c) != table.n_rows * lanes)
      expect_size(*c, table.n_rows, "c");
    expect_size(is_positive, table.n_labels * lanes, "is_positive");
    return {E.data(), data_of(c), c_stride(), is_positive.data(),
            checked(shards, table.shards.size(), "shard")};
  }

  std::int32_t c_stride() const {
    if (!c || c->size() == 1) return 0;
    return length(*c) == table.n_rows ? 1 : L;
  }
};

template <int L>
LaneOutcome table_sweep(const OwnTable& table, Array<Real<L>> E,
                        std::optional<Array<const double>> c, Array<const std::uint8_t> is_positive,
                        Array<const std::int32_t> shards, Array<double> levels,
                        Array<double> intercepts, Array<const double> total, Array<const double> l1,
                        Array<const double> l2, Array<const std::int8_t> signs,
                        Array<const std::int32_t> terms, int n_newton, int n_threads) {
  const RowsCall<L> call = {table, E, c, is_positive, shards};
  const SweepPlan<L> plan = {table, levels, intercepts, total, l1, l2, signs, terms, n_newton};
  const TableState<L> state = call.state();
  plan.check();
  return LaneOutcome(released(n_threads, [&](Team& team, Cancellation& cancel) {
    return with_loss(c.has_value(), [&]<LossOf Loss>(Loss) {
      TableRows<L, Loss> rows(table, state);
      return plan.run(rows, team, cancel);
    });
  }));
}

// One pass over a part of a table whose terms are decided elsewhere: takes the steps of one term,
// given as their exp lane by lane, and sums the next up; -1: there is no such term.
template <int L>
void table_pass(const OwnTable& table, Array<Real<L>> E, std::optional<Array<const double>> c,
                Array<const std::uint8_t> is_positive, Array<const std::int32_t> shards,
                std::int32_t last, Array<const double> growth, std::int32_t next,
                Array<double> sums, int n_threads) {
  const RowsCall<L> call = {table, E, c, is_positive, shards};
  const TableState<L> state = call.state();
  const auto cells = [&](std::int32_t k) -> std::int64_t {
    if (k >= static_cast<std::int32_t>(table.terms.size()))
      throw std::invalid_argument("no such term");
    return k < 0 ? 0 : table.terms[k].n_cells();
  };
  expect_size(growth, L * cells(last), "growth");
  expect_size(sums, 2 * L * cells(next), "sums");
  released(n_threads, [&](Team& team, Cancellation&) {
    with_loss(c.has_value(), [&]<LossOf Loss>(Loss) {
      TableRows<L, Loss> rows(table, state);
      if (last >= 0) {
        std::array<const double*, L> of_lane;
        for (int l = 0; l < L; ++l) of_lane[l] = growth.data() + l * cells(last);
        rows.keep(table.terms[last], of_lane);
      }
      if (next < 0) return rows.settle(team);
      const Block now = {&next, 1};
      team.share(rows.n_parts(), [&](std::int64_t part) { rows.gather(part, now); });
      const std::int64_t n = cells(next);
      BinSums found = {std::vector<double>(n), std::vector<double>(n)};
      for (int l = 0; l < L; ++l) {
        rows.sums(table.terms[next], l, 1.0, found);
        std::ranges::copy(found.first, sums.data() + 2 * l * n);
        std::ranges::copy(found.second, sums.data() + (2 * l + 1) * n);
      }
    });
  });
}

template <int L>
void bind_sweep(nb::module_& module, const char* sweep, const char* pass) {
  module.def(sweep, &table_sweep<L>, "table"_a, "E"_a, "c"_a.none(), "is_positive"_a, "shards"_a,
             "levels"_a, "intercepts"_a, "total"_a, "l1"_a, "l2"_a, "signs"_a, "terms"_a,
             "n_newton"_a, "n_threads"_a);
  module.def(pass, &table_pass<L>, "table"_a, "E"_a, "c"_a.none(), "is_positive"_a, "shards"_a,
             "last"_a, "growth"_a, "following"_a, "sums"_a, "n_threads"_a);
}

}  // namespace

void bind_tables(nb::module_& module) {
  nb::class_<OwnTable>(module, "Table")
      .def(nb::init<Array<const std::uint8_t>, std::int64_t, std::int64_t>(), "codes"_a,
           "n_columns"_a, "n_rows"_a)
      .def("add_shard", &OwnTable::add_shard, "first_row"_a, "n_rows"_a, "label"_a)
      // Both read all codes of their columns.
      .def("add_column_term", &OwnTable::add_column_term, "column"_a, "n_bins"_a, "n_ordered"_a,
           nb::call_guard<WithoutGil>())
      .def("add_wide_term", &OwnTable::add_wide_term, "low"_a, "high"_a, "n_bins"_a,
           nb::call_guard<WithoutGil>())
      .def("add_pair_term", &OwnTable::add_pair_term, "first"_a, "first_map"_a, "ordered_first"_a,
           "second"_a, "second_map"_a, "ordered_second"_a, nb::call_guard<WithoutGil>())
      .def("shard_rows",
           [](const OwnTable& table) {
             std::vector<std::int64_t> n_rows;
             for (const RowShard& shard : table.shards) n_rows.push_back(shard.n_rows);
             return n_rows;
           })
      .def_prop_ro("n_rows", [](const OwnTable& table) { return table.n_rows; })
      .def_prop_ro("n_columns", [](const OwnTable& table) { return table.n_columns; })
      .def_prop_ro("n_levels", [](const OwnTable& table) { return table.n_levels; })
      .def_prop_ro("n_labels", [](const OwnTable& table) { return table.n_labels; })
      .def_prop_ro("n_terms", [](const OwnTable& table) { return table.terms.size(); })
      .def_prop_ro("n_shards", [](const OwnTable& table) { return table.shards.size(); });

  nb::class_<Booster>(module, "Booster")
      .def(
          "__init__",
          [](Booster* at, const OwnTable& table, Array<const double> w) {
            expect_size(w, table.n_rows, "w");
            if (table.n_labels > 2) throw std::invalid_argument("boosting is for two classes");
            const WithoutGil free;
            new (at) Booster(table, w.data());
          },
          "table"_a, "w"_a, nb::keep_alive<1, 2>())
      .def(
          "signed_sums",
          [](const Booster& booster, Array<double> neg, Array<double> pos) {
            expect_size(neg, booster.n_sums(), "neg");
            expect_size(pos, booster.n_sums(), "pos");
            booster.signed_sums(neg.data(), pos.data());
          },
          "neg"_a, "pos"_a)
      .def(
          "move",
          [](Booster& booster, std::int64_t level, double d, int n_threads) {
            if (level < 0 || level >= booster.n_sums())
              throw std::invalid_argument("no such level");
            released(n_threads, [&](Team& team, Cancellation&) { booster.move(level, d, team); });
          },
          "level"_a, "d"_a, "n_threads"_a);

  bind_sweep<1>(module, "table_sweep", "table_pass");
  bind_sweep<8>(module, "table_lane_sweep", "table_lane_pass");

  module.def(
      "table_psi",
      [](const OwnTable& table, Array<const double> levels, Array<const double> l1,
         Array<const double> l2) {
        const auto n_terms = length(table.terms);
        expect_size(levels, table.n_levels, "levels");
        expect_size(l1, n_terms, "l1");
        expect_size(l2, n_terms, "l2");
        return psi_of(table, penalties_of(l1, l2).data(), levels.data());
      },
      "table"_a, "levels"_a, "l1"_a, "l2"_a);

  module.def(
      "table_values",
      [](const OwnTable& table, Array<const double> levels, Array<const double> intercepts,
         Array<const std::int32_t> shards, Array<double> values, int n_threads) {
        const auto lanes = length(intercepts);
        expect_size(levels, table.n_levels * lanes, "levels");
        const auto chosen = checked(shards, table.shards.size(), "shard");
        std::int64_t n_rows = 0;
        for (const std::int32_t s : chosen) n_rows += table.shards[s].n_rows;
        expect_size(values, n_rows * lanes, "values");
        released(n_threads, [&](Team& team, Cancellation&) {
          add_up(table, levels.data(), intercepts.data(), lanes, chosen, values.data(), team);
        });
      },
      "table"_a, "levels"_a, "intercepts"_a, "shards"_a, "values"_a, "n_threads"_a);

  module.def(
      "table_histograms",
      [](const OwnTable& table, Array<const double> w, Array<double> sums, int n_threads,
         std::optional<Array<const std::int32_t>> terms) {
        expect_size(w, table.n_rows, "w");
        expect_size(sums, table.n_labels * table.n_levels, "sums");
        std::vector<std::int32_t> chosen(table.terms.size());
        std::iota(chosen.begin(), chosen.end(), 0);
        if (terms) chosen = checked(*terms, table.terms.size(), "term");
        released(n_threads, [&](Team& team, Cancellation&) {
          all_histograms(table, chosen, w.data(), sums.data(), team);
        });
      },
      "table"_a, "w"_a, "sums"_a, "n_threads"_a, "terms"_a = nb::none());

  module.def(
      "equal_rows",
      [](Array<const std::uint8_t> codes, std::int64_t n_columns, Array<const std::int32_t> labels,
         Array<std::uint64_t> prints, Array<std::int64_t> first, int n_threads) {
        const auto n_rows = length(labels);
        expect_size(codes, n_columns * n_rows, "codes");
        expect_size(prints, n_rows, "prints");
        expect_size(first, n_rows, "first");
        return released([&](Cancellation&) {
          const RowsOfBytes rows = {codes.data(), n_columns, n_rows, labels.data()};
          Team team(n_threads);
          fingerprint_rows(rows, prints.data(), team);
          return first_duplicates(rows, prints.data(), first.data());
        });
      },
      "codes"_a, "n_columns"_a, "labels"_a, "prints"_a, "first"_a, "n_threads"_a);

  // sums: as SpanRows has them.
  module.def(
      "span_sums",
      [](Array<const double> now, Array<const double> along, std::optional<Array<const double>> c,
         Array<const double> steps, Array<double> sums, int n_threads) {
        const auto m = length(now);
        expect_size(along, SpanRows::K * m, "along");
        if (c && c->size() != 1) expect_size(*c, m, "c");
        expect_size(steps, SpanRows::K, "steps");
        expect_size(sums, SpanRows::n_sums, "sums");
        std::array<double, SpanRows::K> of_each;
        std::copy_n(steps.data(), SpanRows::K, of_each.begin());
        released(n_threads, [&](Team& team, Cancellation&) {
          const SpanRows rows = {m, now.data(), along.data(), data_of(c),
                                 c && c->size() > 1 ? 1 : 0};
          std::ranges::copy(rows.sums(of_each, team), sums.data());
        });
      },
      "now"_a, "along"_a, "c"_a.none(), "steps"_a, "sums"_a, "n_threads"_a);

  module.def(
      "span_go",
      [](Array<const double> now, Array<const double> along, Array<const double> steps,
         Array<double> r, int n_threads) {
        const auto m = length(now);
        expect_size(along, SpanRows::K * m, "along");
        expect_size(steps, SpanRows::K, "steps");
        expect_size(r, m, "r");
        std::array<double, SpanRows::K> of_each;
        std::copy_n(steps.data(), SpanRows::K, of_each.begin());
        released(n_threads, [&](Team& team, Cancellation&) {
          SpanRows{m, now.data(), along.data(), nullptr, 0}.go(of_each, r.data(), team);
        });
      },
      "now"_a, "along"_a, "steps"_a, "r"_a, "n_threads"_a);

  // The step function of chain.hpp, by itself.
  module.def(
      "chain_minimum",
      [](Array<const double> h, Array<const double> target, double a, double b, int sign,
         Array<double> x) {
        const auto n = static_cast<int>(h.size());
        expect_size(target, n, "target");
        expect_size(x, n, "x");
        Chain(n).solve(n, h.data(), target.data(), {a, b, sign}, x.data());
      },
      "h"_a, "target"_a, "a"_a, "b"_a, "sign"_a, "x"_a);

  // columns: some of the table's; maps: for each of them and every code the cell, below `side`, of
  // a coarse grid. sums: of g and h over the cells of every pair of columns, the first with all
  // after it, and so on.
  module.def(
      "pair_sums",
      [](const OwnTable& table, Array<const std::int32_t> columns, Array<const std::uint8_t> maps,
         int side, Array<const double> g, Array<const double> h, Array<double> sums,
         int n_threads) {
        const std::vector<std::int32_t> chosen = checked(columns, table.n_columns, "column");
        const auto n = length(chosen);
        expect_size(maps, 256 * n, "maps");
        expect_size(g, table.n_rows, "g");
        expect_size(h, table.n_rows, "h");
        if (side < 1 || side > PairSums::most) throw std::invalid_argument("impossible side");
        expect_size(sums, n * (n - 1) / 2 * side * side * 2, "sums");
        if (std::any_of(maps.data(), maps.data() + 256 * n, [&](int cell) { return cell >= side; }))
          throw std::invalid_argument("a map leads out of its cells");
        released(n_threads, [&](Team& team, Cancellation& cancel) {
          const PairSums sum(table, chosen, maps.data(), side, g.data(), h.data(), team);
          team.share(n, [&](std::int64_t k) {
            // Before the k-th come n - 1, n - 2, ... pairs.
            if (!cancel.stopped())
              sum(k, sums.data() + (k * (n - 1) - k * (k - 1) / 2) * side * side * 2);
          });
        });
      },
      "table"_a, "columns"_a, "maps"_a, "side"_a, "g"_a, "h"_a, "sums"_a, "n_threads"_a);
}

}  // namespace tauboost
