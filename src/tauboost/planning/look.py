"""A quick look at data: their size, and rows of them in memory to measure on.

What is in memory is looked at whole, and so are files that are read within the time allowed. Of
others some rows are read: the first ones of a text, slices from all over a store.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..base.progress import progress_bar
from ..design.wide import is_wide, without_unused_features
from ..io import Store, is_store, open_store, source
from ..io.inputs import kind_of
from ..io.svmlight import Block, svmlight_blocks
from ..io.table_files import is_table_file
from ..validation import (
    CsrArrays,
    as_csr,
    check_values,
    check_weights,
    encode_labels,
    refuse_dask,
    refuse_missing_labels,
)
from .rows import Rows, Size

__all__ = ["Look", "look_at"]

WHAT_IT_TAKES = "plan takes the path of an svmlight file or of a store, (X, y), or a tb.Problem"
# A store with more entries is not looked at whole: reading it would take a second or more.
MOST_ENTRIES = 2**25
# What is read of one, in so many slices.
SLICE_ENTRIES, N_SLICES = 2**22, 64
# The largest index of half the rows at hand is below this share of that of all of them only if
# features are numbered in the order in which they turn up.
STILL_GROWING = 0.95


@dataclass(frozen=True)
class Look:
    """Rows in memory, and how large all data are."""

    name: str
    rows: Rows
    size: Size
    width: int  # columns as given; ``size`` and ``rows`` leave empty ones out if they are far more
    share: float = 1.0  # of all rows that are at hand
    check_seconds: float = 0.0  # of X as it was given
    read_seconds: float = 0.0
    how_read: str = ""
    data_bytes: int = 0  # of X in memory

    @property
    def is_whole(self) -> bool:
        """Whether all rows are at hand."""
        return self.share == 1.0

    @property
    def omega(self) -> int:
        """The most entries of a row."""
        return int(np.diff(self.rows.arrays.row_ends()).max())


def look_at(data: Any, seconds: float, n_threads: int, *, progress: bool = False) -> Look:
    """Look at a file, a store, or (X, y) with or without weights."""
    if isinstance(data, Store):
        return _look_at_store(data, progress)
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if path.is_dir() or is_store(path):
            return _look_at_store(open_store(path), progress)
        return _look_at_file(path, seconds, n_threads, progress)
    if not isinstance(data, tuple | list) or len(data) not in (2, 3):
        raise TypeError(f"{WHAT_IT_TAKES}, got {shown(data)}")
    X, y, *weights = data
    refuse_dask(y, "y")
    if isinstance(X, Store) and y is None:
        return _look_at_store(X, progress)
    began = time.perf_counter()
    arrays = as_csr(X)
    spent = time.perf_counter() - began
    look = _whole("", arrays, np.asarray(y), weights[0] if weights else None)
    return replace(look, check_seconds=spent, data_bytes=_bytes_of(X))


def _whole(
    name: str, arrays: CsrArrays, y: NDArray[Any], sample_weight: Any = None, share: float = 1.0
) -> Look:
    """Look at rows that are this share of all."""
    refuse_missing_labels(y)
    width = arrays.shape[1]
    if is_wide(width, int(arrays.nnz / share)):
        arrays, _ = without_unused_features(arrays)
    m = arrays.shape[0]
    if y.shape != (m,):
        raise ValueError(f"y has shape {y.shape}, but X has {m} samples: one label each")
    classes, codes = encode_labels(y)
    weights = check_weights(sample_weight, m)
    if not weights.all():
        present = weights > 0
        arrays, codes, weights = arrays.select(present), codes[present], weights[present]
    rows = Rows(arrays, codes, len(classes), weights)
    return Look(name, rows, rows.size, width)


def _bytes_of(X: Any) -> int:
    """Return the memory of a matrix; that of a store counts as none."""
    names = ("data", "indices", "indptr") if hasattr(X, "indptr") else ("nbytes",)
    found = (getattr(X, name, None) for name in names)
    return sum(int(getattr(array, "nbytes", array)) for array in found if array is not None)


# Stores.


def _look_at_store(store: Store, progress: bool) -> Look:
    name = store.path.name
    began = time.perf_counter()
    if store.nnz <= MOST_ENTRIES:
        arrays = as_csr(store)
        seconds = time.perf_counter() - began
        look = _whole(name, arrays, np.asarray(store.y))
        return replace(look, read_seconds=seconds, how_read="measured: opened")
    from scipy import sparse  # noqa: PLC0415

    m = store.shape[0]
    size = max(1, round(SLICE_ENTRIES * m / store.nnz / N_SLICES))
    starts = np.linspace(0, m - size, N_SLICES).astype(int)
    blocks = []
    with progress_bar("looking", N_SLICES, "slices", visible=progress) as show:
        for k, start in enumerate(starts):
            blocks.append(store.rows(int(start), int(start) + size))
            show(k + 1)
    rows = np.concatenate([np.arange(start, start + size) for start in starts])
    share = len(rows) / m
    arrays = as_csr(sparse.vstack(blocks, format="csr"))
    look = _whole(name, arrays, np.asarray(store.y[rows]), share=share)
    seconds = time.perf_counter() - began
    store.release_memory()
    grown = _grown(look.rows, share)
    n = grown.n if look.size.n < look.width else look.width
    return replace(
        look,
        size=Size(m, n, store.nnz, min(grown.n_used, look.width)),
        share=share,
        read_seconds=seconds * store.nnz / max(look.size.nnz, 1),
        how_read=f"from slices that hold {share:.2g} of its rows",
    )


# Files.


def _look_at_file(path: Path, seconds: float, n_threads: int, progress: bool) -> Look:
    if is_table_file(path) or not path.exists() or kind_of(path) != "svmlight":
        path.stat()  # says so where there is none
        raise ValueError(
            f"{path}: {WHAT_IT_TAKES}; for a table or texts, time a fit on some of the rows"
        )
    size = path.stat().st_size
    if not path.is_file() or size == 0:
        raise ValueError(f"{path}: plan reads a file twice, which this one does not allow")
    blocks: list[Block] = []
    began = time.perf_counter()
    spent = 0.0
    with progress_bar(f"reading {path.name}", size, "MB", visible=progress, scale=1e6) as show:
        for block in svmlight_blocks(
            path, zero_based="auto", n_threads=n_threads, block_bytes=source.PART_BYTES
        ):
            blocks.append(block)
            spent = time.perf_counter() - began
            show(block.bytes_read)
            if spent > seconds and _two(blocks):
                break
    share = min(1.0, blocks[-1].bytes_read / size)
    look = _whole(path.name, *_joined(blocks), share=share)
    if share < 1.0:
        grown = _grown(look.rows, share)
        look = replace(look, size=grown, width=max(grown.n, look.width), share=share)
        how = f"measured on the first {share:.0%} of it"
    else:
        how = "measured"
    n_bytes = sum(_bytes_of(part) for part in look.rows.arrays.parts) / share
    return replace(look, read_seconds=spent / share, how_read=how, data_bytes=round(n_bytes))


def _two(blocks: list[Block]) -> bool:
    """Tell whether more than one label has been seen."""
    return len({*np.unique(np.concatenate([block.y for block in blocks])).tolist()}) > 1


def _joined(blocks: list[Block]) -> tuple[CsrArrays, NDArray[np.float64]]:
    """Make one matrix of the blocks read so far."""
    y = np.concatenate([block.y for block in blocks])
    sizes = np.cumsum([0, *(len(block.indices) for block in blocks)])
    ends = [block.indptr[1:] + size for block, size in zip(blocks, sizes, strict=False)]
    indices = np.concatenate([block.indices for block in blocks])
    data = None
    if any(block.data is not None for block in blocks):
        data = np.concatenate([_values(block) for block in blocks])
        check_values(data)
    largest = max((block.largest_index or 0 for block in blocks), default=0)
    if all(block.smallest_index is None or block.smallest_index > 0 for block in blocks):
        indices, largest = indices - 1, max(largest - 1, 0)  # the file counts from 1
    index = np.int32 if largest < 2**31 - 2 else np.int64
    arrays = CsrArrays(
        np.concatenate([[0], *ends]), indices.astype(index), data, (len(y), largest + 1)
    )
    return arrays, y


def _values(block: Block) -> Vector:
    return np.ones(len(block.indices)) if block.data is None else block.data


def _grown(rows: Rows, share: float) -> Size:
    """Say of all rows what some of them let expect.

    Columns that occur grow as a power of the rows (Heaps' law), whose exponent half of the rows
    tell. If the largest index grows too, features are numbered as they come; else it is known.
    """
    m, n = rows.arrays.shape
    counts = np.zeros(n, dtype=np.int64)
    largest = 0
    for part in rows.arrays.parts:
        indices = part.indices[: part.indptr[m // 2]]
        counts += np.bincount(indices, minlength=n)
        largest = max(largest, int(indices.max(initial=0)) + 1)
    size = rows.size
    exponent = np.log2(max(size.n_used, 1) / max(int(np.count_nonzero(counts)), 1))
    growth = share ** -min(1.0, max(0.0, float(exponent)))
    n_features = round(n * growth) if largest < STILL_GROWING * n else n
    n_used = min(round(size.n_used * growth), n_features)
    return Size(round(size.m / share), n_features, round(size.nnz / share), n_used)
