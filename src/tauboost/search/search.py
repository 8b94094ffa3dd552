"""The search: candidates are fitted without the validation set, and scored on it.

A `Space` gives batches of fits, one after the other; it sees what became of each before it gives
the next. The one loop takes every batch as far as it takes to compare its candidates, and what was
seen is a `Selection`. Rows and terms are the business of batches: this file knows of neither.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, nan
from numbers import Real
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..io.checkpoint import misfit
from ..losses import LOSSES
from ..penalty import Factors, Penalty
from ..solvers.result import Status
from ..solvers.stopping import Fits, StoppingRule, SweepMonitor, run
from ..validation import check_verbose

__all__ = [
    "Batch",
    "Candidate",
    "Event",
    "Report",
    "Row",
    "Selection",
    "Space",
    "Validation",
    "Watch",
    "describe",
    "live_line",
    "search",
    "vertex",
]


# The clock of a fit, and who is told how far it is: one live line, a callback, a trace.


@dataclass(frozen=True)
class Event:
    """What is told when the matrix has been built (without an objective), and after each sweep."""

    phase: str  # "build", "select" or "fit"
    sweep: int
    objective: float
    held_out_loss: float
    seconds: float


Report = Callable[[Event], bool]


class Watch:
    """Seconds since the start, whether they are used up, and whether somebody asked to stop."""

    def __init__(self, limit: float | None = None, report: Report | None = None) -> None:
        self.start, self.limit, self.report = time.perf_counter(), limit, report
        self.is_stopped = False

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.start

    @property
    def left(self) -> float | None:
        """Seconds left; None: no limit."""
        return None if self.limit is None else max(self.limit - self.seconds, 1e-3)

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self.limit is not None and self.seconds >= self.limit

    def tell(
        self,
        phase: str,
        sweep: int,
        objective: Callable[[], float] | float = nan,
        held_out_loss: float = nan,
    ) -> bool:
        """Report, if anybody listens; True asks to stop, and does so from then on.

        An objective that has to be computed is a function.
        """
        if self.report is not None:
            value = objective() if callable(objective) else objective
            event = Event(phase, sweep, value, held_out_loss, self.seconds)
            self.is_stopped |= bool(self.report(event))
        return self.is_stopped

    def rule(self, decrease: float, max_epochs: float) -> StoppingRule:
        """Return when batched fits stop: by what a sweep gains, after so many, or out of time."""
        time_limit = inf if self.left is None else self.left
        return StoppingRule(decrease=decrease, max_epochs=max_epochs, time_limit=time_limit)


@contextmanager
def live_line(verbose: int) -> Iterator[Report | None]:
    """Give a report function that keeps one line of the terminal up to date."""
    if not check_verbose(verbose):
        yield None
        return
    stream = sys.stderr
    is_live = stream.isatty()
    last = ""

    def show(event: Event) -> bool:
        nonlocal last
        last = describe(event)
        if is_live:
            stream.write(f"\r\x1b[2K{last}")
            stream.flush()
        return False

    try:
        yield show
    finally:
        # Where no line can be rewritten (a file, a notebook's log), only the last state is shown.
        if last:
            stream.write("\n" if is_live else f"{last}\n")
            stream.flush()


def describe(event: Event) -> str:
    """Describe in one line where a fit is."""
    if event.phase == "build":
        return f"tauboost built the matrix, {event.seconds:.1f} s"
    what = {"select": "choosing", "fit": "fitting"}[event.phase]
    parts = [f"tauboost {what}: sweep {event.sweep}"]
    if event.objective == event.objective:  # not NaN
        parts.append(f"objective {event.objective:.6g}")
    if event.held_out_loss == event.held_out_loss:
        parts.append(f"validation loss {event.held_out_loss:.5f}")
    parts.append(f"{event.seconds:.1f} s")
    return ", ".join(parts)


Row = dict[str, float | str]

NUMBERS_OF_A_ROW = ("l1_ratio", "alpha", "n_sweeps", "held_out_loss")
LONGEST = 2000  # characters of a warning in a file


@dataclass(frozen=True)
class Candidate:
    """A loss and its elastic net, for all tasks of a classifier alike."""

    loss: str
    alpha: float
    l1_ratio: float

    def psi(self, n: int, factors: Factors | None = None) -> Penalty:
        """Return the elastic net over n coordinates, with factors of their own."""
        return Penalty.elastic_net(n, self.alpha, self.l1_ratio, factors)

    def row(self, n_sweeps: int, held_out_loss: float) -> Row:
        """Return what was found for it after some sweeps."""
        return {
            "loss": self.loss,
            "l1_ratio": self.l1_ratio,
            "alpha": self.alpha,
            "n_sweeps": n_sweeps,
            "held_out_loss": held_out_loss,
        }


@dataclass(frozen=True)
class Validation:
    """The predictions of one candidate's fits on their validation sets."""

    loss: float
    decisions: Vector
    codes: NDArray[np.intp]
    weights: Vector

    def shares(self) -> NDArray[Any]:
        """Return what the samples of each class weigh."""
        return np.bincount(self.codes, self.weights)


class Batch(Fits, Protocol):
    """Fits of some candidates, of every task without each of the folds."""

    @property
    def candidates(self) -> Sequence[Candidate]:
        """What is compared."""

    def objective(self) -> float:
        """Return F + psi of the tasks together, the mean over the folds."""

    def validation(self, candidate: int) -> Validation:
        """Return what the fits of a candidate make of the rows that they do not learn from."""

    def points(self, candidate: int) -> Vector:
        """Return where a candidate's fits without the first fold are, task by task."""


