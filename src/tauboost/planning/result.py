"""What a plan says: predictions as plain numbers, each with how it was got, and a table of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..base.printable import printable
from .words import in_bytes, in_seconds, rounded

__all__ = ["GUESSED", "MEASURED", "TIMED", "Plan"]

WIDTHS = (26, 10, 20)
# What was measured on all rows, on some columns of all rows, or on some rows only, may be so much
# less or more.
MEASURED, TIMED, GUESSED = (0.85, 1.2), (0.75, 1.35), (0.5, 2.0)


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
    read_seconds : float
        To read the file, or to check the store; 0 for data in memory.
    build_seconds : float
        From X in memory to the matrix in the core.
    sweep_seconds : dict
        One sweep of ``solve``, by the number of threads: logistic loss with an l2 term, as the
        default fit has, or the loss of the problem that was given.
    accuracy : float
        The excess edge that ``sweeps`` are to reach (``tol`` of ``solve``).
    sweeps : float
        Epochs of ``solve`` to that accuracy, from 0.
    fit_seconds : float or None
        A default ``TauBoostClassifier().fit`` of data in memory with the most threads, choice of
        strength included; None for a problem, which keeps no rows to hold out.
    fit_parts : dict
        The same by what it is spent on.
    data_bytes, matrix_bytes : int
        X in memory, and the matrix in the core.
    peak_bytes : int
        The peak of that fit (of ``solve``, for a problem) beyond the data.
    available_bytes : int or None
        The memory that is there.
    n_threads : int
        Threads worth using.
    tau : int
        Coordinates that move together at first; it is adapted on the way.
    place : str
        "one machine" or "a cluster", with the reason in ``how["place"]``.
    message_seconds : float
        What the messages of one sweep would take on a cluster of two workers.
    paper_tau, paper_beta, paper_speedup
        Theorem 1 at the paper's tau.
    how : dict
        How each of these was got, by name.
    ranges : dict
        The least and the most to expect, by name.
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

    def __repr__(self) -> str:
        return "\n".join([*self._head(), "", *self._table(), "", *self._advice()])

    def summary(self) -> str:
        """Say it in one sentence."""
        steps = [f"Reading {in_seconds(self.read_seconds)}"] if self.read_seconds else []
        steps += [
            f"building {in_seconds(self.build_seconds)}",
            f"a sweep {in_seconds(self.sweep_seconds[self.n_threads])}",
            f"about {rounded(self.sweeps)} sweeps to an edge of {self.accuracy:g}",
        ]
        text = ", ".join(steps)
        whole = "" if self.fit_seconds is None else f"default fit about {self._of_fit()}; "
        sentence = f"{text}; {whole}{in_bytes(self.peak_bytes)} beyond the data."
        return sentence[0].upper() + sentence[1:]

    def _of_fit(self) -> str:
        assert self.fit_seconds is not None
        most = max(self.sweep_seconds)
        return f"{in_seconds(self.fit_seconds)} with {most} thread{'s' * (most > 1)}"

    def _head(self) -> list[str]:
        about = "" if self.share == 1.0 else "about "
        name = f"{printable(self.name)}: " if self.name else ""
        size = f"{self.n_samples:,} samples, {self.n_features:,} features, {self.nnz:,} nonzeros"
        return [f"{name}{about}{size}", self.summary()]

    def _table(self) -> list[str]:
        rows = [("what", "about", "range", "how")]
        if self.read_seconds:
            rows.append(self._time("reading", "read_seconds", self.read_seconds))
        rows.append(self._time("building", "build_seconds", self.build_seconds))
        for n, seconds in self.sweep_seconds.items():
            what = f"a sweep, {n} thread{'s' * (n > 1)}"
            low, high = self.ranges["sweep_seconds"]
            ends = f"{in_seconds(low * seconds)} to {in_seconds(high * seconds)}"
            rows.append((what, in_seconds(seconds), ends, self.how["sweep_seconds"]))
        low, high = self.ranges["sweeps"]
        what, ends = f"sweeps to edge {self.accuracy:g}", f"{rounded(low)} to {rounded(high)}"
        rows.append((what, rounded(self.sweeps), ends, self.how["sweeps"]))
        if self.fit_seconds is not None:
            rows.append(self._time("default fit", "fit_seconds", self.fit_seconds))
        for name, seconds in self.fit_parts.items():
            rows.append((f"  {name}", in_seconds(seconds), "", ""))
        for what, name in (
            ("memory: X", "data_bytes"),
            ("memory: matrix", "matrix_bytes"),
            ("memory: peak beyond X", "peak_bytes"),
        ):
            rows.append((what, in_bytes(getattr(self, name)), "", self.how[name]))
        return ["  ".join([*map(str.ljust, row, WIDTHS), row[3]]).rstrip() for row in rows]

    def _time(self, what: str, name: str, seconds: float) -> tuple[str, str, str, str]:
        low, high = self.ranges[name]
        ends = "" if low == high else f"{in_seconds(low)} to {in_seconds(high)}"
        return what, in_seconds(seconds), ends, self.how[name]

    def _advice(self) -> list[str]:
        plural = "s" * (self.n_threads > 1)
        tau = str(self.tau) if self.tau < 100 else rounded(self.tau)
        worth = f"{self.n_threads} thread{plural}, tau about {tau} (adapted on the way)"
        speed = f"beta is {self.paper_beta:.3g} and tau / beta {self.paper_speedup:.3g}"
        lines = [
            f"Worth using: {worth}, {self.place}: {self.how['place']}.",
            f"The paper: with tau = {self.paper_tau}, {speed}.",
        ]
        if self.fit_parts:
            lines.append(f"Most of the time goes into {self.dominated_by}.")
        return lines
