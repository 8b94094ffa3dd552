// What several files of bindings take from Python for tables: the table, and a sweep over its
// terms.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bind/arguments.hpp"
#include "kernels/driver.hpp"
#include "table/term_steps.hpp"

namespace tauboost {

// The codes live as long as the table does.
struct OwnTable : Table {
  OwnTable(Array<const std::uint8_t> codes, std::int64_t n_columns, std::int64_t n_rows)
      : Table(codes.data(), n_columns, n_rows), codes(codes) {
    expect_size(codes, n_columns * n_rows, "codes");
  }
  Array<const std::uint8_t> codes;
};

inline std::vector<std::int32_t> checked(Array<const std::int32_t> numbers, std::size_t n,
                                         const char* name) {
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (numbers.data()[k] < 0 || static_cast<std::size_t>(numbers.data()[k]) >= n)
      throw std::invalid_argument(std::string("no such ") + name);
  return {numbers.data(), numbers.data() + numbers.size()};
}

inline std::vector<TermPenalty> penalties_of(Array<const double> l1, Array<const double> l2) {
  std::vector<TermPenalty> penalties(l1.size());
  for (std::size_t k = 0; k < penalties.size(); ++k) penalties[k] = {l1.data()[k], l2.data()[k]};
  return penalties;
}

// The terms of a sweep, psi, and where their levels are.
template <int L>
struct SweepPlan {
  const Table& table;
  Array<double> levels, intercepts;
  Array<const double> total, l1, l2;
  Array<const std::int8_t> signs;
  Array<const std::int32_t> terms;
  int n_newton;

  void check() const {
    constexpr std::int64_t lanes = L;
    const auto n_terms = length(table.terms);
    expect_size(total, lanes, "total");
    expect_size(levels, table.n_levels * lanes, "levels");
    expect_size(intercepts, lanes, "intercepts");
    expect_size(l1, n_terms * lanes, "l1");
    expect_size(l2, n_terms * lanes, "l2");
    expect_size(signs, 2 * n_terms, "signs");
    checked(terms, table.terms.size(), "term");
  }

  template <typename Rows>
  Outcome<L> run(Rows& rows, Team& team, Cancellation& cancel) const {
    std::array<double, L> totals;
    std::copy_n(total.data(), L, totals.begin());
    const std::vector<TermPenalty> penalties = penalties_of(l1, l2);
    typename Rows::Steps steps(table, penalties.data(), signs.data(), levels.data(),
                               intercepts.data(), n_newton);
    Slices slices(terms.data(), length(terms), 1);
    const auto found = Driver(rows, steps, totals).run(slices, team, cancel);
    rows.settle(team);
    return found;
  }
};

}  // namespace tauboost
