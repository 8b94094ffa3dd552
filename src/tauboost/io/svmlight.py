"""Read svmlight (LIBSVM) text: one sample a line, ``label index:value index:value ...``.

The text may be plain or compressed with gzip, bzip2 or xz, in a file, a pipe or a stream. The
parser is compiled (cpp/parse/svmlight_reader.hpp) and takes the text in parts; here are the
options, the errors, and the way from rows to a matrix. What follows a ``#`` is a comment, and
``qid:...`` behind the label is ignored.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.messages import shown
from ..base.progress import progress_bar
from ..base.threads import resolve_threads
from .atomic import InTheMaking, new_file
from .source import LONGEST_LINE, Source, line_too_long, open_source

if TYPE_CHECKING:
    from scipy import sparse

__all__ = [
    "MOST_ENTRIES",
    "MOST_ROWS",
    "Block",
    "ParsedRows",
    "SvmlightWriter",
    "load_svmlight",
    "make_block",
    "read_rows",
    "row_ranges",
    "svmlight_blocks",
]


File: TypeAlias = str | os.PathLike[str] | BinaryIO
ZeroBased: TypeAlias = bool | Literal["auto"]

LONGEST_SHOWN = 60
PART_BYTES = 1 << 24  # many chunks for every thread: they wait for each other in each part


@dataclass(frozen=True, eq=False)
class ParsedRows:
    """All rows of a file, without values if every value is 1.

    Attributes
    ----------
    indptr : array of int64, one longer than there are rows
    indices : array of int32, or of int64 where an index needs it
        Counted from 0, increasing in each row.
    data : array of float64, or None
        None means that every value is 1.
    y : array of float64, the labels
    n_features : int
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32] | NDArray[np.int64]
    data: NDArray[np.float64] | None
    y: NDArray[np.float64]
    n_features: int

    def to_csr(self, n_threads: int = 1) -> sparse.csr_array:
        """Make a matrix of them, which has values in any case."""
        from scipy import sparse  # noqa: PLC0415

        data = self.data
        if data is None:
            data = np.empty(len(self.indices))
            _core.fill_with_ones(data, n_threads)
        shape = (len(self.y), self.n_features)
        # Short indices where they suffice: half the memory, and some libraries take no others.
        index = np.int32 if max(len(data), *shape) < 2**31 else np.int64
        indices, indptr = (array.astype(index, copy=False) for array in (self.indices, self.indptr))
        X = sparse.csr_array((data, indices, indptr), shape=shape)
        X.has_canonical_format = True  # else SciPy reads every index again to find that out
        return X


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a file that follow each other.

    Attributes
    ----------
    indptr : array of int64, one longer than there are rows
    indices : array of int32, or of int64 where an index of this block needs it
        Increasing in each row. Counted from 0 where ``zero_based`` says how the file counts; as
        written in the file where that is "auto".
    data : array of float64, or None
        None means that every value of this block is 1.
    y : array of float64, the labels
    bytes_read : int
        How far reading has come in the file, in bytes; compressed ones if it is compressed.
    smallest_index, largest_index : int, or None where the block has no entries
        Of ``indices``.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32] | NDArray[np.int64]
    data: NDArray[np.float64] | None
    y: NDArray[np.float64]
    bytes_read: int
    smallest_index: int | None
    largest_index: int | None


def load_svmlight(
    path: File,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
    n_threads: int | None = None,
    progress: bool = False,
) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    r"""Load an svmlight file.

    Parameters
    ----------
    path : str, path-like or binary file
        The file: plain, gz, bz2, xz or zst, recognised by its content. Pipes are fine.
    n_features : int, optional
        Number of columns, where it is known; None takes the largest index that occurs.
    zero_based : bool or "auto"
        Whether indices count from 0; "auto" means from 1 unless a 0 occurs.
    n_threads : int, optional
        None means every core this process may use. The result does not depend on it.
    progress : bool
        Whether to show a bar on the terminal when reading takes long.

    Returns
    -------
    X : scipy.sparse.csr_array of float64, indices sorted
    y : array of float64, the labels as written

    Raises
    ------
    ValueError
        Where the content is wrong; the message names file, line and column.
    OSError
        Where the file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tauboost as tb
    >>> _ = Path("three.svm").write_text("1 1:1 4:0.5\n-1 2:1\n1 1:2\n")
    >>> X, y = tb.load_svmlight("three.svm", n_features=300)
    >>> X.shape, X.nnz, y.tolist()
    ((3, 300), 4, [1.0, -1.0, 1.0])
    """
    n_threads = resolve_threads(n_threads)
    rows = read_rows(
        path, n_features=n_features, zero_based=zero_based, n_threads=n_threads, progress=progress
    )
    return rows.to_csr(n_threads), rows.y


