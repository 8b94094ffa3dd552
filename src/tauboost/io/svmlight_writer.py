"""Write svmlight text block by block: one sample a line, indices from 1.

Numbers are written so that reading them gives the same bits. The text of a block is put together
by NumPy: a token of fixed width for every entry, then all padding dropped at once.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .atomic import InTheMaking, new_file

__all__ = ["SvmlightWriter"]


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
