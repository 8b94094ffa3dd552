"""``hard_core``: attained, separable or mixed, with the pair (lam, w) that proves it.

Equal rows are merged, columns of one sign are peeled off where there are many columns, the rest is
split face by face. Nothing of this has to be believed: what counts is the check of the pair in the
end, by products with the matrix, and a row that it does not prove is undecided.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arrays import Mask, Vector
from ..base.threads import resolve_threads
from ..problem import BaseProblem, Problem
from ..solvers.cholesky import one_thread
from ..solvers.newton import MOST_DENSE
from ..tables.problem import TableProblem
from ..validation import check_real
from .balance import balanced_weights
from .certificate import HardCore, Verdict, check_pair
from .clock import Clock, Report
from .contradictions import duplicate_groups, in_order
from .margin import Bracket
from .margin_rows import largest_margin
from .merging import merge
from .partition import column_scale, few_columns, partition, scaled
from .products import Products

__all__ = ["hard_core"]


def hard_core(
    problem: BaseProblem,
    *,
    tol: float = 1e-9,
    time_limit: float | None = None,
    n_threads: int | None = None,
    report: Report | None = None,
) -> HardCore:
    """Tell which rows contradict each other, and prove it.

    F without a penalty has a minimum (the optimum is attained), or falls without end (the data are
    separable), or neither: some rows are separated for ever, and the others, the hard core,
    contradict each other. The answer is the same for both losses, and weights matter only where
    they are 0.

    Parameters
    ----------
    problem : Problem or TableProblem
        The data. All rows must be on this machine.
    tol : float
        A sum counts as 0 if it is at most this times the sum of the absolute values of its terms.
    time_limit : float, optional
        Seconds after which rows may stay undecided, and the interval of the margin wide.
    n_threads : int, optional
        None means every core this process may use. The answer does not depend on it.
    report : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    HardCore

    Examples
    --------
    >>> import tauboost as tb
    >>> X = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> found = tb.hard_core(tb.Problem(X, [1, 0, 1, 1]))
    >>> print(found.verdict, found.contradictions)
    mixed [0 1]
    >>> found.verify().holds
    True
    """
    if not isinstance(problem, Problem | TableProblem):
        if isinstance(problem, BaseProblem):
            raise TypeError(
                "hard_core needs all rows on one machine: give it a tauboost.Problem of them"
            )
        raise TypeError(
            f"problem must be a tauboost.Problem or TableProblem, got {type(problem).__name__}"
        )
    tol = check_real(tol, "tol", least=0.0, most=1e-3)
    limit = np.inf if time_limit is None else check_real(time_limit, "time_limit", least=0.0)
    search = _Search(problem, tol, Clock(limit, report), resolve_threads(n_threads))
    with one_thread():
        return search.run()


class _Search:
    """One search for the verdict: what was found so far."""

    def __init__(
        self, problem: Problem | TableProblem, tol: float, clock: Clock, n_threads: int
    ) -> None:
        self.problem, self.tol, self.clock, self.n_threads = problem, tol, clock, n_threads

    def run(self) -> HardCore:
        """Find the rows of each kind, then what proves them."""
        self.clock.say("writing the rows out")
        self.products = Products(self.problem, self.n_threads)
        self.samples = self.products.samples
        self.clock.say("looking for equal rows")
        self.merged = merge(self.samples, self.n_threads)
        self.rows = partition(self.samples, self.merged, self.n_threads, self.clock)
        kind = self.merged.kind
        core, separated = self.rows.core[kind], self.rows.separated[kind]
        lam, w, bracket = self.samples.coordinates(self.rows.lam), self._weights(core), None
        if separated.all():
            self.clock.say("measuring the largest margin")
            bracket, lam, w = largest_margin(self.products, self.merged, lam, self.clock)
        found = check_pair(self.products, lam, w, core, separated, self.tol)
        if not found.core_holds:
            core, w = self.rows.sure[kind], self._sure_weights()
        if not found.separated_holds:
            separated, lam, bracket = np.zeros_like(core), np.zeros_like(lam), None
        return self._answer(core, separated, lam, w, bracket)

    def _weights(self, core: Mask) -> Vector:
        """Return the w of the hard core, each kind's weight shared by its rows."""
        w, c, kind = np.zeros(len(core)), self.samples.c, self.merged.kind
        if not core.any():
            return w
        self.clock.say("weighing the hard core")
        kinds = np.flatnonzero(self.rows.core)
        A = self.samples.signed(self.merged.rows[kinds])
        weights = np.asarray(np.bincount(kind, c)[kinds], dtype=np.float64)
        columns = np.unique(A.indices) if A.nnz else [0]
        A = scaled(A, 1.0 / column_scale(A))[:, columns]
        if min(A.shape) > MOST_DENSE:
            return self._sure_weights()
        if A.shape[1] > MOST_DENSE:
            U, lengths = few_columns(A)
            A = U * lengths
        found = balanced_weights(A, weights, self.n_threads, self.clock.left)
        shares = np.zeros(len(self.merged.rows))
        shares[kinds] = found / weights
        w[core] = (shares[kind] * c)[core]
        return w

    def _sure_weights(self) -> Vector:
        """Return a w of the rows that have no features, or another label: both sides as heavy."""
        kind, group = self.merged.kind, self.merged.group
        c = np.where(self.rows.sure[kind], self.samples.c, 0.0)
        sides = np.bincount(2 * group + self.samples.positive, c, 2 * len(c))
        own = sides[2 * group + self.samples.positive]
        w = np.divide(c, own, out=np.zeros_like(c), where=own > 0)
        return w / w.sum() if w.any() else w

    def _answer(
        self, core: Mask, separated: Mask, lam: Vector, w: Vector, bracket: Bracket | None
    ) -> HardCore:
        verdict = _verdict(core, separated)
        margin = None if bracket is None else bracket.ends
        core, separated, w = (self._as_given(part) for part in (core, separated, w))
        groups = duplicate_groups(self.samples, self.merged)
        features, intercept = self.problem.design.split(lam)
        return HardCore(
            verdict=verdict,
            core=core,
            separated=separated,
            positive=self._as_given(self.samples.positive),
            lam=features,
            intercept=intercept,
            w=w,
            margin=margin,
            duplicates=groups,
            contradictions=in_order(core, w, groups),
            message=message(verdict, core, separated, margin),
            tol=self.tol,
            seconds=self.clock.seconds,
            problem=self.problem,
        )

    def _as_given(self, values: Any) -> Any:
        """Return values of rows as the caller counts them; 0 for rows of weight 0."""
        given = np.zeros(self.problem.n_samples, dtype=values.dtype)
        given[self.samples.numbers] = values
        return given


