"""``hard_core``: attained, separable or mixed, with the pair (lam, w) that proves it.

Equal rows are merged, columns of one sign are peeled off where there are many columns, the rest is
split face by face. Nothing of this has to be believed: what counts is the check of the pair in the
end, by products with the matrix, and a row that it does not prove is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..base.threads import resolve_threads
from ..plots.plots import plot_hard_core
from ..problem import BaseProblem, Problem
from ..solvers.newton import MOST_DENSE, one_thread
from ..tables.problem import TableProblem
from ..validation import check_real
from .margin import Bracket, largest_margin
from .rows import Clock, Products, Report, duplicate_groups, in_order, merge
from .separation import balanced_weights, column_scale, few_columns, partition, scaled

__all__ = ["HardCore", "Separability", "Verification", "check_pair", "hard_core"]


# What is known of the rows of a problem, with the pair (lam, w) that proves it.
#
#     w >= 0,  A^T w = 0      proves that no row with w_j > 0 can be separated: the hard core;
#     A lam <= 0              proves that every row with (A lam)_j < 0 can be.
#
# A sum counts as 0 if it is at most ``tol`` times the sum of the absolute values of its terms,
# and as below 0 if it is below minus that: it would be so for every matrix whose entries differ
# from those of A by less than that, relatively. That is all that floating-point numbers can
# prove. For the same reason a weight counts as above 0 only if its row has more than ``tol`` of
# the sum of some column.


class Separability(StrEnum):
    """What the data are to F without a penalty."""

    ATTAINED = "attained"
    SEPARABLE = "separable"
    MIXED = "mixed"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Verification:
    """Outcome of checking a pair (lam, w) by products of the matrix alone.

    ``imbalance`` is the largest |A_i^T w| beside sum_j |A_ji| w_j, and ``lightest`` the least
    share of a row of the core in the sum of the column where it has most; ``residue`` the largest
    |(A lam)_j| of a row that is not separated, and ``least_margin`` the least -(A lam)_j of one
    that is, both beside sum_i |A_ji lam_i|. None: there was nothing to check. ``margin`` is the
    interval of the largest margin, computed anew, for separable data.
    """

    core_holds: bool
    separated_holds: bool
    imbalance: float | None
    lightest: float | None
    residue: float | None
    least_margin: float | None
    margin: tuple[float, float] | None
    tol: float

    @property
    def holds(self) -> bool:
        """Whether the pair proves all that is claimed of the rows."""
        return self.core_holds and self.separated_holds

    def __str__(self) -> str:
        said = [f"The certificate {'holds' if self.holds else 'does not hold'} to {self.tol:g}"]
        if self.imbalance is not None:
            said.append(f"largest imbalance of a column under w {self.imbalance:.2g}")
            said.append(f"least share of a row of the core {self.lightest:.2g}")
        if self.least_margin is not None:
            said.append(f"least margin of a separated row {self.least_margin:.2g}")
        if self.residue is not None:
            said.append(f"largest |A lam| of another row {self.residue:.2g}")
        return f"{said[0]}: {', '.join(said[1:])}."


@dataclass(frozen=True, eq=False, repr=False)
class HardCore:
    """Which rows of a problem contradict each other, and which can be separated for ever.

    Attributes
    ----------
    verdict : Separability
        "attained": all rows are in the hard core, and F has a minimum. "separable": none is, and F
        falls without end. "mixed": some are, and F comes as near to its infimum as one likes
        without reaching it. "undecided": not all rows could be decided.
    core, separated : ndarray of bool, shape (n_samples,)
        The rows of each kind, as the caller counts them. Rows of weight 0 are of neither.
    positive : ndarray of bool, shape (n_samples,)
        The rows that have the larger label (False for rows of weight 0).
    lam, intercept : ndarray of shape (n_features,), float
        A direction that separates: A lam < 0 on ``separated``, A lam = 0 elsewhere. For separable
        data it has ``|lam|_1 = 1``, and the largest margin found.
    w : ndarray of shape (n_samples,)
        Row weights that sum to 1. With a core: w > 0 on it, 0 elsewhere, and A^T w = 0; they are
        the limit of AdaBoost's weights, nearly. For separable data: those that bound the margin.
    margin : (float, float) or None
        For separable data, an interval for the largest margin over ``|lam|_1 <= 1``. The intercept
        is free, and no part of ``|lam|_1``.
    duplicates : tuple of arrays of row numbers
        The groups of rows with equal features and different labels; in each, the rarer label first.
    contradictions : ndarray of row numbers
        The hard core in the order in which to inspect it: the rows of ``duplicates``, then all
        others, those with the largest w first.
    message : str
        The answer in a sentence.
    tol, seconds : float
        The tolerance that the pair was checked with, and the time it took to find it.

    Examples
    --------
    >>> import tauboost as tb
    >>> X = [[1, 0], [1, 0], [0, 1], [0, 1]]  # the first two rows are equal
    >>> found = tb.hard_core(tb.Problem(X, [1, 0, 1, 1]))
    >>> found.core.tolist(), found.separated.tolist()
    ([True, True, False, False], [False, False, True, True])
    >>> found.duplicates[0].tolist()
    [0, 1]
    """

    verdict: Separability
    core: Mask
    separated: Mask
    positive: Mask
    lam: Vector
    intercept: float
    w: Vector
    margin: tuple[float, float] | None
    duplicates: tuple[NDArray[np.intp], ...]
    contradictions: NDArray[np.intp]
    message: str
    tol: float
    seconds: float
    problem: Problem | TableProblem = field(repr=False)

    def verify(self) -> Verification:
        """Check the pair (lam, w) by products of the matrix alone; raises nothing."""
        products = Products(self.problem)
        numbers = products.samples.numbers
        point = self.problem.design.coordinates(self.lam, self.intercept)
        masks = self.core[numbers], self.separated[numbers]
        return check_pair(products, point, self.w[numbers], *masks, self.tol)

    def margins(self) -> Vector:
        """Return -(A lam)_j of every row, as the caller counts them; NaN for rows of weight 0."""
        products = Products(self.problem)
        found = np.full(self.problem.n_samples, np.nan)
        point = self.problem.design.coordinates(self.lam, self.intercept)
        found[products.samples.numbers] = -products.times(point)
        return found

    def plot(self, count_from: int = 0) -> Any:
        """Draw the margins of separated rows and the weights of the core; returns a Figure.

        Its rows are counted from 0, as everything here, or from 1.
        """
        return plot_hard_core(self, count_from)

    def __repr__(self) -> str:
        return (
            f"HardCore({self.verdict}: {np.count_nonzero(self.core):,} rows in the core, "
            f"{np.count_nonzero(self.separated):,} separated, {self.seconds:.3g} s)"
        )


def check_pair(
    products: Products, lam: Vector, w: Vector, core: Mask, separated: Mask, tol: float
) -> Verification:
    """Check what (lam, w) says of some rows; all in the core's order."""
    imbalance = lightest = residue = least = margin = None
    core_holds = separated_holds = True
    neg, pos = products.transposed(w)
    if core.any():
        imbalance = _largest(np.abs(pos - neg), pos + neg)
        lightest = products.least_share(w, core)
        core_holds = not np.any(w[~core] != 0) and imbalance <= tol < lightest
    if separated.any():
        r, size = products.times(lam), products.absolute_times(lam)
        least = -_largest(r[separated], size[separated])
        separated_holds = least > tol
        if not separated.all():
            residue = _largest(np.abs(r[~separated]), size[~separated])
            separated_holds &= residue <= tol
        elif separated_holds:
            slope = np.abs(products.features(pos - neg))
            margin = (-float(r.max()), float(slope.max(initial=0.0)))
    found = (imbalance, lightest, residue, least, margin)
    return Verification(core_holds, separated_holds, *found, tol)


