"""Which features of texts stay: those that neither too few nor too many texts have."""

from __future__ import annotations

from math import ceil, floor
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from .text_options import TextOptions

__all__ = ["NOTHING_FOUND", "NOTHING_LEFT", "staying", "text_bounds"]

NOTHING_FOUND = (
    "the texts have no words that could be features: they are empty, or hold stop words only; look "
    "at the texts, at stop_words and at token_pattern, or set analyzer='char_wb'"
)
NOTHING_LEFT = "no words are left: take a lower min_df or a higher max_df, or analyzer='char_wb'"


def text_bounds(options: TextOptions, n_texts: int) -> tuple[int, int]:
    """Return how many texts must, and may, have a feature."""
    if n_texts == 0:
        raise ValueError("there are no texts to find words in")
    least, most = (
        share if isinstance(share, Integral) else share * n_texts
        for share in (options.min_df, options.max_df)
    )
    if least > n_texts:
        raise ValueError(
            f"min_df wants features in at least {least:g} texts, and there are {n_texts}: lower it"
        )
    if most < least:
        raise ValueError(
            f"max_df allows features in at most {most:g} texts, and min_df wants at least {least:g}"
        )
    return max(ceil(least), 1), floor(most)


def staying(
    options: TextOptions,
    with_term: NDArray[np.int64],
    totals: NDArray[np.int64] | None,
    n_texts: int,
) -> NDArray[np.bool_]:
    """Tell which features stay; ``totals`` is how often each occurs, if ``max_features`` asks."""
    least, most = text_bounds(options, n_texts)
    stays = (with_term >= least) & (with_term <= most)
    if not stays.any():
        is_empty = len(with_term) > 0 and not with_term.any()
        is_open = least <= 1 and most >= n_texts
        raise ValueError(NOTHING_FOUND if is_empty or is_open else NOTHING_LEFT)
    if options.max_features is None or totals is None:
        return stays
    return most_frequent(totals, stays, options.max_features)


def most_frequent(
    totals: NDArray[np.int64], stays: NDArray[np.bool_], limit: int
) -> NDArray[np.bool_]:
    """Tell which of the features that stay occur most often; ties as scikit-learn has them."""
    candidates = np.flatnonzero(stays)
    chosen = np.zeros(len(stays), dtype=bool)
    chosen[candidates[(-totals[candidates]).argsort()[:limit]]] = True
    return chosen
