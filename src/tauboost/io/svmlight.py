"""Read svmlight (LIBSVM) text: one sample a line, ``label index:value index:value ...``.

The text may be plain or compressed with gzip, bzip2 or xz. Which it is shows in the first bytes of
the content, so a file without the usual ending, or a pipe, is read as well.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from ..threads import resolve_threads

if TYPE_CHECKING:
    import os
    from io import BufferedReader

    from numpy.typing import NDArray

__all__ = ["load_svmlight"]

OPENERS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
EXCERPT = 60


def load_svmlight(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    n_threads: int | None = None,
) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    """Load an svmlight file.

    Parameters
    ----------
    path : str or path-like
        The file: plain, gz, bz2 or xz, recognised by its content.
    n_features : int, optional
        Number of columns, where it is known; None takes the largest index that occurs.
    zero_based : bool or "auto"
        Whether indices count from 0; "auto" means from 1 unless a 0 occurs.
    n_threads : int, optional
        None means every core this process may use.

    Returns
    -------
    X : scipy.sparse.csr_array of float64, indices sorted
    y : array of float64, the labels as written

    Examples
    --------
    >>> X, y = load_svmlight("w8a.xz", n_features=300)  # doctest: +SKIP
    """
    path = Path(path)
    # Checked now so that callers are right already; the present reader works with one thread.
    resolve_threads(n_threads)
    _check_options(n_features, zero_based)
    X, y = _read(path, zero_based)
    if len(y) == 0:
        raise ValueError(f"{path}: no samples in this file")
    found = X.shape[1]
    if n_features is not None and n_features < found:
        raise ValueError(f"{path}: has {found} features, more than n_features={n_features}")
    shape = (len(y), found if n_features is None else n_features)
    # Short indices where they suffice: half the memory, and some libraries take no others.
    index = np.int32 if max(X.nnz, *shape) < 2**31 else np.int64
    indices, indptr = (array.astype(index, copy=False) for array in (X.indices, X.indptr))
    return sparse.csr_array((X.data, indices, indptr), shape=shape), y


def _check_options(n_features: object, zero_based: object) -> None:
    if n_features is not None:
        if isinstance(n_features, bool) or not isinstance(n_features, Integral):
            raise TypeError(f"n_features must be a positive integer or None, got {n_features!r}")
        if n_features < 1:
            raise ValueError(f"n_features must be at least 1, got {n_features}")
    if zero_based != "auto" and not isinstance(zero_based, bool):
        raise ValueError(f"zero_based must be True, False or 'auto', got {zero_based!r}")


def _read(path: Path, zero_based: bool | str) -> Any:
    # Imported here because it takes as long as all the rest of the package.
    from sklearn.datasets import load_svmlight_file  # noqa: PLC0415

    with path.open("rb") as raw:
        lines = _Lines(_decompressed(raw))
        try:
            return load_svmlight_file(lines, zero_based=zero_based)
        except (EOFError, zlib.error, lzma.LZMAError):
            raise ValueError(f"{path}: the compressed data are truncated or damaged") from None
        except OSError as error:
            if error.errno is None:  # how gzip and bz2 report bad content
                raise ValueError(f"{path}: the compressed data are truncated or damaged") from None
            raise OSError(error.errno, error.strerror, str(path)) from None
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{path}, line {lines.complaint(error)}") from None


def _decompressed(raw: BufferedReader) -> Any:
    start = raw.peek(8)
    for magic, opener in OPENERS.items():
        if start.startswith(magic):
            return opener(raw)
    return raw


class _Lines:
    """The lines of a file, counted, so that an error can say where.

    Being Python, it also gives Ctrl-C a chance between lines, which compiled readers do not.
    """

    def __init__(self, file: Any) -> None:
        self.file = file
        self.count = 0
        self.latest = b""

    def __iter__(self) -> Iterator[bytes]:
        for self.count, self.latest in enumerate(self.file, start=1):  # noqa: B020
            yield self.latest

    def read(self, size: int = -1) -> bytes:
        """Part of being a file; the reader asks for lines only."""
        return bytes(self.file.read(size))

    def complaint(self, error: Exception) -> str:
        text = self.latest[: EXCERPT + 1].decode(errors="replace").rstrip("\r\n")
        shown = repr(text if len(text) <= EXCERPT else text[:EXCERPT] + "...")
        reason = str(error)
        if "Invalid index" in reason or isinstance(error, OverflowError):
            return f"{self.count}: an index is out of range in {shown}"
        if "sorted and unique" in reason:
            return f"{self.count}: indices must increase from left to right, got {shown}"
        return f"{self.count}: expected 'label index:value index:value ...', got {shown}"
