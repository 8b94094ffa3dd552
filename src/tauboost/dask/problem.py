"""A problem whose rows are spread over a Dask cluster: the driver knows columns, the parts rows.

It describes what a ``tauboost.Problem`` describes, and its rows answer the same questions, so that
the methods of one machine run on it as they are.
"""

from __future__ import annotations

import itertools
import math
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..base.threads import resolve_threads
from ..design.matrix import random_places
from ..design.sparse import SparseDesign
from ..design.units import Units
from ..design.wide import is_wide
from ..penalty import Penalty
from ..problem import SparseProblem
from .crew import Crew, Member, Patience
from .loading import found_features, used_features
from .part import Part, PartSpec, Shape
from .parts import LoadedParts, check_client
from .rows import RemotePoint, RemoteRows, RemoteSurface

__all__ = ["DaskProblem"]


TRIAL_ROUNDS = 5
# What a kernel takes to sum and to move, roughly: enough to compare with the time of a round.
SECONDS_A_NONZERO = 4e-9


class DaskProblem(SparseProblem):
    """One AdaBoost (or logistic) problem, its rows in parts on the workers of a Dask cluster.

    Parameters
    ----------
    data
        A tuple ``(X, y)`` or ``(X, y, sample_weight)``: X a dask array with dense or scipy-sparse
        chunks or a dask dataframe; y a dask array or series, a NumPy array, or the name of a column
        of the dataframe. Or a list of parts, each a delayed or future ``(X, y)`` or ``(X, y,
        sample_weight)``, a path of an svmlight file, or ``(path, start, stop)``, a range of bytes
        of one. Or a store.
    client : distributed.Client, optional
        None takes the current one.
    n_features : int, optional
        For files: the number of columns; None takes the largest index that occurs in any.
    n_parts : int, optional
        Into how many parts to gather the chunks, at most; None takes the number of workers.
    loss, fit_intercept
        As in :class:`tauboost.Problem`.
    n_threads : int, optional
        Threads of a part; None takes those of its worker.
    patience : Patience, optional
        When a worker that does not answer is given up.

    Examples
    --------
    >>> import dask.array as da, tauboost.dask
    >>> from dask.distributed import Client
    >>> client = Client()  # doctest: +SKIP
    >>> X = da.random.default_rng(0).random((2000, 10), chunks=(500, -1)) > 0.7
    >>> y = (X[:, 0] | X[:, 1]).astype(int)
    >>> problem = tauboost.dask.DaskProblem((X, y), client=client)
    >>> problem.n_samples, tauboost.solve(problem, alpha=1e-2, random_state=0).status.value
    (2000, 'converged')
    """

    def __init__(
        self,
        data: Any,
        *,
        client: Client | None = None,
        n_features: int | None = None,
        n_parts: int | None = None,
        loss: str = "exponential",
        fit_intercept: bool = False,
        n_threads: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(loss, fit_intercept)
        if n_threads is not None:
            n_threads = resolve_threads(n_threads)
        self.client = check_client(client)
        self.crew = Crew(self.client, patience)
        self.crew.replay = self._replay
        self.in_use: Callable[[], RemoteRows | None] = lambda: None
        self.holders: list[Callable[[], RemotePoint | RemoteSurface | None]] = []
        self.keys = itertools.count()
        self.dropped: list[int] = []  # keys of points that nobody needs any more
        self._load(data, n_features, n_parts, n_threads)

    def _load(
        self, data: Any, n_features: int | None, n_parts: int | None, n_threads: int | None
    ) -> None:
        """Load the parts, agree on what they have in common, build them, put them in place."""
        parts = LoadedParts(self.crew, data, n_features, n_parts)
        self.n_samples = sum(summary.n_samples for summary in parts.summaries)
        width, used, nnz = parts.width(), None, sum(summary.nnz for summary in parts.summaries)
        self.classes = parts.two_classes()
        if is_wide(width, nnz):
            used = found_features(parts.results("used", used_features))
        spec = PartSpec(self.classes, width, used, self.loss, self.fit_intercept, n_threads)
        actors = parts.on_each("part", Part, spec, chosen=parts.present, actor=True)
        self.crew.assemble(actors, parts.shares())
        self._take_shape(spec)

    def _take_shape(self, spec: PartSpec) -> None:
        """Merge what the parts say of their columns, and tell them the outcome."""
        shapes: list[Shape] = self.crew.tell_each("shape", lambda _: ())
        scales = np.array([shape.scale for shape in shapes])
        scale = scales.max(axis=0)
        # A column that is constant in every part is not constant if the parts differ.
        valued = np.any([shape.valued for shape in shapes], axis=0)
        valued |= np.any((scales > 0) & (scales < scale), axis=0)
        self.valued = valued
        self._counts: NDArray[np.int64] = np.array([shape.counts for shape in shapes]).sum(axis=0)
        outline = _core.outline(
            sum(shape.m for shape in shapes),
            sum(shape.nnz for shape in shapes),
            max(shape.omega for shape in shapes),
            self.fit_intercept,
            scale,
            valued.astype(np.uint8),
        )
        place = random_places(spec.n_features if spec.used is None else len(spec.used))
        self.design = SparseDesign(outline, place, spec.n_features, self.fit_intercept, spec.used)
        shares = [member.share for member in self.crew.members]
        self.least_weight = min(
            shape.least_weight * share for shape, share in zip(shapes, shares, strict=True)
        )
        if not self.least_weight > 0:
            raise ValueError("sample_weight: the smallest is no number beside the largest")
        self.c_total = math.fsum(
            shape.c_total * share for shape, share in zip(shapes, shares, strict=True)
        )
        self.message_cost = self._message_cost()
        self.crew.tell_each("prepare", lambda member: (self.crew.done, member.share, self.valued))

    def note_units(self, units: Units | None) -> None:
        """Take note of the units in which the columns were given, in all parts."""
        used = self.design.used
        if units is not None and used is not None:
            units = units.select(used)
        self.design = replace(self.design, units=units)

    def _message_cost(self) -> float:
        """Measure the round trip, in nonzeros that all parts together could have read meanwhile."""
        trips = []
        for _ in range(TRIAL_ROUNDS):
            begin = time.perf_counter()
            self.crew.tell_each("rest", lambda _: (0.0,))
            trips.append(time.perf_counter() - begin)
        return float(np.median(trips)) / SECONDS_A_NONZERO * len(self.crew.members)

    def _replay(self, member: Member) -> list[tuple[str, tuple[Any, ...]]]:
        """Return the calls that bring a new part to where the others are."""
        if not hasattr(self, "c_total"):
            return []
        calls: list[tuple[str, tuple[Any, ...]]] = [
            ("prepare", (self.crew.done, member.share, self.valued))
        ]
        for holder in (self.in_use(), *(holder() for holder in self.holders)):
            if holder is not None:
                calls += holder.replay()
        return calls

    def hold(self, holder: RemotePoint | RemoteSurface) -> None:
        """Remember what parts have been told, as long as somebody needs it."""
        alive = [old for old in self.holders if old() is not None]
        self.holders = [*alive, weakref.ref(holder)]

    def column_counts(self) -> NDArray[np.int64]:
        """Return the number of nonzeros of every column of A."""
        return self._counts

    def rows(self, n_threads: int | None = None) -> RemoteRows:  # noqa: ARG002 - workers have theirs
        """Return the rows, on which kernels run and which they change."""
        return RemoteRows(self)

    def local_start(self, penalty: Penalty, seed: int) -> Vector:
        """Return the mean of what one sweep of each part, alone, arrives at; shorter if better.

        One round for a start that is often as good as a first sweep, where that costs hundreds.
        """
        alone = self.crew.ask("solve_alone", replace(penalty), "exact", seed, 1.0)
        mean = np.sum(
            [member.share * lam for member, lam in zip(self.crew.members, alone, strict=True)],
            axis=0,
        )
        starts = [penalty.project(length * mean) for length in (1.0, 0.5, 0.25, 0.0)]
        rows = self.rows()
        return min(starts, key=lambda lam: rows.point(lam).value + penalty.value(lam))

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {len(self.crew.members)} parts)"
