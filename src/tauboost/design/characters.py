"""What the interpreter knows of characters, as tables: part of words, space, lower case.

They follow the Unicode version of the Python that runs. Only as many characters are looked up as
the texts at hand can have: 256, 65,536 or all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

from .. import _core

__all__ = ["characters_of"]

LIMITS = {1: 0x100, 2: 0x10000, 4: 0x110000}  # by bytes for each character of a string
WORD, SPACE = 1, 2  # as in cpp/text/text.hpp
# Their lower case is more than one character, or depends on those around it. Texts that have one
# are lowered by the interpreter before they are read.
ODD_CAPITALS = {0x130: "_", 0x3A3: "_"}


@cache
def characters_of(width: int) -> Any:
    """Return what is known of all characters that strings of this width can have."""
    every = "".join(map(chr, range(LIMITS[width])))
    kinds = np.zeros(len(every), dtype=np.uint8)
    for pattern, bit in ((r"\w+", WORD), (r"\s+", SPACE)):
        for found in re.finditer(pattern, every):
            kinds[found.start() : found.end()] |= bit
    lower = every.translate(ODD_CAPITALS).lower().encode("utf-32-le", "surrogatepass")
    return _core.Characters(kinds, np.frombuffer(lower, dtype=np.uint32))
