"""A problem whose rows are spread over a Dask cluster: the driver knows columns, the parts rows.

It describes what a ``tauboost.Problem`` describes, and its rows answer the same questions, so that
the methods of one machine run on it as they are.
"""

from __future__ import annotations

import itertools
import math
import time
import uuid
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from dask import delayed
from distributed import Client, default_client
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Vector
from ..base.threads import resolve_threads
from ..design.matrix import random_places
from ..design.sparse import SparseDesign
from ..design.wide import is_wide
from ..penalty import Penalty
from ..problem import BaseProblem
from ..validation import check_count
from .crew import Crew, Member, Patience
from .data import as_pieces, grouped
from .loading import Summary, load_part, summarise, used_features
from .part import Part, PartSpec, Shape
from .rows import RemotePoint, RemoteRows, RemoteSurface

__all__ = ["DaskProblem"]


TRIAL_ROUNDS = 5
# What a kernel takes to sum and to move, roughly: enough to compare with the time of a round.
SECONDS_A_NONZERO = 4e-9


class DaskProblem(BaseProblem):
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
        token = uuid.uuid4().hex[:8]
        loaded, can_widen = start_loading(self.client, data, n_features, n_parts, token)
        summaries = self.crew.wait(
            [
                self.client.submit(summarise, part, key=f"tauboost-summary-{token}-{k}")
                for k, part in enumerate(loaded)
            ]
        )
        spec = self._agree(summaries, can_widen, n_features, n_threads)
        if is_wide(spec.n_features, sum(summary.nnz for summary in summaries)):
            found = self.crew.wait(
                [
                    self.client.submit(used_features, part, key=f"tauboost-used-{token}-{k}")
                    for k, part in enumerate(loaded)
                ]
            )
            # A matrix has one column at least.
            used = np.unique(np.concatenate(found)) if any(map(len, found)) else np.arange(1)
            spec = replace(spec, used=used)
        present = [k for k, summary in enumerate(summaries) if summary.n_present > 0]
        actors = [
            self.client.submit(Part, loaded[k], spec, actor=True, key=f"tauboost-part-{token}-{k}")
            for k in present
        ]
        largest = max(summaries[k].largest_weight for k in present)
        weights = [summaries[k].weight * (summaries[k].largest_weight / largest) for k in present]
        self.crew.assemble(actors, [weight / math.fsum(weights) for weight in weights])
        self._take_shape(spec)

    def _agree(
        self,
        summaries: Sequence[Summary],
        can_widen: bool,
        n_features: int | None,
        n_threads: int | None,
    ) -> PartSpec:
        """Check that the parts are parts of one data set."""
        self.n_samples = sum(summary.n_samples for summary in summaries)
        width = common_width(summaries, can_widen, n_features)
        self.classes = two_classes([label for summary in summaries for label in summary.labels])
        return PartSpec(self.classes, width, None, self.loss, self.fit_intercept, n_threads)

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


def start_loading(
    client: Client, data: Any, n_features: int | None, n_parts: int | None, token: str
) -> tuple[list[Any], bool]:
    """Have the parts loaded: futures, and whether they may differ in the number of columns."""
    most = max(1, len(client.ncores())) if n_parts is None else check_count(n_parts, "n_parts")
    if n_features is not None:
        check_count(n_features, "n_features")
    pieces, can_widen = as_pieces(data, n_features, most)
    loads = [
        delayed(load_part)(group, can_widen, dask_key_name=f"tauboost-load-{token}-{k}")
        for k, group in enumerate(grouped(pieces, most))
    ]
    return client.compute(loads), can_widen


def check_client(client: Any) -> Client:
    """Return a client that can be used, the current one if none is given."""
    if client is None:
        try:
            client = default_client()
        except ValueError:
            raise ValueError(
                "client is None and there is no current one: make a dask.distributed.Client first"
            ) from None
    if not isinstance(client, Client):
        raise TypeError(f"client must be a dask.distributed.Client, got {type(client).__name__}")
    if client.asynchronous:
        raise TypeError("client must not be asynchronous: make a Client without asynchronous=True")
    if client.status != "running":
        raise RuntimeError(f"the Dask client is {client.status}: it must be connected")
    return client


def common_width(summaries: Sequence[Summary], can_widen: bool, n_features: int | None) -> int:
    """Return the number of columns of parts that have samples and belong together."""
    if not any(summary.n_samples for summary in summaries):
        raise ValueError("data is empty: no part has a sample")
    if not any(summary.n_present for summary in summaries):
        raise ValueError("sample_weight is zero for every sample: at least one must be positive")
    widths = {summary.n_features for summary in summaries if summary.n_samples > 0}
    if len(widths) > 1 and not can_widen:
        found = ", ".join(map(str, sorted(widths)))
        raise ValueError(f"the parts have different numbers of columns: {found}")
    if n_features is not None and max(widths) > n_features:
        raise ValueError(f"data has {max(widths)} features, more than n_features={n_features}")
    return max(widths) if n_features is None else n_features


def two_classes(labels: Sequence[Any]) -> NDArray[Any]:
    """Return the two labels, in order, from those of all parts."""
    different = ordered(labels)
    if len(different) == 1:
        raise ValueError(f"y has one class only, {different[0]}: two are needed")
    if len(different) != 2:
        raise ValueError(f"y must have exactly two classes, got {len(different)}")
    return np.array(different)


def ordered(labels: Sequence[Any]) -> list[Any]:
    """Return the different labels of all parts, in order."""
    try:
        return sorted(set(labels))
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise TypeError(
            f"y must hold labels of one type that can be ordered, got {kinds}"
        ) from None
