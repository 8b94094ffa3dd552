"""What a plan predicts, as plain numbers, each with how it was got, and a table of them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from ..base.messages import printable

__all__ = ["Plan", "in_bytes", "in_seconds"]


@dataclass(frozen=True, repr=False)
class Plan:
    """What it will cost: the outcome of :func:`tauboost.plan`.

    Times are seconds and sizes bytes. ``print(plan)`` shows a table.

    Attributes
    ----------
    name : str
        Of the file, or empty.
    n_samples, n_features, nnz, omega : int
        The size of the data, and the longest row; about, where only some rows were looked at.
    share : float
        Of the rows that were looked at.
    read_seconds, build_seconds : float
        To read the file or to check the store, 0 for data in memory; from X to the matrix.
    sweep_seconds : dict
        One sweep of ``solve``, by the number of threads: logistic loss with an l2 term, as the
        default fit has, or the loss of the problem that was given.
    accuracy, sweeps : float
        Epochs of ``solve`` until the excess edge is ``accuracy`` (its ``tol``), from 0.
    fit_seconds : float or None
        A default ``TauBoostClassifier().fit`` of data in memory with the most threads, choice of
        alpha included; None for a problem, which keeps no rows to hold out.
    fit_parts : dict
        The same by what it is spent on.
    data_bytes, matrix_bytes, peak_bytes : int
        X in memory; the matrix in the core; the peak of that fit (of ``solve``, for a problem)
        beyond the data.
    available_bytes : int or None
        The memory that is free.
    n_threads, tau : int
        Threads worth using; coordinates that move together at first (it is adapted on the way).
    place : str
        "one machine" or "a cluster", with the reason in ``how["place"]``.
    message_seconds : float
        What the messages of one sweep would take on a cluster of two workers.
    paper_tau, paper_beta, paper_speedup
        Theorem 1 at the paper's tau.
    how, ranges : dict
        How each of these was got, and the least and the most to expect, by name.
    plan_seconds : float
        What planning took.

    Examples
    --------
    >>> import tauboost as tb
    >>> plan = tb.plan(tb.make_w8a_like(2000, random_state=0))
    >>> plan.n_samples, plan.place, plan.fit_seconds < 60
    (2000, 'one machine', True)
    """

    name: str
    n_samples: int
    n_features: int
    nnz: int
    omega: int
    share: float
    read_seconds: float
    build_seconds: float
    sweep_seconds: dict[int, float]
    accuracy: float
    sweeps: float
    fit_seconds: float | None
    fit_parts: dict[str, float]
    data_bytes: int
    matrix_bytes: int
    peak_bytes: int
    available_bytes: int | None
    n_threads: int
    tau: int
    place: str
    message_seconds: float
    paper_tau: int
    paper_beta: float
    paper_speedup: float
    how: dict[str, str]
    ranges: dict[str, tuple[float, float]]
    plan_seconds: float

    @property
    def dominated_by(self) -> str:
        """What most of the time goes into."""
        parts = {"reading": self.read_seconds} | self.fit_parts
        return max(parts, key=lambda name: parts[name])

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        document = asdict(self) | {"dominated_by": self.dominated_by}
        document["sweep_seconds"] = {str(n): s for n, s in self.sweep_seconds.items()}
        document["ranges"] = {name: list(ends) for name, ends in self.ranges.items()}
        return document

    def summary(self) -> str:
        """Return the plan in one sentence."""
        read = f"Reading {in_seconds(self.read_seconds)}, b" if self.read_seconds else "B"
        sweep = in_seconds(self.sweep_seconds[self.n_threads])
        text = (
            f"{read}uilding {in_seconds(self.build_seconds)}, a sweep {sweep}, "
            f"about {_rounded(self.sweeps)} sweeps to an edge of {self.accuracy:g}; "
        )
        if self.fit_seconds is not None:
            text += f"default fit about {in_seconds(self.fit_seconds)} with "
            text += f"{_threads(max(self.sweep_seconds))}; "
        return f"{text}{in_bytes(self.peak_bytes)} beyond the data."

    def __repr__(self) -> str:
        about = "" if self.share == 1.0 else "about "
        name = f"{printable(self.name)}: " if self.name else ""
        size = f"{self.n_samples:,} samples, {self.n_features:,} features, {self.nnz:,} nonzeros"
        tau = str(self.tau) if self.tau < 100 else _rounded(self.tau)
        worth = f"{_threads(self.n_threads)}, tau about {tau} (adapted on the way)"
        speed = f"beta is {self.paper_beta:.3g} and tau / beta {self.paper_speedup:.3g}"
        lines = [
            f"{name}{about}{size}",
            self.summary(),
            "",
            *(f"{a:26}  {b:10}  {c:20}  {d}".rstrip() for a, b, c, d in self._table()),
            "",
            f"Worth using: {worth}, {self.place}: {self.how['place']}.",
            f"The paper: with tau = {self.paper_tau}, {speed}.",
        ]
        if self.fit_parts:
            lines.append(f"Most of the time goes into {self.dominated_by}.")
        return "\n".join(lines)

    def _table(self) -> list[tuple[str, str, str, str]]:
        def row(
            what: str, name: str, value: float, scale: float = 1.0, text: Any = in_seconds
        ) -> Any:
            low, high = self.ranges.get(name, (0.0, 0.0))
            ends = "" if low == high else f"{text(scale * low)} to {text(scale * high)}"
            return what, text(value), ends, self.how[name]

        rows = [("what", "about", "range", "how")]
        if self.read_seconds:
            rows.append(row("reading", "read_seconds", self.read_seconds))
        rows.append(row("building", "build_seconds", self.build_seconds))
        for n, seconds in self.sweep_seconds.items():
            rows.append(row(f"a sweep, {_threads(n)}", "sweep_seconds", seconds, seconds))
        rows.append(row(f"sweeps to edge {self.accuracy:g}", "sweeps", self.sweeps, text=_rounded))
        if self.fit_seconds is not None:
            rows.append(row("default fit", "fit_seconds", self.fit_seconds))
        rows += [(f"  {name}", in_seconds(s), "", "") for name, s in self.fit_parts.items()]
        for what in ("data", "matrix", "peak"):
            label = {"data": "X", "peak": "peak beyond X"}.get(what, what)
            name = f"{what}_bytes"
            rows.append(row(f"memory: {label}", name, getattr(self, name), text=in_bytes))
        return rows


def _threads(n: int) -> str:
    return f"{n} thread{'s' * (n > 1)}"


def _rounded(value: float) -> str:
    """Return a number with two digits that count, in full: 0.012, 1.2, 12, 120."""
    if not math.isfinite(value):
        return "unknown"
    value = float(f"{value:.1e}")
    places = 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:,.{max(places, 0)}f}"


def in_seconds(value: float) -> str:
    """Return a time, with the unit that fits."""
    units = [(1e-3, 1e6, "µs"), (1, 1e3, "ms"), (120, 1, "s"), (7200, 1 / 60, "min")]
    factor, unit = next(((f, u) for most, f, u in units if value < most), (1 / 3600, "h"))
    return f"{_rounded(factor * value)} {unit}"


def in_bytes(value: float) -> str:
    """Return a size, with the unit that fits."""
    units = ("bytes", "kB", "MB", "GB", "TB", "PB")
    power = 0 if value < 1 else min(int(math.log10(value) / 3 + 1e-9), len(units) - 1)
    return f"{_rounded(value / 1000**power)} {units[power]}"
