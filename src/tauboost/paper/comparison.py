"""Several methods on one problem, side by side: the paper's Figures 1 and 2 as data.

Every method starts at lam = 0 and runs without a tolerance until the time or the epochs are used
up. The outcome is one labelled trace each, and how long each took to come within given gaps of
the best objective that any of them found.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Mask, Vector
from ..base.messages import shown
from ..base.threads import resolve_threads
from ..io.atomic import new_file
from ..io.svmlight import row_ranges
from ..methods import solve
from ..penalty import Penalty
from ..solvers.monitor import Snapshot, is_unbounded
from ..solvers.result import Result, Status
from ..sparse.design import is_wide, note_of_width, shard_cuts, without_unused_features
from ..validation import CsrArrays, refuse_missing_labels
from .eso import beta

if TYPE_CHECKING:
    from ..problem import Problem

__all__ = ["Comparison", "Level", "MethodSetting", "Row", "Run", "compare", "describe", "thinned"]


GAPS = (1e-1, 1e-2, 1e-3, 1e-4)
COLUMNS = ("label", "method", "epoch", "updates", "seconds", "value", "objective")
# A tiny problem is looked at 100,000 times a second; nobody wants all of it in a file.
MAX_CSV_ROWS = 10_000


@dataclass(frozen=True)
class MethodSetting:
    """A method with its options for ``solve``, under the label it has in tables and figures.

    Examples
    --------
    >>> from tauboost.paper import MethodSetting
    >>> MethodSetting("one at a time", "pcdm", {"tau": 1}).label
    'one at a time'
    """

    label: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """What one setting came to; ``beta`` is that of Theorem 1 where the setting has a tau."""

    setting: MethodSetting
    result: Result
    beta: float | None = None

    def seconds_to(self, objective: float) -> float | None:
        """When the objective was first this low; None if never."""
        trace = self.result.trace
        reached = np.flatnonzero(trace.objective <= objective)
        return float(trace.seconds[reached[0]]) if reached.size else None


@dataclass(frozen=True)
class Level:
    """An objective to reach: best + gap (start - best)."""

    gap: float
    objective: float


@dataclass(frozen=True)
class Row:
    """One line of the table: seconds to each level (None: not reached), and how it ended."""

    label: str
    seconds_to: tuple[float | None, ...]
    objective: float
    epochs: float
    seconds: float
    status: Status


@dataclass(frozen=True)
class Comparison:
    """The runs, with what is needed to tell later what they were runs of.

    ``is_separable`` means that some run proved the data separable: F then falls without end, and
    gaps to the best found say little.

    Examples
    --------
    >>> import tauboost as tb
    >>> from tauboost.paper import MethodSetting, compare
    >>> problem = tb.Problem(*tb.make_w8a_like(1000, random_state=0))
    >>> found = compare(problem, [MethodSetting("ours", "exact")], max_epochs=5)
    >>> found.start, found.best < -1
    (0.0, True)
    >>> found.write_csv("traces.csv")
    """

    name: str
    n_samples: int
    n_features: int
    nnz: int
    omega: int
    runs: tuple[Run, ...]
    n_threads: int
    random_state: int | None
    time_limit: float | None
    max_epochs: float | None
    is_separable: bool = False

    @property
    def start(self) -> float:
        """The objective at the common starting point."""
        return float(self.runs[0].result.trace.objective[0])

    @property
    def best(self) -> float:
        """The lowest objective that any method reached."""
        objectives = np.concatenate([run.result.trace.objective for run in self.runs])
        return float(objectives[np.isfinite(objectives)].min())

    def levels(self, gaps: Sequence[float] = GAPS) -> tuple[Level, ...]:
        """Objectives between the start and the best found."""
        start, best = self.start, self.best
        return tuple(Level(gap, best + gap * (start - best)) for gap in gaps)

    def table(self) -> list[Row]:
        """Return the time each method took to each level."""
        levels = self.levels()
        return [
            Row(
                run.setting.label,
                tuple(run.seconds_to(level.objective) for level in levels),
                run.result.objective,
                run.result.n_epochs,
                run.result.seconds,
                run.result.status,
            )
            for run in self.runs
        ]

    def metadata(self) -> dict[str, Any]:
        """Everything but the traces, ready for JSON."""
        return {
            "data": {
                "name": self.name,
                "n_samples": self.n_samples,
                "n_features": self.n_features,
                "nnz": self.nnz,
                "omega": self.omega,
            },
            "limits": {"time_limit": self.time_limit, "max_epochs": self.max_epochs},
            "n_threads": self.n_threads,
            "random_state": self.random_state,
            "start": self.start,
            "best": self.best,
            "is_separable": self.is_separable,
            "levels": [{"gap": level.gap, "objective": level.objective} for level in self.levels()],
            "methods": [
                _summary(run, row) for run, row in zip(self.runs, self.table(), strict=True)
            ],
            "environment": _environment(),
        }

    def write_csv(self, path: str | os.PathLike[str], max_rows: int = MAX_CSV_ROWS) -> None:
        """Write the traces in long form, each thinned to at most ``max_rows`` lines."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for run in self.runs:
            trace = run.result.trace
            keep = thinned(len(trace.epoch), max_rows)
            names = (run.setting.label, run.setting.method)
            numbers = [trace[name][keep].tolist() for name in COLUMNS[2:]]
            numbers[1] = [int(updates) for updates in numbers[1]]
            writer.writerows((*names, *row) for row in zip(*numbers, strict=True))
        with new_file(path, overwrite=True) as file:
            file.write(text.getvalue().encode())

    def write_json(self, path: str | os.PathLike[str]) -> None:
        """Write the metadata."""
        text = json.dumps(self.metadata(), indent=2, allow_nan=False)
        with new_file(path, overwrite=True) as file:
            file.write(f"{text}\n".encode())


