"""How a value is shown in a message."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["shown"]

LONGEST = 60  # characters


def shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, and short."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = " ".join(repr(value).split())
    except Exception:
        return f"an object of type {type(value).__name__}"
    if " at 0x" in text:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
