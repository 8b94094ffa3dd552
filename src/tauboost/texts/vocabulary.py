"""Words and n-grams by the million: their text in one piece, sorted, names made when asked.

A list of Python strings costs more than counting them did. Here they are UTF-8 in one array and
positions that cut it, in the order of code points, which is that of UTF-8's bytes, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import cached_property
from ..io.tensors import object_array

__all__ = ["Terms", "characters_of"]


ERRORS = "surrogatepass"  # half a pair of UTF-16 may be part of a run of characters


class Terms:
    """Different strings in ascending order."""

    def __init__(self, text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.text, self.offsets = text, offsets

    @classmethod
    def of(cls, strings: Iterable[str]) -> Self:
        """Pack strings that are sorted."""
        encoded = [string.encode(errors=ERRORS) for string in strings]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, k: int) -> str:
        return self._bytes(k).decode(errors=ERRORS)

    def _bytes(self, k: int) -> bytes:
        return self.text[self.offsets[k] : self.offsets[k + 1]].tobytes()

    def find(self, term: str) -> int:
        """Return the number of a term; -1 where it is none of these."""
        wanted = term.encode(errors=ERRORS)
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._bytes(low) == wanted else -1

    def select(self, kept: NDArray[np.intp]) -> Terms:
        """Return some of them, by ascending number."""
        lengths = np.diff(self.offsets)[kept]
        offsets = np.append(0, np.cumsum(lengths))
        places = np.repeat(self.offsets[:-1][kept] - offsets[:-1], lengths)
        return Terms(self.text[places + np.arange(offsets[-1])], offsets)

    def merged(self, other: Terms) -> tuple[Terms, NDArray[np.int64], NDArray[np.int64]]:
        """Return these and others as one, and the new number of each of these and of those."""
        text, offsets, here, there = _core.merged_terms(
            self.text, self.offsets, other.text, other.offsets
        )
        return Terms(text, offsets), here, there

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "offsets": self.offsets}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each as a Python string."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def names(self) -> NDArray[Any]:
        """All of them as Python strings."""
        raw, ends = self.text.tobytes(), self.offsets.tolist()
        return object_array([raw[a:b].decode(errors=ERRORS) for a, b in pairwise(ends)])


# What the interpreter knows of characters, as tables: part of words, space, lower case.
#
# They follow the Unicode version of the Python that runs. Only as many characters are looked up
# as the given texts can have: 256, 65,536 or all.


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
