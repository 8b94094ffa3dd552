"""What can be turned into a store: svmlight text, scipy's .npz, Parquet and Arrow, block by block.

Which of these a file is shows in its first bytes, whatever its name.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from .arrow import arrow_blocks
from .blocks import Block, svmlight_blocks
from .npz import npz_blocks

__all__ = ["blocks_of", "kind_of"]

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
