"""The rows of a data set, loaded in parts on the workers, and what these have in common."""

from __future__ import annotations

import math
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dask import delayed
from distributed import Client, Future, default_client
from numpy.typing import NDArray

from ..validation import check_count
from .crew import Crew
from .data import as_pieces, grouped
from .loading import Summary, load_part, summarise

__all__ = ["LoadedParts", "check_client", "common_width", "ordered"]


class LoadedParts:
    """Futures of loaded parts, and a summary of each."""

    # The tasks that load a part from its pieces, and sum it up.
    load: Callable[..., Any] = staticmethod(load_part)
    summarise: Callable[..., Summary] = staticmethod(summarise)
    n_dims = 2  # of an array

    def __init__(self, crew: Crew, data: Any, n_features: int | None, n_parts: int | None) -> None:
        self.client, self.crew, self.token = crew.client, crew, uuid.uuid4().hex[:8]
        self.wanted = None if n_features is None else check_count(n_features, "n_features")
        workers = max(1, len(self.client.ncores()))
        most = workers if n_parts is None else check_count(n_parts, "n_parts")
        pieces, self.can_widen = as_pieces(data, n_features, most, self.n_dims)
        loads = [
            delayed(self.load)(group, self.can_widen, dask_key_name=self._key("load", k))
            for k, group in enumerate(grouped(pieces, most))
        ]
        self.loaded: list[Future] = self.client.compute(loads)
        self.summaries: list[Summary] = self.results("summary", self.summarise)
        self.labels = [label for summary in self.summaries for label in summary.labels]
        self.present = [k for k, part in enumerate(self.summaries) if part.n_present > 0]

    def on_each(
        self,
        name: str,
        task: Callable[..., Any],
        *arguments: Any,
        chosen: Sequence[int] | None = None,
        parts: Sequence[Future] | None = None,
        **how: Any,
    ) -> list[Future]:
        """Have a task carried out for each part as loaded, or for some, or for other ``parts``."""
        parts = self.loaded if parts is None else parts
        return [
            self.client.submit(task, parts[k], *arguments, key=self._key(name, k), **how)
            for k in (range(len(parts)) if chosen is None else chosen)
        ]

    def results(self, name: str, task: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return what a task gives for each part."""
        return self.crew.wait(self.on_each(name, task, *arguments))

    def width(self) -> int:
        """Return the number of columns of parts that have samples and belong together."""
        return common_width(self.summaries, self.can_widen, self.wanted)

    def shares(self) -> list[float]:
        """Return what the samples of each part that has any weigh, of sum 1."""
        present = [self.summaries[k] for k in self.present]
        largest = max(summary.largest_weight for summary in present)
        weights = [summary.weight * (summary.largest_weight / largest) for summary in present]
        return [weight / math.fsum(weights) for weight in weights]

    def class_counts(self) -> list[int]:
        """Return how many samples of all parts are of each class, the classes in order."""
        total = Counter[Any]()
        for summary in self.summaries:
            total.update(dict(zip(summary.labels, summary.counts, strict=True)))
        return [total[label] for label in ordered(self.labels)]

    def two_classes(self) -> NDArray[Any]:
        """Return the two labels, in order, of all parts."""
        different = ordered(self.labels)
        if len(different) == 1:
            raise ValueError(f"y has one class only, {different[0]}: two are needed")
        if len(different) != 2:
            raise ValueError(f"y must have exactly two classes, got {len(different)}")
        return np.array(different)

    def release(self) -> None:
        """Let the workers drop the rows as loaded; what was made of them stays."""
        self.loaded = []

    def _key(self, name: str, k: int) -> str:
        return f"tauboost-{name}-{self.token}-{k}"


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


def ordered(labels: Sequence[Any]) -> list[Any]:
    """Return the different labels of all parts, in order."""
    try:
        return sorted(set(labels))
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise TypeError(
            f"y must hold labels of one type that can be ordered, got {kinds}"
        ) from None
