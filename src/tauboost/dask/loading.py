"""What a data set may be for ``tauboost.dask``, seen as one list of pieces that tasks can load.

A tuple is one data set, (X, y) or (X, y, sample_weight); a list is parts of one; a store is itself.
Nothing is loaded here: the driver never holds the data.
"""

from __future__ import annotations

import math
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from dask import delayed
from dask.delayed import Delayed
from distributed import Client, Future, default_client
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..io import load_svmlight
from ..io.texts import read_texts
from ..validation import as_csr, check_count, check_vector, labels_of, refuse_missing_labels
from .actors import ActorPool

__all__ = [
    "LoadedPart",
    "LoadedParts",
    "Summary",
    "as_pieces",
    "check_beside",
    "check_client",
    "common_width",
    "found_features",
    "grouped",
    "joined_weights",
    "load_part",
    "ordered",
    "read_range",
    "split_piece",
    "summarise",
    "summary_of",
    "svmlight_ranges",
    "take_rows",
    "text_files",
    "used_features",
    "with_features",
]


# Tasks that load the rows of a part on a worker: whatever they come as, one CSR and labels.
#
# Pieces are (X, y) or (X, y, sample_weight); X may be dense, sparse or a data frame.


# Labels of which there are more are no classes.
MOST_LABELS = 1000


@dataclass(frozen=True)
class LoadedPart:
    """The rows of a part, as loaded."""

    X: Any  # CSR
    y: NDArray[Any]
    sample_weight: Vector | None

    def widened(self, n_features: int, used: NDArray[np.intp] | None = None) -> Any:
        """Return X with empty columns up to ``n_features``, or with the ``used`` ones only."""
        X, indices = self.X, self.X.indices
        if used is not None:
            indices, n_features = np.searchsorted(used, indices), len(used)
            # Rows of weight 0 may have features that no other row has; they are left out anyway.
            indices = np.minimum(indices, n_features - 1)
        elif X.shape[1] == n_features:
            return X
        return sp.csr_array((X.data, indices, X.indptr), shape=(X.shape[0], n_features))

    @property
    def present(self) -> Any:
        """The rows of X whose weight is positive."""
        return self.X if self.sample_weight is None else self.X[self.sample_weight > 0]


@dataclass(frozen=True)
class Summary:
    """What the driver has to know of a part before it can be built."""

    n_samples: int
    n_present: int  # samples whose weight is positive
    n_features: int
    nnz: int  # of these
    labels: list[Any]  # the different ones, at most MOST_LABELS
    counts: list[int]  # samples of each of these
    largest_weight: float
    weight: float  # the sum of weights, over the largest


def load_part(pieces: Sequence[Any], can_widen: bool) -> LoadedPart:
    """Put the pieces of a part together."""
    loaded = [_as_piece(piece) for piece in pieces]
    widths = sorted({piece.X.shape[1] for piece in loaded})
    if len(widths) > 1:
        if not can_widen:
            raise ValueError(f"the parts have different numbers of columns: {widths}")
        loaded = [replace(piece, X=piece.widened(widths[-1])) for piece in loaded]
    if len(loaded) == 1:
        return loaded[0]
    return LoadedPart(
        sp.vstack([piece.X for piece in loaded], format="csr"),
        np.concatenate([piece.y for piece in loaded]),
        joined_weights([piece.sample_weight for piece in loaded]),
    )


def joined_weights(weights: Sequence[Vector | None]) -> Vector | None:
    """Return the weights of pieces as one vector, if they have any."""
    given = [weight for weight in weights if weight is not None]
    if given and len(given) < len(weights):
        raise ValueError("sample_weight: some pieces have weights and others have none")
    return np.concatenate(given) if given else None


def _as_piece(piece: Any) -> LoadedPart:
    X, y, sample_weight = split_piece(piece)
    X, y = _checked_rows(X), labels_of(y)
    return LoadedPart(X, y, check_beside(y, sample_weight, X.shape[0]))


