"""What a fit makes of the parameters of a text classifier: what is counted, and the linear part."""

from __future__ import annotations

from ..base.messages import shown
from ..design.text_options import TextOptions, check_stop_words
from ..parameters import LinearParameters, TextParameters, parameters_of

__all__ = ["linear_part", "text_options"]

# With fewer texts, terms that occur in one of them only help (film reviews, and their last words:
# 0.005 to 0.01 of AUC from 200 to 1000 texts); with twice as many they no longer do.
FEW_TEXTS = 1000
# With so many, terms of two texts cost a third of the time and tell nothing: without them, 25,000
# film reviews keep their accuracy to 0.01 points, and their AUC to 0.0003.
MANY_TEXTS = 10_000


def text_options(parameters: TextParameters, n_texts: int | None) -> TextOptions:
    """Check what is to be counted in so many texts; None: nobody knows how many."""
    return TextOptions.of(
        parameters,
        ngram_range=(1, 1) if callable(parameters.analyzer) else parameters.ngram_range,
        min_df=_min_df(parameters.min_df, n_texts),
        stop_words=check_stop_words(parameters.stop_words),
        smooth_idf=True,
        alternate_sign=False,  # it gains nothing here, and counts below 0 have no logarithm
    )


def linear_part(parameters: TextParameters) -> LinearParameters:
    """Return those of the linear classifier on what was counted."""
    return parameters_of(LinearParameters, parameters)


def _min_df(given: float | str, n_texts: int | None) -> float:
    if not isinstance(given, str):
        return given
    if given != "auto":
        raise ValueError(f"min_df must be 'auto' or a number, got {shown(given)}")
    if n_texts is None:
        return 2
    return 1 if n_texts < FEW_TEXTS else 2 if n_texts < MANY_TEXTS else 3