def read_rows(
    path: File,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
    n_threads: int | None = None,
    progress: bool = False,
) -> ParsedRows:
    """Read a file as `load_svmlight` does, but leave out the values if all of them are 1."""
    n_threads = resolve_threads(n_threads)
    _check_n_features(n_features)
    _check_zero_based(zero_based)
    # Nearly all files count from 1. If "auto" finds a 0 after all, it adds the 1 again.
    base, least = int(zero_based is not True), int(zero_based is False)
    reader = _core.SvmlightReader(base, least, LONGEST_LINE)
    with open_source(path) as source:
        name = source.name
        title = f"reading {Path(name).name}"
        with progress_bar(title, source.size, "MB", visible=progress, scale=1e6) as show:
            for _, position in _feed(reader, source, n_threads):
                show(position)
    y, indptr, indices, data, smallest, largest = reader.take()
    if len(y) == 0:
        raise ValueError(f"{name}: no samples in this file")
    if zero_based == "auto" and smallest == 0:
        zero_based = True
        indices += 1
    found = 1 if largest is None else largest + int(zero_based is True)
    if n_features is not None and n_features < found:
        raise ValueError(f"{name}: has {found} features, more than n_features={n_features}")
    return ParsedRows(indptr, indices, data, y, found if n_features is None else int(n_features))


def svmlight_blocks(
    path: File,
    *,
    zero_based: ZeroBased,
    n_threads: int | None = None,
    block_bytes: int = 64 << 20,
) -> Iterator[Block]:
    r"""Read a file block by block, in memory that depends on the blocks and not on the file.

    Parameters
    ----------
    path, n_threads
        As for `load_svmlight`.
    zero_based : bool or "auto"
        Whether indices count from 0. With "auto", which is known only in the end, blocks have them
        as written; they count from 0 if the smallest of all ``smallest_index`` is 0.
    block_bytes : int
        Bytes of text, decompressed, in a block, approximately, in whole lines.

    Yields
    ------
    Block
        With at least one row.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tauboost.io import svmlight_blocks
    >>> _ = Path("many.svm").write_text("1 1:1 4:0.5\n-1 2:1\n" * 500)
    >>> blocks = svmlight_blocks("many.svm", zero_based=False, block_bytes=4000)
    >>> [len(block.y) for block in blocks]
    [420, 422, 158]
    """
    n_threads = resolve_threads(n_threads)
    _check_zero_based(zero_based)
    if isinstance(block_bytes, bool) or not isinstance(block_bytes, Integral):
        raise TypeError(f"block_bytes must be a positive integer, got {shown(block_bytes)}")
    if block_bytes < 1:
        raise ValueError(f"block_bytes must be at least 1, got {block_bytes}")
    return _blocks(path, zero_based, n_threads, int(block_bytes))


def _blocks(path: File, zero_based: ZeroBased, n_threads: int, block_bytes: int) -> Iterator[Block]:
    base = int(zero_based is False)
    reader = _core.SvmlightReader(base, base, LONGEST_LINE)

    def block(position: int) -> Block:
        y, indptr, indices, data, *written = reader.take()
        smallest, largest = (None if index is None else index - base for index in written)
        return Block(indptr, indices, data, y, position, smallest, largest)

    n_bytes = n_rows = position = 0
    with open_source(path) as source:
        for size, position in _feed(reader, source, n_threads, most=block_bytes):
            n_bytes += size
            if n_bytes >= block_bytes and reader.n_rows > 0:
                n_bytes, n_rows = 0, n_rows + reader.n_rows
                yield block(position)
        if reader.n_rows > 0:
            yield block(position)
        elif n_rows == 0:
            raise ValueError(f"{source.name}: no samples in this file")


def _feed(
    reader: _core.SvmlightReader, source: Source, n_threads: int, most: int = PART_BYTES
) -> Iterator[tuple[int, int]]:
    """Let the reader parse it all, yielding after each part its size and the place in the file."""
    for text, position in source.parts(PART_BYTES, n_threads):
        for start in range(0, len(text), most):
            part = text[start : start + most]
            reader.feed(part, n_threads)
            _check_content(reader, source.name)
            yield len(part), position
    reader.finish()
    _check_content(reader, source.name)


def _check_content(reader: _core.SvmlightReader, name: str) -> None:
    if reader.complaint is None:
        return
    fault, line, column, token, previous = reader.complaint
    if fault == "length":
        raise ValueError(f"{name}, line {line}: {line_too_long()}")
    raise ValueError(f"{name}, line {line}, column {column}: {_reason(fault, token, previous)}")