def _largest(sums: Vector, sizes: Vector) -> float:
    """Return the largest of some sums, each beside the sum of its absolute terms."""
    is_any = sizes > 0
    # A sum without a term is 0.
    least = 0.0 if not is_any.all() else -np.inf
    return float(np.max(sums[is_any] / sizes[is_any], initial=least))


def hard_core(
    problem: BaseProblem,
    *,
    tol: float = 1e-9,
    time_limit: float | None = None,
    n_threads: int | None = None,
    report: Report | None = None,
) -> HardCore:
    """Find which rows contradict each other, and prove it.

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
    """One search for the rows of each kind: what was found so far."""

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
        kind = _separability(core, separated)
        margin = None if bracket is None else bracket.ends
        core, separated, w = (self._as_given(part) for part in (core, separated, w))
        groups = duplicate_groups(self.samples, self.merged)
        features, intercept = self.problem.design.split(lam)
        return HardCore(
            verdict=kind,
            core=core,
            separated=separated,
            positive=self._as_given(self.samples.positive),
            lam=features,
            intercept=intercept,
            w=w,
            margin=margin,
            duplicates=groups,
            contradictions=in_order(core, w, groups),
            message=message(kind, core, separated, margin),
            tol=self.tol,
            seconds=self.clock.seconds,
            problem=self.problem,
        )

    def _as_given(self, values: Any) -> Any:
        """Return values of rows as the caller counts them; 0 for rows of weight 0."""
        given = np.zeros(self.problem.n_samples, dtype=values.dtype)
        given[self.samples.numbers] = values
        return given


def _separability(core: Mask, separated: Mask) -> Separability:
    if not np.all(core | separated):
        return Separability.UNDECIDED
    if core.all():
        return Separability.ATTAINED
    return Separability.SEPARABLE if separated.all() else Separability.MIXED


def message(
    kind: Separability, core: Mask, separated: Mask, margin: tuple[float, float] | None
) -> str:
    """Return a sentence about which rows can be separated."""
    n_core, n_separated = f"{np.count_nonzero(core):,}", f"{np.count_nonzero(separated):,}"
    if kind is Separability.ATTAINED:
        return f"The optimum is attained: all {n_core} rows are in the hard core."
    if kind is Separability.SEPARABLE:
        assert margin is not None
        return (
            f"The data are separable: all {n_separated} rows have a positive margin, the largest "
            f"one with |lam|_1 = 1 lies between {margin[0]:.6g} and {margin[1]:.6g}."
        )
    if kind is Separability.MIXED:
        return (
            f"The optimum is not attained: {n_separated} rows can be separated for ever, and the "
            f"other {n_core}, the hard core, contradict each other."
        )
    return (
        f"Not decided for all rows: {n_core} are proved to be in the hard core and {n_separated} "
        "to be separated; a longer time_limit may decide the rest."
    )
