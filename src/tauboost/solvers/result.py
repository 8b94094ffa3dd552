"""What a solve gives back: the point, how it ended, and the whole way there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..base.arrays import Vector
from ..plots.plots import plot_trace

__all__ = ["Result", "Status", "Trace"]


class Status(StrEnum):
    """How a solve ended: strings, with names.

    The user guide says what each of them means, and in which order they are tried.

    Examples
    --------
    >>> import tauboost as tb
    >>> result = tb.solve(tb.Problem([[1.0], [1.0], [-1.0]], [1, 0, 1]), random_state=0)
    >>> result.status is tb.Status.CONVERGED, result.status == "converged"
    (True, True)
    """

    CONVERGED = "converged"
    TARGET = "target"
    MAX_EPOCHS = "max_epochs"
    TIME_LIMIT = "time_limit"
    SEPARABLE = "separable"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, repr=False)
class Trace(Mapping[str, Vector]):
    """One entry per evaluation of the objective, the first at the starting point.

    Reads as attributes (``trace.objective``) and as a mapping (``dict(trace)``).

    Attributes
    ----------
    epoch, updates, seconds : ndarray
        The work done so far: epochs, coordinate updates, and the time since ``solve`` was called.
    value, objective : ndarray
        F, and F + psi.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> trace = tb.solve(tb.Problem(X, y), max_epochs=5, random_state=0).trace
    >>> list(trace), float(trace.objective[0])
    (['epoch', 'updates', 'seconds', 'value', 'objective'], 0.0)
    """

    epoch: Vector
    updates: Vector
    seconds: Vector
    value: Vector
    objective: Vector

    def __getitem__(self, name: str) -> Vector:
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        column: Vector = getattr(self, name)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)

    def __repr__(self) -> str:
        return (
            f"Trace({len(self.epoch)} evaluations, {self.epoch[-1]:g} epochs, "
            f"objective {self.objective[0]:.9g} to {self.objective[-1]:.9g})"
        )

    def plot(self) -> Any:
        """Draw the objective against epochs and seconds; returns a matplotlib Figure."""
        return plot_trace(self, repr(self))


@dataclass(frozen=True)
class Result:
    """The outcome of :func:`tauboost.solve`.

    The classifier is ``sign(-(X @ lam + intercept))``: the paper minimises exp(+A lam), so the
    weights of a linear model are ``-lam`` and ``-intercept``.

    Attributes
    ----------
    lam, intercept : ndarray of shape (n_features,), float
        Where the run ended.
    value, objective : float
        F, and F + psi, there.
    status, message : Status, str
        How it ended: a word, and a sentence.
    n_epochs, n_updates, seconds : float, int, float
        What it took.
    trace : Trace
        The whole way.
    bound, gap : float or None
        No lam has an objective below ``bound``, so this one is within ``gap`` of the best there is.
        None where that cannot be shown; the message says why.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> result = tb.solve(tb.Problem(X, y), alpha=0.01, gap=1e-6, random_state=0)
    >>> print(result.status, f"{result.objective:.4f}", result.gap <= 1e-6)
    converged -1.0971 True
    """

    lam: Vector
    intercept: float
    value: float
    objective: float
    status: Status
    message: str
    n_epochs: float
    n_updates: int
    seconds: float
    trace: Trace
    bound: float | None = None
    gap: float | None = None

    def plot(self) -> Any:
        """Draw the objective against epochs and seconds; returns a matplotlib Figure."""
        return plot_trace(self.trace, repr(self))

    def __repr__(self) -> str:
        gap = "" if self.gap is None else f", gap {self.gap:.2g}"
        return (
            f"Result({self.status}: objective {self.objective:.9g}{gap} "
            f"after {self.n_epochs:g} epochs, {self.seconds:.3g} s)"
        )
