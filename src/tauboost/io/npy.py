"""The header of a .npy file, read as if a stranger had written it.

NumPy's own reader takes more types than we want, and raises what its parser raises.
"""

from __future__ import annotations

import ast
import re
from typing import Any, BinaryIO

import numpy as np

__all__ = ["read_npy_header"]

MAGIC = b"\x93NUMPY"
WIDTHS = {1: 2, 2: 4, 3: 4}  # of the header's length, by version
MOST_BYTES = 1000
MOST_ITEMS = 2**62
# Booleans, integers, floats and text of fixed width; no objects, no records.
DESCRIPTION = re.compile(r"[<>|=][biufSU][0-9]{1,4}", re.ASCII)


def read_npy_header(file: BinaryIO, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape, whether it is in Fortran's order, and the type; the items come next."""
    start = file.read(8)
    if start[:6] != MAGIC or len(start) < 8 or start[6] not in WIDTHS:
        raise ValueError(f"{name} is not an array in NumPy's format")
    length = int.from_bytes(file.read(WIDTHS[start[6]]), "little")
    if length > MOST_BYTES:
        raise ValueError(f"{name} is not an array of numbers")
    try:
        header = ast.literal_eval(file.read(length).decode("latin1").strip())
        fields = header["shape"], header["fortran_order"], header["descr"]
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise ValueError(f"the header of {name} is damaged") from None
    shape, is_transposed, description = fields
    is_shape = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not is_shape or not isinstance(is_transposed, bool) or not _is_few(shape):
        raise ValueError(f"the header of {name} is damaged")
    if not isinstance(description, str) or not DESCRIPTION.fullmatch(description):
        raise ValueError(f"{name} is not an array of numbers")
    try:
        return shape, is_transposed, np.dtype(description)
    except TypeError:
        raise ValueError(f"{name} is not an array of numbers") from None


def _is_few(shape: tuple[int, ...]) -> bool:
    total = 1
    for size in shape:
        total *= size
        if max(total, size) > MOST_ITEMS or len(shape) > 8:
            return False
    return True