def compare(
    problem: Problem,
    settings: Iterable[MethodSetting],
    *,
    name: str = "data",
    time_limit: float | None = 5.0,
    max_epochs: float | None = None,
    n_threads: int | None = None,
    random_state: int | None = 0,
    callback: Callable[[MethodSetting, Snapshot], Any] | None = None,
) -> Comparison:
    """Run every setting on the problem, one after the other.

    Parameters
    ----------
    problem : Problem
        What to solve.
    settings : iterable of MethodSetting
        At least one; labels must differ.
    name : str
        What the data are called in tables and figures.
    time_limit, max_epochs : float, optional
        Where each run ends; at least one of them must be finite.
    n_threads : int, optional
        None means every core this process may use.
    random_state : int, optional
        Seed of the samplings, the same for every run.
    callback : callable, optional
        Called with the setting and a ``Snapshot`` at each evaluation; return True to end that run.

    Examples
    --------
    >>> import tauboost as tb
    >>> from tauboost.paper import MethodSetting, compare
    >>> problem = tb.Problem([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [1, -1, 1])
    >>> both = [MethodSetting("all", "fully-parallel"), MethodSetting("one", "greedy")]
    >>> [row.label for row in compare(problem, both, max_epochs=5).table()]
    ['all', 'one']
    """
    chosen = tuple(settings)
    _check_labels(chosen)
    time_limit, max_epochs = _finite(time_limit), _finite(max_epochs)
    if time_limit is None and max_epochs is None:
        raise ValueError("time_limit or max_epochs must be finite: there is no tolerance to end it")
    n_threads = resolve_threads(n_threads)

    def run(setting: MethodSetting, epochs: float | None, watch: bool) -> Run:
        result = solve(
            problem,
            setting.method,
            **setting.options,
            tol=0.0,
            time_limit=time_limit,
            max_epochs=math.inf if epochs is None else epochs,
            n_threads=n_threads,
            random_state=random_state,
            callback=None if callback is None or not watch else _bound(callback, setting),
        )
        return Run(setting, result, _beta(problem, setting))

    # No epochs at first: a wrong option is found before anybody has waited for the runs before
    # it, and the first run does not pay for starting the threads.
    for setting in chosen:
        run(setting, 0.0, watch=False)
    runs = tuple(run(setting, max_epochs, watch=True) for setting in chosen)
    return Comparison(
        name=name,
        n_samples=problem.n_samples,
        n_features=problem.n_features,
        nnz=problem.nnz,
        omega=problem.omega,
        runs=runs,
        n_threads=n_threads,
        random_state=random_state,
        time_limit=time_limit,
        max_epochs=max_epochs,
        is_separable=_proves_separable(problem, runs),
    )


