"""The version of the package: the one that was installed, and nowhere else written down."""

from __future__ import annotations

from functools import cache

__all__ = ["installed_version"]


@cache
def installed_version() -> str:
    """Return it; looking it up takes longer than all else that a prediction imports."""
    from importlib.metadata import version  # noqa: PLC0415

    return version("tauboost")