def _reason(fault: str, token: bytes, previous: int) -> str:
    text = token.decode(errors="replace")
    got = "got " + repr(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")
    index = text.partition(":")[0]
    if index == "qid":
        got += ": qid, the query of a ranking, may stand only right behind the label"
    if fault == "index" and index.startswith("-"):
        return f"an index must not be negative, {got}"
    if fault == "index" and not index.strip("+0"):
        return f"zero_based=False means that indices count from 1, {got}"
    return {
        "label": f"the label must be a finite number, {got}",
        "entry": f"expected index:value, {got}",
        "index": f"an index must be at most 2**63 - 2, {got}",
        "order": f"indices must increase from left to right, got {index} after {previous}",
        "value": f"the value must be a finite number, {got}",
    }[fault]


def _check_n_features(n_features: object) -> None:
    if n_features is None:
        return
    if isinstance(n_features, bool) or not isinstance(n_features, Integral):
        raise TypeError(f"n_features must be a positive integer or None, got {shown(n_features)}")
    if not 1 <= int(n_features) < 2**63:
        raise ValueError(f"n_features must be at least 1 and below 2**63, got {shown(n_features)}")


def _check_zero_based(zero_based: object) -> None:
    if zero_based != "auto" and not isinstance(zero_based, bool):
        raise ValueError(f"zero_based must be True, False or 'auto', got {shown(zero_based)}")


# Write svmlight text block by block: one sample a line, indices from 1.
#
# Numbers are written so that reading them gives the same bits. The text of a block is put
# together by NumPy: a token of fixed width for every entry, then all padding dropped at once.


class SvmlightWriter(InTheMaking):
    """A text file in the making, with the interface of `StoreWriter`."""

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.n_samples = self.nnz = 0
        self._overwrite = overwrite
        self._ones: NDArray[np.bytes_] = np.empty(0, dtype="S1")

    def _begin(self, stack: ExitStack) -> None:
        self._file = stack.enter_context(new_file(self.path, overwrite=self._overwrite))

    def append_arrays(
        self,
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[np.float64] | None,
        y: NDArray[np.float64],
    ) -> None:
        """Append a block of rows as CSR arrays; ``data=None`` says that every entry is 1."""
        if not len(y):
            return
        entries = self._entries(indices, data)
        labels, which = np.unique(y, return_inverse=True)
        starts = np.array([b"\n" + _number(label) for label in labels])[which]
        width = max(entries.itemsize, starts.itemsize)
        tokens = np.empty(len(entries) + len(y), dtype=f"S{width}")
        is_start = np.zeros(len(tokens), dtype=np.bool_)
        is_start[indptr[:-1] + np.arange(len(y))] = True
        tokens[is_start], tokens[~is_start] = starts, entries
        raw = tokens.view(np.uint8)
        self._file.write(raw[raw != 0][1:].tobytes() + b"\n")
        self.n_samples += len(y)
        self.nnz += len(indices)

    def _entries(
        self, indices: NDArray[Any], data: NDArray[np.float64] | None
    ) -> NDArray[np.bytes_]:
        """Return " index:value" for every entry."""
        n_columns = int(indices.max(initial=-1)) + 1
        if n_columns > len(self._ones):
            numbers = np.arange(1, n_columns + 1).astype("S10")
            self._ones = np.char.add(np.char.add(b" ", numbers), b":1")
        entries: NDArray[np.bytes_] = self._ones[indices]
        if data is None or np.all(data == 1.0):
            return entries
        others = np.flatnonzero(data != 1.0)
        pairs = zip(indices[others].tolist(), data[others].tolist(), strict=True)
        tokens = np.array([b" %d:" % (index + 1) + _number(value) for index, value in pairs])
        wide: NDArray[np.bytes_] = entries.astype(f"S{max(entries.itemsize, tokens.itemsize)}")
        wide[others] = tokens
        return wide


def _number(value: float) -> bytes:
    return repr(int(value) if value == int(value) else float(value)).encode()


# Blocks of rows, the currency between readers and the store.


# What is read at a time, unless one row alone is longer.
MOST_ROWS: Final = 2**16
MOST_ENTRIES: Final = 2**22


def make_block(
    indptr: NDArray[np.int64],
    indices: NDArray[Any],
    data: NDArray[np.float64] | None,
    y: NDArray[Any],
    bytes_read: int,
) -> Block:
    """Make a block of sound pointers, looking up its smallest and largest index."""
    lengths = [len(indices)] if data is None else [len(indices), len(data)]
    if indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]) or {int(indptr[-1])} != {*lengths}:
        raise ValueError("the lengths of rows, indices and values do not fit each other")
    ends = (int(indices.min()), int(indices.max())) if len(indices) else (None, None)
    return Block(indptr, indices, data, y.astype(np.float64, copy=False), bytes_read, *ends)


def row_ranges(indptr: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges with a limited number of rows and entries, at least one row each."""
    n_rows, start = len(indptr) - 1, 0
    while start < n_rows:
        stop = int(np.searchsorted(indptr, indptr[start] + MOST_ENTRIES, side="right")) - 1
        stop = min(max(stop, start + 1), start + MOST_ROWS, n_rows)
        yield start, stop
        start = stop