def split_piece(piece: Any) -> tuple[Any, Any, Any]:
    """Return X, y and sample_weight, or None, of a piece, also where these are columns of X."""
    if not isinstance(piece, tuple | list) or len(piece) not in {2, 3}:
        raise TypeError(
            "a part must be (X, y) or (X, y, sample_weight), got an object of type "
            f"{type(piece).__name__}"
        )
    X, y, sample_weight = (*piece, None)[:3]
    if isinstance(y, str):
        X, y = _without_column(X, y)
    if isinstance(sample_weight, str):
        X, sample_weight = _without_column(X, sample_weight)
    return X, y, sample_weight


def check_beside(y: NDArray[Any], sample_weight: Any, n_samples: int) -> Vector | None:
    """Check the lengths of labels and weights, and return the weights."""
    if y.ndim != 1 or len(y) != n_samples:
        raise ValueError(f"y has shape {y.shape}, but X has {n_samples} samples")
    return (
        None if sample_weight is None else check_vector(sample_weight, n_samples, "sample_weight")
    )


def _checked_rows(X: Any) -> Any:
    """Return X as a CSR array; unlike a whole data set, a piece of one may have no rows."""
    shape = np.shape(X)
    if len(shape) == 2 and shape[0] == 0 and shape[1] > 0:
        return sp.csr_array(shape)
    return as_csr(X).to_scipy()


def _without_column(frame: Any, name: str) -> tuple[Any, Any]:
    if not hasattr(frame, "columns"):
        kind = type(frame).__name__
        raise TypeError(f"{name!r} names a column, but X is no data frame: it is a {kind}")
    if name not in frame.columns:
        raise ValueError(f"the data frame has no column {name!r}")
    return frame.drop(columns=name), frame[name]


def summarise(loaded: LoadedPart) -> Summary:
    """Summarize the labels and the weights of a part."""
    nnz = int(loaded.present.nnz)
    return summary_of(loaded.y, loaded.sample_weight, loaded.X.shape[1], nnz)


def summary_of(
    labels: NDArray[Any], weights: Vector | None, n_features: int, nnz: int = 0
) -> Summary:
    """Return the summary of a part with these labels and weights."""
    n_samples, y = len(labels), labels
    if weights is None:
        n_present, largest, weight = n_samples, float(n_samples > 0), float(n_samples)
    else:
        if np.any(weights < 0):
            raise ValueError(f"sample_weight must not be negative, got {weights.min():g}")
        y = labels[weights > 0]
        n_present, largest = len(y), float(weights.max(initial=0.0))
        weight = float((weights / largest).sum()) if largest > 0 else 0.0
    refuse_missing_labels(y)
    if y.dtype.kind in "biuf":
        kinds, counts = (found.tolist()[:MOST_LABELS] for found in np.unique(y, return_counts=True))
    else:
        found = Counter(y.tolist())
        kinds, counts = list(found)[:MOST_LABELS], list(found.values())[:MOST_LABELS]
    return Summary(n_samples, n_present, n_features, nnz, kinds, counts, largest, weight)


def used_features(loaded: LoadedPart) -> NDArray[np.intp]:
    """Return the features that a row of positive weight has, in order."""
    return np.unique(loaded.present.indices).astype(np.intp)


