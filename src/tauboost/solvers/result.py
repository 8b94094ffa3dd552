"""What a solve gives back: the point, how it ended, and the whole way there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..base.arrays import Vector
from ..plots.trace import plot_trace

__all__ = ["Result", "Status", "Trace"]


class Status(StrEnum):
    """How a solve ended."""

    CONVERGED = "converged"
    TARGET = "target"
    MAX_EPOCHS = "max_epochs"
    TIME_LIMIT = "time_limit"
    SEPARABLE = "separable"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, repr=False)
class Trace(Mapping[str, Vector]):
    """One entry per look at the objective, the first at the starting point.

    Reads as attributes (``trace.objective``) and as a mapping (``dict(trace)``).
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
            f"Trace({len(self.epoch)} looks, {self.epoch[-1]:g} epochs, "
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
    # No lam has an objective below ``bound``, so this one is within ``gap`` of the best there is.
    # None where that cannot be shown; the message says why.
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
