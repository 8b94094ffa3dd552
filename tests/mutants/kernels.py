"""Faults in the kernels, made by hand, each of which some test must find.

What a careless edit does: a sign, an index off by one, a missing barrier, a sum in another order, a
step that is not taken back, a weight that is not brought up to date. ``cpp`` stands for
``make test-cpp``; other tests are files or ids for pytest, run with the faulty build.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KERNELS", "Mutant"]

LANES = "tests/sparse_data/test_batch.py"
EXACT = "tests/solvers/test_exact.py"
SOLVERS = "tests/solvers/test_solvers.py"
TABLES = "tests/tables/test_problem.py"
PHASES = "tests/project/test_sanitizers.py::test_phases_of_all_sizes"


class Mutant(NamedTuple):
    """One fault: a text that stands once in a file, what takes its place, and who must see it."""

    what: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...] = ("cpp",)


KERNELS = [
    Mutant(
        "sign: prox shrinks away from 0",
        "cpp/kernels/elastic_net.inc",
        "size_of(point) - l1 / curvature",
        "size_of(point) + l1 / curvature",
    ),
    Mutant(
        "prox forgets l2",
        "cpp/kernels/elastic_net.inc",
        "/ (1.0 + l2 / curvature)",
        "/ (1.0 + 0.0 * l2 / curvature)",
    ),
    Mutant(
        "violation ignores that x is at its upper bound",
        "cpp/kernels/elastic_net.inc",
        "where(x >= upper, zero, 0.0 - most)",
        "where(x > upper, zero, 0.0 - most)",
    ),
    Mutant(
        "the change of psi loses half of l2",
        "cpp/kernels/elastic_net.inc",
        "0.5 * l2 * (to - from) * (to + from)",
        "0.25 * l2 * (to - from) * (to + from)",
    ),
    Mutant(
        "the intercept is penalised",
        "cpp/kernels/penalty.hpp",
        "if (i >= n_penalised)",
        "if (i > n_penalised)",
    ),
    Mutant(
        "expm1 loses a term",
        "cpp/simd/pack.inc",
        "x2 * (1.0 / 6 + x * (1.0 / 24))",
        "x2 * (1.0 / 6 + x * (1.0 / 25))",
    ),
    Mutant(
        "exp loses its last term",
        "cpp/simd/pack.inc",
        "t4 * (1.0 / 479001600)",
        "t4 * 0.0",
    ),
    Mutant(
        "log is wrong around 1",
        "cpp/simd/pack.inc",
        "f4 * (2.0 / 7 + f2 * (2.0 / 9))",
        "f4 * (2.0 / 7 + f2 * (2.0 / 8))",
    ),
    Mutant(
        "logistic: what was lost when 1 was added stays lost",
        "cpp/kernels/logistic.inc",
        "(t - (u - 1.0)) / u",
        "(t - (u - 1.0)) * 0.0",
    ),
    Mutant(
        "the step goes to the maximum of the quadratic",
        "cpp/kernels/rule.inc",
        "square_root(B * B + 4.0 * A * C)",
        "square_root(B * B + 2.0 * A * C)",
    ),
    Mutant(
        "l1 pulls away from 0",
        "cpp/kernels/rule.inc",
        "where(slope < 0.0, psi.l1, 0.0 - psi.l1)",
        "where(slope < 0.0, 0.0 - psi.l1, psi.l1)",
    ),
    Mutant(
        "both losses take the curve of the logistic one",
        "cpp/kernels/rule.inc",
        "rule.is_log_of_sum ? 1.0 : 0.0",
        "rule.is_log_of_sum ? 0.0 : 0.0",
    ),
    Mutant(
        "undo: steps that rose are not taken back",
        "cpp/kernels/driver.hpp",
        "while (is_pending()) backtrack(team, now, next);",
        "while (false) backtrack(team, now, next);",
        ("cpp", EXACT, SOLVERS),
    ),
    Mutant(
        "undo: shorter steps are kept untested",
        "cpp/kernels/driver.hpp",
        "pending_[l] = fraction_[l] > 0.0 && !(rise <= 0.0);",
        "pending_[l] = false;",
        ("cpp", EXACT, SOLVERS),
    ),
    Mutant(
        "lam does not move along the last block",
        "cpp/kernels/driver.hpp",
        "    commit(last, 0, 1);\n    return outcome_;",
        "    return outcome_;",
    ),
    Mutant(
        "psi has no say in the test of the objective",
        "cpp/kernels/driver.hpp",
        "const double rise = loss_change(l) + tally.cost;\n      pending_",
        "const double rise = loss_change(l);\n      pending_",
    ),
    Mutant(
        "stale total: w.sum() is not kept",
        "cpp/kernels/driver.hpp",
        "    for (const Lanes& part : rows_.changes()) total += part[l];\n    // Kept",
        "    // Kept",
    ),
    Mutant(
        "off by one: the last column of a block is left out",
        "cpp/kernels/coordinate_steps.hpp",
        "end = L * std::min(now.n, (number + 1) * slice);",
        "end = L * std::min(now.n - 1, (number + 1) * slice);",
    ),
    Mutant(
        "a part of a step is committed as a whole",
        "cpp/kernels/coordinate_steps.hpp",
        "lam_[now.columns[k] * L + l] += fraction * step_[k * L + l];",
        "lam_[now.columns[k] * L + l] += step_[k * L + l];",
        ("cpp", EXACT, SOLVERS),
    ),
    Mutant(
        "stale weight: the lag of the other label",
        "cpp/kernels/sweep_rows.hpp",
        "lag_ = {lag_.neg * (1.0 + down), lag_.pos * (1.0 + up)};",
        "lag_ = {lag_.neg * (1.0 + up), lag_.pos * (1.0 + down)};",
    ),
    Mutant(
        "stale weight: the lag is not made up for",
        "cpp/kernels/sweep_rows.hpp",
        "if (parts_[s].is_behind()) parts_[s].recount();",
        "",
    ),
    Mutant(
        "rows without an entry are scaled, too",
        "cpp/kernels/sweep_rows.hpp",
        "scale_rows(absent.rows, absent.n_neg, 1.0 + up, rows);",
        "scale_rows(absent.rows, absent.n_neg, 1.0, rows);",
    ),
    Mutant(
        "off by one: entries of a run are read as of the sign before",
        "cpp/kernels/sweep_rows.hpp",
        "slot[at + shard_.n_neg[columns[k]]] = static_cast<std::uint32_t>(2 * k + 1);",
        "slot[at + shard_.n_neg[columns[k]]] = static_cast<std::uint32_t>(2 * k);",
    ),
    Mutant(
        "order of sums: the last rows first",
        "cpp/kernels/weights.hpp",
        "return (a + b) + (c + d);",
        "return ((a + b) + c) + d;",
    ),
    Mutant(
        "scale: both signs of a column grow alike",
        "cpp/kernels/weights.hpp",
        "const double down = -up / (1.0 + up);",
        "const double down = up;",
    ),
    Mutant(
        "odds are scaled and weights are not",
        "cpp/kernels/loss.hpp",
        "      E[j] = odds;\n      w[j] = c[j] * (odds / (1.0 + odds));\n      return before;",
        "      E[j] = odds;\n      return before;",
        ("cpp", SOLVERS),
    ),
    Mutant(
        "an update of many threads is a load and a store",
        "cpp/kernels/loss.hpp",
        "    while (!shared.compare_exchange_weak(before, before * factor,"
        " std::memory_order_relaxed)) {\n    }\n",
        "    shared.store(before * factor, std::memory_order_relaxed);\n",
        ("cpp", SOLVERS),
    ),
    Mutant(
        "draws: a column may come twice",
        "cpp/kernels/sampling.hpp",
        "stamp_[candidate] == fresh_ ? last : candidate",
        "candidate",
    ),
    Mutant(
        "draws: the last column is never drawn first",
        "cpp/kernels/sampling.hpp",
        "random.below(last + 1)",
        "random.below(last)",
    ),
    Mutant(
        "chain: knots are cut on one side only",
        "cpp/table/chain.hpp",
        "last_slope * x_[right] + last_offset >= high",
        "last_slope * x_[right] + last_offset > high + 1e300",
    ),
    Mutant(
        "chain: jumps of the wrong sign",
        "cpp/table/chain.hpp",
        "const double least = penalty.sign > 0 ? -infinity : -penalty.a;",
        "const double least = penalty.sign < 0 ? -infinity : -penalty.a;",
    ),
    Mutant(
        "missing barrier: the caller does not wait for claimed tasks",
        "cpp/threads/thread_pool.hpp",
        "wait_for(static_cast<std::uint32_t>(phase.n_tasks - own));",
        "static_cast<void>(own);",
        ("cpp", PHASES),
    ),
    Mutant(
        "claims in any phase",
        "cpp/threads/thread_pool.hpp",
        "return word >> 32 == phase ?",
        "return phase == phase ?",
        ("cpp", PHASES),
    ),
    Mutant(
        "what a task throws is lost",
        "cpp/threads/thread_pool.hpp",
        "if (!failed_.exchange(true)) error_ = std::current_exception();",
        "",
    ),
    Mutant(
        "lanes: the sign of the label is ignored",
        "cpp/kernels/lane_passes.inc",
        "    growth = where_negative(before, other, same);",
        "    growth = same;",
        (LANES,),
    ),
    Mutant(
        "lanes: logistic weights grow like exponential ones",
        "cpp/kernels/lane_passes.inc",
        "return weight * (factor * (1.0 + before) / (1.0 + after));",
        "return weight * factor;",
        (LANES,),
    ),
    Mutant(
        "tables: the last term's steps are not taken when a sweep ends",
        "cpp/table/table_rows.hpp",
        "    if (moved_ != nullptr)\n      team.share(n_parts(),",
        "    if (moved_ == nullptr)\n      team.share(n_parts(),",
        (TABLES,),
    ),
    Mutant(
        "tables: the two labels are swapped",
        "cpp/table/table_rows.hpp",
        "static_cast<Real<L>>(is_positive(label, l) ? up : down);",
        "static_cast<Real<L>>(is_positive(label, l) ? down : up);",
        (TABLES,),
    ),
    Mutant(
        "tables: the bound of the logistic loss has half its curvature",
        "cpp/table/bin_model.hpp",
        "h[b] = sums.second[b] * size;",
        "h[b] = 0.5 * sums.second[b] * size;",
        (TABLES,),
    ),
]
