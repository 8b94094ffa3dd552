"""The warning of a fit whose model is of little use."""

from __future__ import annotations

import warnings

__all__ = ["FitWarning", "warn_of"]


class FitWarning(UserWarning):
    """A model was fitted, and is of little use; the message says what to do."""


def warn_of(caution: str) -> None:
    """Warn of what there is to say about a fit, if anything."""
    if caution:
        warnings.warn(caution, FitWarning, stacklevel=3)
