"""What driver and parts send each other: numbers and arrays, also in lists and in data classes."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ..base.arrays import readable

__all__ = ["n_bytes", "received"]


def n_bytes(message: Any) -> int:
    """Return the bytes of all arrays in a message, and eight for everything else."""
    if isinstance(message, np.ndarray):
        return int(message.nbytes)
    if isinstance(message, list | tuple):
        return sum(n_bytes(value) for value in message)
    if is_dataclass(message):
        return sum(n_bytes(getattr(message, field.name)) for field in fields(message))
    return 8


def received(message: Any) -> Any:
    """Return a message with arrays that kernels can read.

    An array arrives as a piece of what came over the line, and begins wherever that happens to be.
    """
    if isinstance(message, np.ndarray):
        return message if message.flags.aligned else readable(message)
    if type(message) in {list, tuple}:
        return type(message)(received(value) for value in message)
    if is_dataclass(message) and not isinstance(message, type):
        values = {field.name: getattr(message, field.name) for field in fields(message)}
        askew = {
            name: received(value)
            for name, value in values.items()
            if isinstance(value, np.ndarray) and not value.flags.aligned
        }
        return replace(message, **askew) if askew else message
    return message
