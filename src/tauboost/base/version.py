"""The version of the package: the one place where it is written down."""

from __future__ import annotations

__all__ = ["VERSION"]


VERSION = "0.3.0"