def thinned(length: int, most: int) -> NDArray[np.int64]:
    """Return indices into a trace: all, or about ``most``, dense at the beginning."""
    if length <= most:
        return np.arange(length)
    return np.unique(np.geomspace(1, length, most).round().astype(np.int64)) - 1


def _check_labels(settings: Sequence[MethodSetting]) -> None:
    if not settings:
        raise ValueError("settings must hold at least one method")
    labels = [setting.label for setting in settings]
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"{label!r} is listed twice: labels must differ")


def _finite(limit: float | None) -> float | None:
    return None if limit is None or limit == math.inf else limit


def _bound(
    callback: Callable[[MethodSetting, Snapshot], Any], setting: MethodSetting
) -> Callable[[Snapshot], Any]:
    return lambda snapshot: callback(setting, snapshot)


def _beta(problem: Problem, setting: MethodSetting) -> float | None:
    tau = setting.options.get("tau")
    if tau is None:
        return None
    return beta(problem.n_coordinates, max(problem.omega, 1), tau, problem.n_samples)


def _proves_separable(problem: Problem, runs: Iterable[Run]) -> bool:
    best = min((run.result for run in runs), key=lambda result: result.value)
    return is_unbounded(problem, Penalty(problem.n_features), best.value, best.lam)


def _summary(run: Run, row: Row) -> dict[str, Any]:
    result = run.result
    return {
        "label": run.setting.label,
        "method": run.setting.method,
        "options": dict(run.setting.options),
        "beta": run.beta,
        "status": str(result.status),
        "message": result.message,
        "objective": result.objective if math.isfinite(result.objective) else None,
        "epochs": result.n_epochs,
        "updates": result.n_updates,
        "seconds": result.seconds,
        "seconds_to_levels": list(row.seconds_to),
        "trace_length": len(result.trace.epoch),
    }


