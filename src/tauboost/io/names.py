"""Find a column or a field by its name; where it is not, say which ones are."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.messages import unknown

__all__ = ["place_of"]


def place_of(name: str, names: Sequence[str], *, noun: str = "column") -> int:
    """Return the number of a name that is there once."""
    found = [k for k, other in enumerate(names) if other == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"more than one {noun} is called {name!r}: rename them")
    raise ValueError(unknown(noun, name, names))
