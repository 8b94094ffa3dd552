"""A slow stand-in for the block reader of svmlight text, until the compiled one is there."""

from __future__ import annotations

import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .svmlight import _decompressed, _Lines


@dataclass(frozen=True)
class Block:
    """Rows of a file in CSR form; ``data`` is None when every value is 1.

    ``bytes_read`` says how far into the file, compressed or not, the reader has come.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[Any]
    data: NDArray[np.float64] | None
    y: NDArray[np.float64]
    bytes_read: int
    smallest_index: int | None
    largest_index: int | None


def svmlight_blocks(
    path: Any,
    *,
    zero_based: bool | Literal["auto"],
    n_threads: int | None = None,  # noqa: ARG001
    block_bytes: int = 64 << 20,
) -> Iterator[Block]:
    """Yield the rows of a file, block by block."""
    from sklearn.datasets import load_svmlight_file  # noqa: PLC0415

    first = n_rows = 0
    with nullcontext(path) if hasattr(path, "read") else Path(path).open("rb") as raw:
        stream = _decompressed(raw if hasattr(raw, "peek") else io.BufferedReader(raw))
        while True:
            try:
                text = b"".join(stream.readlines(block_bytes))
            except (EOFError, zlib.error, lzma.LZMAError, OSError):
                raise ValueError(f"{path}: the compressed data are truncated or damaged") from None
            if not text:
                if not n_rows:
                    raise ValueError(f"{path}: no samples in this file")
                return
            lines = _Lines(io.BytesIO(text))
            try:
                X, y = load_svmlight_file(lines, zero_based=zero_based is not False)
            except (ValueError, OverflowError) as error:
                lines.count += first
                raise ValueError(f"{path}, line {lines.complaint(error)}") from None
            first += lines.count
            n_rows += len(y)
            smallest = int(X.indices.min()) if X.nnz else None
            largest = int(X.indices.max()) if X.nnz else None
            data = None if np.all(X.data == 1.0) else X.data
            at = raw.tell() if raw.seekable() else first
            yield Block(X.indptr.astype(np.int64), X.indices, data, y, at, smallest, largest)
