"""The data that a plan is about: how large they are, and rows of them in memory.

What is in memory is looked at whole, and so are files that are read within the time allowed. Of
others some rows are read: the first ones of a text, slices from all over a store.
"""

from __future__ import annotations

import math
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
from ..io import Store, is_store, open_store, source
from ..io.conversion import kind_of
from ..io.svmlight import svmlight_blocks
from ..io.tables import is_table_file
from ..problem import Problem
from ..solvers.exact import Shape
from ..sparse.design import is_wide, without_unused_features
from ..validation import (
    CsrArrays,
    as_csr,
    check_values,
    check_weights,
    encode_labels,
    refuse_dask,
    refuse_missing_labels,
)

__all__ = ["LOSS", "Data", "Rows", "sample_data"]


WHAT_IT_TAKES = "plan takes the path of an svmlight file or of a store, (X, y), or a tb.Problem"
LOSS = "logistic"  # of a default fit
# A store with more entries is not looked at whole (a second or more); what is read of it.
MOST_ENTRIES, SLICE_ENTRIES, N_SLICES = 2**25, 2**22, 64
# Where the largest index of half the rows is below this share of that of all, the number of
# features is known: they are not numbered in the order in which they turn up.
STILL_GROWING = 0.95
# Rows are drawn in runs, and this number of every class: a validation set has rows of each.
RUN_LENGTH, FEWEST_OF_A_CLASS = 32, 20


