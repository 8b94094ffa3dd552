"""How a value is shown in a message."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

__all__ = ["shown"]

LONGEST = 60  # characters
# How NumPy shows its numbers and strings, in lists too.
OF_NUMPY = re.compile(r"\bnp\.(?:\w+\(([^()]*)\)|(True|False)_)")


def shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, and short."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = OF_NUMPY.sub(r"\1\2", " ".join(repr(value).split()))
    except Exception:
        return f"an object of type {type(value).__name__}"
    if " at 0x" in text:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
