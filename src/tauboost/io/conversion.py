"""Turn files, larger than memory if need be, into one store."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.messages import shown
from ..base.progress import progress_bar
from ..base.threads import resolve_threads
from ..validation import CsrArrays, check_size, check_values
from .arrow import arrow_blocks, npy_header, npz_blocks, npz_shape
from .store import Store, open_store
from .store_writer import StoreWriter
from .svmlight import Block, File, ZeroBased, read_rows, svmlight_blocks

__all__ = ["LabelledRows", "blocks_of", "convert", "kind_of", "load_rows", "row_blocks"]


# What can be turned into a store: svmlight text, scipy's .npz, Parquet and Arrow, block by block.
#
# Which of these a file is shows in its first bytes, whatever its name.


MAGIC: Final = {b"PK\x03\x04": "npz", b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff" * 4: "arrow"}


def kind_of(source: Any) -> str:
    """Tell what a file is: "svmlight", "npz", "parquet" or "arrow"."""
    if hasattr(source, "read"):
        return "svmlight"
    mode = Path(source).stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # from a pipe, what is read is gone
        return "svmlight"
    with Path(source).open("rb") as file:  # refuses a folder
        start = file.read(8)
    kinds = (kind for magic, kind in MAGIC.items() if start.startswith(magic))
    return next(kinds, "svmlight")


def blocks_of(
    source: Any,
    kind: str,
    *,
    zero_based: bool | Literal["auto"],
    with_labels: bool,
    n_threads: int | None,
) -> Iterator[Block]:
    """Yield the rows of a file.

    With ``zero_based="auto"`` the indices of svmlight text come as written; all others come counted
    from 0. Without labels, those of the file are not needed, and those of the blocks mean nothing.
    """
    if kind == "svmlight":
        return svmlight_blocks(source, zero_based=zero_based, n_threads=n_threads)
    if kind == "npz":
        if zero_based is False:
            raise ValueError(f"{source}: a matrix in .npz form counts from 0, not from 1")
        return npz_blocks(Path(source), with_labels=with_labels)
    first_index = 1 if zero_based is False else 0
    return arrow_blocks(Path(source), kind, first_index=first_index, with_labels=with_labels)


Source: TypeAlias = str | os.PathLike[str] | BinaryIO

MOST_NAMES_KEPT: Final = 100


def convert(
    inputs: Source | Iterable[Source],
    store_path: str | os.PathLike[str],
    *,
    labels: ArrayLike | str | os.PathLike[str] | None = None,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    n_threads: int | None = None,
    progress: bool = False,
    overwrite: bool = False,
) -> Store:
    r"""Convert one or several files to a store, in bounded memory but for ``.npz``.

    The rows of the store are those of the files, in the order given. If anything goes wrong, or on
    Ctrl-C, nothing is left behind.

    Parameters
    ----------
    inputs : path, binary file or several of these
        All of one kind, recognised by content: svmlight text (plain, gz, bz2, xz or zst);
        ``.npz`` as `scipy.sparse.save_npz` writes it; Parquet or Arrow with a column of lists of
        indices, optionally one of lists of values, and one of labels.
    store_path : path
        The folder to make.
    labels : array of numbers or path of a .npy file, optional
        A label for each row, in place of those in the files. An ``.npz`` file has labels of its own
        if it holds an array ``y``.
    n_features : int, optional
        Number of columns, where it is known; None takes the largest index that occurs.
    zero_based : bool or "auto"
        Whether indices count from 0. "auto" means: in svmlight text from 1, unless a 0 occurs in
        any of the files; elsewhere from 0.
    n_threads : int, optional
        None means every core this process may use.
    progress : bool
        Show a progress bar, if stderr is a terminal.
    overwrite : bool
        Whether a store of that name may be replaced.

    Returns
    -------
    Store : the new store, open

    Examples
    --------
    >>> from pathlib import Path
    >>> import tauboost as tb
    >>> for day in ("monday.svm", "tuesday.svm"):
    ...     _ = Path(day).write_text("1 2:1 5:0.5\n-1 3:1\n")
    >>> tb.convert(["monday.svm", "tuesday.svm"], "week.store")
    Store('week.store': 4 samples, 5 features, 6 nonzeros)
    """
    threads = resolve_threads(n_threads)
    if zero_based != "auto" and not isinstance(zero_based, bool):
        raise ValueError(f"zero_based must be True, False or 'auto', got {shown(zero_based)}")
    sources = _as_list(inputs)
    kind = _common_kind(sources)
    given = None if labels is None else _load_labels(labels)
    options = {"zero_based": zero_based, "with_labels": given is None, "n_threads": threads}
    names = [Path(_name(source)).name for source in sources[:MOST_NAMES_KEPT]]
    origin = {"made_from": kind, "files": names}
    writing = StoreWriter(store_path, n_features=n_features, overwrite=overwrite, source=origin)
    bar = progress_bar("converting", _total_size(sources), "MB", visible=progress, scale=1e6)
    with writing as writer, bar as show:
        for source in sources if kind == "npz" else []:
            with _naming(source):
                writer.widen(npz_shape(Path(source))[1])
        # Almost all svmlight text counts from 1. Should a 0 turn up, what was written is put right.
        shift = int(zero_based == "auto" and kind == "svmlight")
        for source, block in _all_blocks(sources, kind, options, show):
            y = block.y if given is None else _next_labels(given, writer.n_samples, len(block.y))
            with _naming(source):
                if shift and block.smallest_index == 0:
                    writer.shift_indices(1)
                    shift = 0
                writer.append_arrays(block.indptr, block.indices - shift, block.data, y)
        if given is not None and writer.n_samples < len(given):
            raise ValueError(f"labels has {len(given)} entries for {writer.n_samples} rows")
    return open_store(store_path)


def _all_blocks(
    sources: list[Any], kind: str, options: dict[str, Any], show: Callable[[float], None]
) -> Iterator[tuple[Any, Block]]:
    """Yield the blocks of all files, each with its file."""
    read_before = 0
    for source in sources:
        for block in blocks_of(source, kind, **options):
            yield source, block
            show(read_before + block.bytes_read)
        read_before += _size(source) or 0


@contextmanager
def _naming(source: Any) -> Iterator[None]:
    """Name the file in the error."""
    try:
        yield
    except (ValueError, TypeError) as error:
        text = str(error)
        prefix = f"{_name(source)}: "
        raise ValueError(text if text.startswith(prefix) else prefix + text) from None


def _as_list(inputs: Source | Iterable[Source]) -> list[Any]:
    if isinstance(inputs, str | os.PathLike) or hasattr(inputs, "read"):
        return [inputs]
    sources = list(inputs)
    if not sources:
        raise ValueError("inputs must name at least one file")
    return sources


def _common_kind(sources: list[Any]) -> str:
    kinds = sorted({kind_of(source) for source in sources})
    if len(kinds) > 1:
        raise ValueError(f"inputs must all be of one kind, got {' and '.join(kinds)}")
    return kinds[0]


def _load_labels(labels: Any) -> NDArray[Any]:
    if isinstance(labels, str | os.PathLike):
        # Not mapped into memory: a file that is cut meanwhile would end the process.
        with Path(labels).open("rb") as file:
            try:
                shape, dtype = npy_header(file, "labels")
                labels = np.fromfile(file, dtype)[: math.prod(shape)].reshape(shape)
            except ValueError:
                raise ValueError(f"{labels}: labels must be the path of a .npy file") from None
    array = np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise ValueError(f"labels must be a vector of numbers, got {array.ndim}-D {array.dtype}")
    return array


def _next_labels(labels: NDArray[Any], start: int, count: int) -> NDArray[Any]:
    if len(labels) < start + count:
        raise ValueError(f"labels has {len(labels)} entries, but there are more rows")
    return labels[start : start + count]


def _name(source: Any) -> str:
    if hasattr(source, "read"):
        return str(getattr(source, "name", "input"))
    return str(Path(source))


def _size(source: Any) -> int | None:
    """Return the size of a file; None where it is not known, as for a pipe."""
    if hasattr(source, "read") or not Path(source).is_file():
        return None
    return Path(source).stat().st_size


def _total_size(sources: list[Any]) -> int | None:
    sizes = [_size(source) for source in sources]
    return None if None in sizes else sum(size for size in sizes if size is not None)


# Rows in memory that can be used wherever a store can: what a file holds, or a part of a store.
#
# Unlike a SciPy matrix they keep no values where every value is 1, so that reading and training
# need the least memory.


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Checked rows and their labels."""

    arrays: CsrArrays
    y: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of samples and features."""
        return self.arrays.shape

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return self.arrays.nnz

    def parts(self) -> tuple[CsrArrays, ...]:
        """Return the matrices whose sum they are: see `Store.parts`."""
        return self.arrays.parts

    def reading(self) -> AbstractContextManager[None]:
        """Return a context that does nothing: there are no pages to release."""
        return nullcontext()


def load_rows(
    path: File,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
    n_threads: int | None = None,
    progress: bool = False,
) -> LabelledRows:
    """Load an svmlight file; with ``n_features``, later features are left out."""
    found = read_rows(path, zero_based=zero_based, n_threads=n_threads, progress=progress)
    width = found.n_features if n_features is None else n_features
    return _rows(found.indptr, found.indices, found.data, found.y, width)


def row_blocks(
    path: File, *, n_features: int, zero_based: bool, n_threads: int | None = None
) -> Iterator[tuple[LabelledRows, int]]:
    """Yield the rows of an svmlight file block by block, with the number of bytes read so far.

    Features from ``n_features`` on are left out.
    """
    block: Block
    for block in svmlight_blocks(path, zero_based=zero_based, n_threads=n_threads):
        rows = _rows(block.indptr, block.indices, block.data, block.y, n_features)
        yield rows, block.bytes_read


def _rows(
    indptr: NDArray[np.int64], indices: NDArray[Any], data: Any, y: Any, n_features: int
) -> LabelledRows:
    shape = (len(y), n_features)
    check_size(shape)
    if len(indices) and int(indices.max()) >= n_features:
        known = indices < n_features
        indptr = np.append(0, np.cumsum(known))[indptr]
        indices, data = indices[known], None if data is None else data[known]
    if data is not None:
        check_values(data)
    indices = indices.astype(np.int32, copy=False)
    return LabelledRows(CsrArrays(indptr, indices, data, shape), y)