def _environment() -> dict[str, Any]:
    return {
        "tauboost": version("tauboost"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": platform.system(),
        "processor": platform.processor() or platform.machine(),
        "cpu_count": os.cpu_count(),
    }


# What solvers need to know of a data set, from one pass over it in bounded memory.


def describe(
    parts: Sequence[CsrArrays], y: ArrayLike, seen: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Collect the facts about X, the sum of the parts, ready for JSON.

    Parameters
    ----------
    parts : CSR matrices of one shape that share no entry, without explicit zeros
    y : labels, numbers of two kinds or more
    seen : called with the number of entries looked at so far
    """
    m, n_features = parts[0].shape
    labels = np.asarray(y)
    refuse_missing_labels(labels)
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {shown(classes[0])}: two or more are needed")
    indptr = np.zeros(m + 1, dtype=np.int64)
    for part in parts:
        indptr += part.indptr
    used = None
    if is_wide(n_features, int(indptr[-1])):  # as a problem of them has it
        arrays = replace(parts[0], more=parts[1] if len(parts) > 1 else None)
        arrays, used = without_unused_features(arrays)
        parts = arrays.parts
    n = parts[0].shape[1]
    columns = _read_columns(parts, codes, seen)
    in_row = np.diff(indptr)
    nnz = int(indptr[-1])
    L = np.square(columns.largest[columns.count > 0])
    n_valued = int(np.count_nonzero(columns.is_valued))
    n_shards = len(shard_cuts(indptr, n)) - 1
    return {
        "n_samples": m,
        "n_features": n_features,
        "nnz": nnz,
        "density": nnz / (m * n_features),
        "omega": int(in_row.max()),
        "lipschitz": {
            "smallest": float(L.min()) if L.size else None,
            "largest": float(L.max()) if L.size else None,
        },
        "classes": [
            {"label": float(label), "count": count}
            for label, count in zip(classes, counts.tolist(), strict=True)
        ],
        "empty_rows": int(np.count_nonzero(in_row == 0)),
        "empty_columns": n_features - len(L),
        "one_class_columns": int(np.count_nonzero(columns.has_one_class)),
        "valued_columns": n_valued,
        "value_free_columns": len(L) - n_valued,
        "matrix_bytes": _matrix_bytes(columns, m, n_shards),
        "matrix_shards": n_shards,
        "warning": note_of_width(used, n_features),
    }


@dataclass(frozen=True)
class _Columns:
    """Per column: its entries, sums over their classes, the range of their absolute values."""

    count: NDArray[np.int64]
    codes: NDArray[np.int64]  # the sum of the numbers of the classes, and of their squares
    squares: NDArray[np.int64]
    smallest: Vector
    largest: Vector
    any_negative: bool  # whether any entry of any column is

    @property
    def is_valued(self) -> Mask:
        return (self.count > 0) & (self.smallest < self.largest)

    @property
    def has_one_class(self) -> Mask:
        """Whether there are entries, all in one class: the numbers of the classes do not vary."""
        return np.asarray((self.count > 0) & (self.count * self.squares == self.codes**2))

    def left_out(self, m: int) -> int:
        """Count the rows that nearly full columns leave out: the core lists them."""
        if self.any_negative:
            return 0
        is_full = (3 * self.count > 2 * m) & ~self.is_valued
        return int(np.sum(m - self.count[is_full]))


def _read_columns(
    parts: Sequence[CsrArrays], codes: NDArray[np.intp], seen: Callable[[int], None] | None
) -> _Columns:
    n, done = parts[0].shape[1], 0
    count, sums, squares = (np.zeros(n, dtype=np.int64) for _ in range(3))
    smallest, largest = np.full(n, np.inf), np.zeros(n)
    any_negative = False
    for part in parts:
        for start, stop in row_ranges(part.indptr):
            entries = slice(part.indptr[start], part.indptr[stop])
            indices = part.indices[entries]
            in_row = np.diff(part.indptr[start : stop + 1])
            entry_codes = np.repeat(codes[start:stop].astype(np.float64), in_row)
            in_chunk = np.bincount(indices, minlength=n)
            count += in_chunk
            sums += np.bincount(indices, entry_codes, n).astype(np.int64)
            squares += np.bincount(indices, entry_codes**2, n).astype(np.int64)
            if part.data is None:
                smallest[in_chunk > 0] = np.minimum(smallest[in_chunk > 0], 1.0)
                largest[in_chunk > 0] = np.maximum(largest[in_chunk > 0], 1.0)
            else:
                magnitude = np.abs(part.data[entries])
                any_negative = any_negative or bool(np.any(part.data[entries] < 0))
                np.minimum.at(smallest, indices, magnitude)
                np.maximum.at(largest, indices, magnitude)
            done += len(indices)
            if seen is not None:
                seen(done)
    return _Columns(count, sums, squares, smallest, largest, any_negative)


def _matrix_bytes(columns: _Columns, m: int, n_shards: int) -> int:
    """Predict what the matrix of the core will take: ``nbytes`` in cpp/matrix/columns.hpp."""
    n, nnz, valued = len(columns.count), int(columns.count.sum()), columns.is_valued
    total = 8 * m + 8 * n + 4 * (nnz + columns.left_out(m)) + n_shards * (12 * n + 8)
    if valued.any():
        per_shard = 8 * (int(np.count_nonzero(valued)) + 1)
        total += 4 * n + n_shards * per_shard + 8 * int(columns.count[valued].sum())
    return total
