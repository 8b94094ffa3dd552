"""The warning of a fit: its model is of little use, or its state is not kept."""

from __future__ import annotations

import warnings

__all__ = ["FitWarning", "warn_of"]


class FitWarning(UserWarning):
    """A model was fitted, and is of little use, or could not be resumed; the message says more.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np, tauboost as tb
    >>> X, _ = tb.make_w8a_like(2000, random_state=0)
    >>> coins = np.random.default_rng(0).integers(0, 2, 2000)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", tb.FitWarning)
    ...     try:
    ...         tb.TauBoostClassifier(random_state=0).fit(X, coins)
    ...     except tb.FitWarning as warning:
    ...         print(str(warning)[:53])
    the model is no better than the shares of the classes
    """


def warn_of(caution: str) -> None:
    """Warn of what there is to say about a fit, if anything."""
    if caution:
        warnings.warn(caution, FitWarning, stacklevel=3)
