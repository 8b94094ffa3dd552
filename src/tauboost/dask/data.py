"""What a data set may be for ``tauboost.dask``, seen as one list of pieces that tasks can load.

A tuple is one data set, (X, y) or (X, y, sample_weight); a list is parts of one; a store is itself.
Nothing is loaded here: the driver never holds the data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from dask import delayed
from dask.delayed import Delayed
from distributed import Future

from ..io import load_svmlight
from ..io.text_files import read_texts
from .loading import read_range, take_rows

__all__ = ["as_pieces", "grouped", "svmlight_ranges", "text_files"]

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