def found_features(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return the features that any part has, in order; a matrix has one column at least."""
    return np.unique(np.concatenate(parts)) if any(map(len, parts)) else np.arange(1)


def with_features(loaded: LoadedPart, features: NDArray[np.intp]) -> LoadedPart:
    """Return a part with the features that a row of positive weight has, numbered anew."""
    return replace(loaded, X=loaded.widened(len(features), features))


def read_range(
    path: str, start: int, stop: int, n_features: int | None
) -> tuple[Any, NDArray[np.float64]]:
    """Read the lines of a plain svmlight file that begin within a range of bytes."""
    with Path(path).open("rb") as file:
        if start > 0:  # a line that begins exactly here is ours
            file.seek(start - 1)
            file.readline()
        text = file.read(max(stop - file.tell(), 0))
        if text and not text.endswith(b"\n"):
            text += file.readline()
    if not any(line.partition(b"#")[0].strip() for line in BytesIO(text)):
        return sp.csr_array((0, n_features or 1)), np.empty(0)
    lines = BytesIO(text)
    lines.name = f"{path}, bytes {start} to {stop}"
    return load_svmlight(lines, n_features=n_features, zero_based=False)


def take_rows(store: Any, start: int, stop: int) -> tuple[Any, Any]:
    """Read some rows of a store."""
    return store.rows(start, stop), store.y[start:stop]


ACCEPTED = (
    "data must be a tuple (X, y) or (X, y, sample_weight) of dask collections, a list of parts "
    "(delayed or futures of (X, y), svmlight files, ranges (path, start, stop) of one) or a store"
)


def as_pieces(
    data: Any, n_features: int | None, n_parts: int, n_dims: int = 2
) -> tuple[list[Any], bool]:
    """Return the pieces, and whether they may differ in the number of columns, as files do."""
    if isinstance(data, tuple) and len(data) in {2, 3}:
        return _pieces_of(n_dims, *data), False
    if hasattr(data, "rows") and hasattr(data, "shape"):
        cuts = np.linspace(0, data.shape[0], n_parts + 1).astype(int).tolist()
        rows = delayed(take_rows)
        return [rows(data, a, b) for a, b in pairwise(cuts) if a < b], False
    if not isinstance(data, list):
        raise TypeError(f"{ACCEPTED}; got {type(data).__name__}")
    if not data:
        raise ValueError("data is an empty list: at least one part is needed")
    pieces = [_piece(part, n_features) for part in data]
    return pieces, any(isinstance(part, str | os.PathLike) or _is_range(part) for part in data)


def grouped(pieces: Sequence[Any], n_parts: int) -> list[list[Any]]:
    """Gather neighbouring pieces into at most ``n_parts`` parts."""
    cuts = np.linspace(0, len(pieces), min(n_parts, len(pieces)) + 1).astype(int).tolist()
    return [list(pieces[a:b]) for a, b in pairwise(cuts)]


def svmlight_ranges(path: str | os.PathLike[str], n_parts: int) -> list[tuple[str, int, int]]:
    r"""Cut a plain svmlight file into ranges of bytes, for workers that can all read it.

    A line belongs to the range in which it begins; every line is read once.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tauboost.dask
    >>> _ = Path("two.svm").write_text("1 2:1\n-1 3:1\n")
    >>> tauboost.dask.svmlight_ranges("two.svm", 2)
    [('two.svm', 0, 6), ('two.svm', 6, 13)]
    """
    size = Path(path).stat().st_size
    cuts = [size * k // n_parts for k in range(n_parts + 1)]
    return [(str(path), a, b) for a, b in pairwise(cuts) if a < b]


def text_files(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    text: str | None = None,
    label: str | None = None,
    *,
    kind: str | None = None,
) -> list[Delayed]:
    r"""Return files of texts as parts for ``TextClassifier``, each to be read by a worker.

    JSON lines, CSV, TSV, Parquet, Arrow or fastText's lines; ``text`` and ``label`` name the field
    or column that holds them, where there are names. Every worker must be able to read the files.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tauboost.dask
    >>> lines = ('{"text": "a good film", "stars": 5}\n{"text": "so bad", "stars": 1}\n') * 9
    >>> _ = Path("a.jsonl").write_text(lines), Path("b.jsonl").write_text(lines)
    >>> parts = tauboost.dask.text_files(["a.jsonl", "b.jsonl"], text="text", label="stars")
    >>> len(parts)  # for tauboost.dask.TextClassifier(client=client).fit(parts)
    2
    """
    if isinstance(files, str | os.PathLike):
        files = [files]
    read = delayed(read_texts)
    return [read([os.fspath(file)], text, label, kind=kind) for file in files]


def _piece(part: Any, n_features: int | None) -> Any:
    if isinstance(part, str | os.PathLike):
        return delayed(load_svmlight)(str(part), n_features=n_features, zero_based=False)
    if _is_range(part):
        return delayed(read_range)(*part, n_features)
    if isinstance(part, Delayed | Future) or (isinstance(part, tuple) and len(part) in {2, 3}):
        return part
    raise TypeError(f"{ACCEPTED}; got a part of type {type(part).__name__}")


def _is_range(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 3 and isinstance(part[0], str | os.PathLike)


def _pieces_of(n_dims: int, X: Any, y: Any, sample_weight: Any = None) -> list[Any]:
    blocks, sizes = _blocks(X, "X", n_dims)
    ys = _beside(y, "y", blocks, sizes)
    if sample_weight is None:
        return list(zip(blocks, ys, strict=True))
    weights = _beside(sample_weight, "sample_weight", blocks, sizes)
    return list(zip(blocks, ys, weights, strict=True))


def _blocks(X: Any, name: str, n_dims: int = 1) -> tuple[list[Any], list[int] | None]:
    """Return the blocks of rows of a collection, and how many rows each has, if that is known."""
    if not hasattr(X, "to_delayed"):
        raise TypeError(f"{ACCEPTED}; got {name} of type {type(X).__name__}")
    if not hasattr(X, "chunks"):  # a data frame or series
        return X.to_delayed(), None
    if X.ndim == 2 and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if name == "X" and X.ndim != n_dims:
        wanted = "two dimensions (samples, features)" if n_dims == 2 else "one dimension"
        raise ValueError(f"X must have {wanted}, got {X.ndim}")
    sizes = list(X.chunks[0])
    return X.to_delayed().ravel().tolist(), None if np.isnan(sum(sizes)) else sizes


def _beside(column: Any, name: str, blocks: list[Any], sizes: list[int] | None) -> list[Any]:
    """Cut a vector over rows as X is cut."""
    if isinstance(column, str):  # of the data frame
        return [column] * len(blocks)
    if hasattr(column, "rechunk") and sizes is not None:
        if column.ndim != 1 or column.shape[0] != sum(sizes):
            raise ValueError(f"{name} has shape {column.shape}, but X has {sum(sizes)} samples")
        column = column.rechunk((tuple(sizes),))
    if hasattr(column, "to_delayed"):
        parts, _ = _blocks(column, name)
        if len(parts) != len(blocks):
            raise ValueError(f"{name} has {len(parts)} chunks of rows, but X has {len(blocks)}")
        return parts
    vector = np.asarray(column)
    if sizes is None:
        raise TypeError(
            f"{name} must be cut like X, whose chunks have unknown sizes: give a dask series or "
            "array, or the name of a column"
        )
    if vector.shape != (sum(sizes),):
        raise ValueError(f"{name} has shape {vector.shape}, but X has {sum(sizes)} samples")
    return np.split(vector, np.cumsum(sizes)[:-1])


# The rows of a data set, loaded in parts on the workers, and what these have in common.


class LoadedParts:
    """Futures of loaded parts, and a summary of each."""

    # The tasks that load a part from its pieces, and sum it up.
    load: Callable[..., Any] = staticmethod(load_part)
    summarise: Callable[..., Summary] = staticmethod(summarise)
    n_dims = 2  # of an array

    def __init__(
        self, pool: ActorPool, data: Any, n_features: int | None, n_parts: int | None
    ) -> None:
        self.client, self.pool, self.token = pool.client, pool, uuid.uuid4().hex[:8]
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
        return self.pool.wait(self.on_each(name, task, *arguments))

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