@dataclass
class Selection:
    """The candidate that was given, or the best of those that were tried, and all of these."""

    chosen: Candidate | None = None
    loss: float = math.nan  # on the validation set; NaN: there was none
    table: list[Row] = field(default_factory=list)
    caution: str = ""  # what there is to warn of
    link: tuple[float, float] | None = None  # slope and offset, where a calibration found them

    @property
    def candidate(self) -> Candidate:
        """What is chosen, which is known once there is something to solve."""
        assert self.chosen is not None
        return self.chosen

    def tried(self, like: Candidate | None = None) -> tuple[Vector, Vector]:
        """Return the alphas tried with the loss and l1_ratio of a candidate, and what they lost."""
        like = self.candidate if like is None else like
        least: dict[float, float] = {}
        for row in self.table:
            if (row["loss"], row["l1_ratio"]) == (like.loss, like.l1_ratio):
                alpha, loss = float(row["alpha"]), float(row["held_out_loss"])
                least[alpha] = min(loss, least.get(alpha, np.inf))
        return np.array(list(least)), np.array(list(least.values()))

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        chosen = self.candidate
        return vars(self) | {"chosen": [chosen.loss, chosen.alpha, chosen.l1_ratio]}

    @classmethod
    def of_facts(cls, facts: Any) -> Self:
        """Return what was written down, if it can be a selection."""
        try:
            found = cls(**facts | {"chosen": Candidate(*facts["chosen"])})
        except (TypeError, KeyError):
            raise misfit("facts") from None
        if not found._is_possible():
            raise misfit("facts")
        return found

    def _is_possible(self) -> bool:
        chosen, link = self.candidate, self.link
        return (
            isinstance(chosen.loss, str)
            and chosen.loss in LOSSES
            and all(map(_is_real, (self.loss, chosen.alpha, chosen.l1_ratio)))
            and not self.loss < 0
            and 0 <= chosen.alpha < math.inf
            and 0 <= chosen.l1_ratio <= 1
            and isinstance(self.table, list)
            and all(map(_is_row, self.table))
            and isinstance(self.caution, str)
            and len(self.caution) <= LONGEST
            and (not self.caution or self.caution.isprintable())
            and (link is None or _is_link(link))
        )


class Space(Protocol):
    """Which candidates to try next, given what was seen."""

    def batches(self, seen: Selection) -> Iterator[Batch]:
        """Give the next batch; ``seen`` has what became of the last."""

    def rule(self, batch: Batch, watch: Watch) -> Any:
        """Return the `StoppingRule` of a batch: how nearly its candidates must be solved."""

    def choose(self, seen: Selection) -> Candidate:
        """Return what to solve on all samples."""


def search(space: Space, watch: Watch) -> tuple[Selection, Vector, Validation]:
    """Try what a space has to give; the one with the least validation loss is chosen.

    Also returned are the points of the fits that were best, and their predictions on the
    validation sets.
    """
    seen, found = Selection(loss=math.inf), None
    for batch in space.batches(seen):
        before = batch.epochs()
        report = _Report(seen, batch, watch)
        status = run(batch, SweepMonitor(space.rule(batch, watch), report))
        n_sweeps = round(batch.epochs() - before)
        for k, candidate in enumerate(batch.candidates):
            validation = batch.validation(k)
            seen.table.append(candidate.row(n_sweeps, validation.loss))
            if validation.loss < seen.loss:
                seen.loss, seen.chosen = validation.loss, candidate
                found = batch.points(k), validation
        if status in (Status.INTERRUPTED, Status.TIME_LIMIT):
            break
    assert found is not None
    seen.chosen = space.choose(seen)
    return seen, *found


@dataclass(frozen=True)
class _Report:
    """Reports how far a batch is."""

    seen: Selection
    batch: Batch
    watch: Watch

    def __call__(self) -> bool:
        n_sweeps = round(self.batch.epochs())
        return self.watch.tell("select", n_sweeps, self.batch.objective, self.seen.loss)


def vertex(alphas: Vector, losses: Vector) -> float:
    """Return where a parabola through the least loss and its neighbours, in log alpha, is least.

    To three digits.
    """
    order = np.argsort(alphas)
    x, values = np.log(alphas[order]), losses[order]
    k = int(values.argmin())
    if not 0 < k < len(x) - 1:
        return float(np.exp(x[k]))
    low, middle, high = values[k - 1 : k + 2]
    bend = low - 2.0 * middle + high
    shift = 0.5 * (low - high) / bend if 0 < bend < math.inf else 0.0
    step = x[k + 1] - x[k] if shift > 0 else x[k] - x[k - 1]
    return float(f"{math.exp(x[k] + min(max(shift, -0.5), 0.5) * step):.3g}")


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_link(link: Any) -> bool:
    return (
        isinstance(link, tuple)
        and len(link) == 2
        and all(_is_real(x) and math.isfinite(x) for x in link)
        and link[0] > 0
    )


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and row.keys() == {"loss", *NUMBERS_OF_A_ROW}
        and isinstance(row["loss"], str)
        and all(_is_real(row[name]) for name in NUMBERS_OF_A_ROW)
    )
