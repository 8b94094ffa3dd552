"""Stand-in."""

from __future__ import annotations

from typing import Any

from ..base.messages import shown

__all__ = ["take_texts"]


def take_texts(texts: Any) -> list[str]:
    """Check texts."""
    if isinstance(texts, str):
        raise TypeError("texts must be a list of strings, got a single string: put it in a list")
    found = list(texts)
    for k, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"text {k} is no string, got {shown(text)}")
    return found