@dataclass(frozen=True)
class Rows:
    """Checked rows in memory, the numbers of their classes, and their weights, none of them 0."""

    arrays: CsrArrays
    codes: NDArray[np.intp]
    n_classes: int
    weights: Vector

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return self.arrays.nnz

    def some(self, n_entries: float) -> Rows:
        """Draw rows, of every class, with about this number of entries, or return all."""
        if n_entries >= self.nnz:
            return self
        n_runs = -(-len(self.codes) // RUN_LENGTH)
        keep = np.zeros((n_runs, RUN_LENGTH), dtype=bool)
        size = max(1, round(n_runs * n_entries / self.nnz))
        keep[np.random.default_rng(0).choice(n_runs, size, replace=False)] = True
        keep = keep.ravel()[: len(self.codes)]
        for code in range(self.n_classes):
            keep[np.flatnonzero(self.codes == code)[:FEWEST_OF_A_CLASS]] = True
        arrays = self.arrays.select(keep)
        return Rows(arrays, self.codes[keep], self.n_classes, self.weights[keep])

    def problem(self, n_threads: int) -> Problem:
        """Return the problem of the last class against the others."""
        is_last = self.codes == self.n_classes - 1
        return Problem(
            self.arrays, is_last, self.weights, loss=LOSS, fit_intercept=True, n_threads=n_threads
        )


@dataclass(frozen=True)
class Data:
    """How large all data are, and the rows of them that are in memory."""

    name: str
    shape: Shape
    width: int  # columns as given: ``shape`` and ``rows`` leave empty ones out if they are far more
    omega: int  # the most entries of a row
    rows: Rows | None = None
    n_used: int = 0  # columns with entries
    share: float = 1.0  # of all rows that are in memory
    check_seconds: float = 0.0  # of X as it was given
    read_seconds: float = 0.0
    how_read: str = ""
    data_bytes: int = 0  # of X in memory


def sample_data(data: Any, seconds: float, n_threads: int, progress: bool) -> Data:
    """Sample a file, a store, or (X, y) with or without weights."""
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if not (path.is_dir() or is_store(path)):
            return sample_file(path, seconds, n_threads, progress)
        data = open_store(path)
    if isinstance(data, Store):
        return sample_store(data, progress)
    if not isinstance(data, tuple | list) or len(data) not in (2, 3):
        raise TypeError(f"{WHAT_IT_TAKES}, got {shown(data)}")
    X, y, *weights = data
    refuse_dask(y, "y")
    if isinstance(X, Store) and y is None:
        return sample_store(X, progress)
    began = time.perf_counter()
    arrays = as_csr(X)
    spent = time.perf_counter() - began
    found = checked("", arrays, np.asarray(y), weights[0] if weights else None)
    return replace(found, check_seconds=spent, data_bytes=size_of(X))


def sample_store(store: Store, progress: bool) -> Data:
    """Read a small store whole, slices from all over a large one."""
    name, (m, n), began = store.path.name, store.shape, time.perf_counter()
    if store.nnz <= MOST_ENTRIES:
        arrays = as_csr(store)
        spent = time.perf_counter() - began
        found = checked(name, arrays, np.asarray(store.y))
        return replace(found, read_seconds=spent, how_read="measured: opened")
    from scipy import sparse  # noqa: PLC0415

    size = max(1, round(SLICE_ENTRIES * m / store.nnz / N_SLICES))
    starts, blocks = np.linspace(0, m - size, N_SLICES).astype(int), []
    with progress_bar("looking", N_SLICES, "slices", visible=progress) as show:
        for k, start in enumerate(starts):
            blocks.append(store.rows(int(start), int(start) + size))
            show(k + 1)
    rows = (starts[:, None] + np.arange(size)).ravel()
    share = len(rows) / m
    arrays = as_csr(sparse.vstack(blocks, format="csr"))
    found = checked(name, arrays, np.asarray(store.y[rows]), share=share)
    spent = time.perf_counter() - began
    store.release_memory()
    has_all_columns = found.rows is not None and found.rows.arrays.shape[1] == n
    columns = n if has_all_columns else min(found.shape.n, n)
    return replace(
        found,
        shape=Shape(m, columns, store.nnz),
        n_used=min(found.n_used, n),
        width=n,
        read_seconds=spent * store.nnz / max(arrays.nnz, 1),
        how_read=f"from slices that hold {share:.2g} of its rows",
    )


def sample_file(path: Path, seconds: float, n_threads: int, progress: bool) -> Data:
    """Read an svmlight file as far as there is time, and until two labels have been seen."""
    size = path.stat().st_size  # says so where there is none
    if is_table_file(path) or kind_of(path) != "svmlight":
        raise ValueError(
            f"{path}: {WHAT_IT_TAKES}; for a table or texts, time a fit on some of the rows"
        )
    if not path.is_file() or size == 0:
        raise ValueError(f"{path}: plan reads a file twice, which this one does not allow")
    blocks, labels, began = [], set(), time.perf_counter()
    with progress_bar(f"reading {path.name}", size, "MB", visible=progress, scale=1e6) as show:
        for block in svmlight_blocks(
            path, zero_based="auto", n_threads=n_threads, block_bytes=source.PART_BYTES
        ):
            blocks.append(block)
            labels |= set(block.y.tolist())
            spent = time.perf_counter() - began
            show(block.bytes_read)
            if spent > seconds and len(labels) > 1:
                break
    share = min(1.0, blocks[-1].bytes_read / size)
    first = int(all(block.smallest_index != 0 for block in blocks))  # what indices count from
    width = 1 + max(block.largest_index or first for block in blocks) - first
    index = np.int32 if width < 2**31 - 1 else np.int64
    indices = np.concatenate([block.indices for block in blocks]) - first
    values = None
    if any(block.data is not None for block in blocks):
        data = (np.ones(len(b.indices)) if b.data is None else b.data for b in blocks)
        values = np.concatenate(list(data))
        check_values(values)
    indptr = np.append(0, np.cumsum(np.concatenate([np.diff(block.indptr) for block in blocks])))
    arrays = CsrArrays(indptr, indices.astype(index), values, (len(indptr) - 1, width))
    y = np.concatenate([block.y for block in blocks])
    return replace(
        checked(path.name, arrays, y, share=share),
        read_seconds=spent / share,
        how_read="measured" if share == 1.0 else f"measured on the first {share:.0%} of it",
        data_bytes=round(size_of(arrays) / share),
    )


def size_of(X: Any) -> int:
    """Return the memory of a matrix; that of a store counts as none."""
    names = ("data", "indices", "indptr") if hasattr(X, "indptr") else ("nbytes",)
    found = (getattr(X, name, None) for name in names)
    return sum(int(getattr(array, "nbytes", array)) for array in found if array is not None)


def checked(
    name: str, arrays: CsrArrays, y: NDArray[Any], weight: Any = None, *, share: float = 1.0
) -> Data:
    """Check rows that are this share of all, and predict the size of all.

    Columns that occur grow as a power of the rows (Heaps' law), whose exponent half of the rows
    show. If the largest index grows too, features are numbered as they come; else it is known.
    """
    refuse_missing_labels(y)
    width = arrays.shape[1]
    if is_wide(width, int(arrays.nnz / share)):
        arrays, _ = without_unused_features(arrays)
    if y.shape != arrays.shape[:1]:
        raise ValueError(
            f"y has shape {y.shape}, but X has {arrays.shape[0]} samples: one label each"
        )
    classes, codes = encode_labels(y)
    weights = check_weights(weight, len(y))
    if not weights.all():
        kept = weights > 0
        arrays, codes, weights = arrays.select(kept), codes[kept], weights[kept]

    def used_by(n_rows: int) -> NDArray[np.intp]:
        used = np.zeros(arrays.shape[1], dtype=bool)
        with arrays.reading():
            for part in arrays.parts:
                used[part.indices[: part.indptr[n_rows]]] = True
        return np.flatnonzero(used)

    (m, n), nnz, n_used = arrays.shape, arrays.nnz, len(used_by(len(codes)))
    omega = int(np.diff(arrays.row_ends()).max())
    if share < 1.0:
        early = used_by(m // 2)
        exponent = math.log2(max(n_used, 1) / max(len(early), 1))
        growth = share ** -min(1.0, max(0.0, exponent))
        m, nnz = round(m / share), round(nnz / share)
        n = round(n * growth) if early.max(initial=0) >= STILL_GROWING * n - 1 else n
        n_used = min(round(n_used * growth), n)
    rows = Rows(arrays, codes, len(classes), weights)
    return Data(name, Shape(m, n, nnz), max(width, n), omega, rows, n_used, share)