def _verdict(core: Mask, separated: Mask) -> Verdict:
    if not np.all(core | separated):
        return Verdict.UNDECIDED
    if core.all():
        return Verdict.ATTAINED
    return Verdict.SEPARABLE if separated.all() else Verdict.MIXED


def message(
    verdict: Verdict, core: Mask, separated: Mask, margin: tuple[float, float] | None
) -> str:
    """Return the verdict in words."""
    n_core, n_separated = f"{np.count_nonzero(core):,}", f"{np.count_nonzero(separated):,}"
    if verdict is Verdict.ATTAINED:
        return f"The optimum is attained: all {n_core} rows are in the hard core."
    if verdict is Verdict.SEPARABLE:
        assert margin is not None
        return (
            f"The data are separable: all {n_separated} rows have a positive margin, the largest "
            f"one with |lam|_1 = 1 lies between {margin[0]:.6g} and {margin[1]:.6g}."
        )
    if verdict is Verdict.MIXED:
        return (
            f"The optimum is not attained: {n_separated} rows can be separated for ever, and the "
            f"other {n_core}, the hard core, contradict each other."
        )
    return (
        f"Not decided for all rows: {n_core} are proved to be in the hard core and {n_separated} "
        "to be separated; a longer time_limit may decide the rest."
    )
