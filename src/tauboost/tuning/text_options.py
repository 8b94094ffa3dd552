"""The parameters of a text classifier: what is counted in texts, and how the fit goes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

from ..base.messages import shown
from ..design.text_options import DEFAULT_PATTERN, TextOptions, check_stop_words
from .options import Parameters

__all__ = ["TextParameters"]

# With fewer texts, terms that occur in one of them only help (film reviews, and their last words:
# 0.005 to 0.01 of AUC from 200 to 1000 texts); with twice as many they no longer do.
FEW_TEXTS = 1000
# With so many, terms of two texts cost a third of the time and tell nothing: without them, 25,000
# film reviews keep their accuracy to 0.01 points, and their AUC to 0.0003.
MANY_TEXTS = 10_000


@dataclass(frozen=True)
class TextParameters:
    """The parameters of ``TextClassifier`` with their defaults, unchecked, by name in order."""

    alpha: float | str = "auto"
    analyzer: Any = "word"
    binary: bool = True
    calibration: str | None = None
    class_weight: Any = None
    early_stopping: bool = False
    fit_intercept: bool = True
    l1_ratio: float | str = 0.0
    loss: str = "logistic"
    lowercase: bool = True
    max_df: float = 1.0
    max_features: int | None = None
    max_iter: int = 1000
    min_df: float | str = "auto"
    n_features: int | None = None
    n_jobs: int | None = -1
    ngram_range: tuple[int, int] = (1, 2)
    norm: str | None = None
    penalty_factors: Any = "auto"
    random_state: Any = None
    stop_words: Any = None
    sublinear_tf: bool = False
    time_limit: float | None = None
    token_pattern: str = DEFAULT_PATTERN
    tol: float = 1e-3
    use_idf: bool = True
    validation_fraction: float = 0.2
    verbose: int = 0

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return those of an estimator."""
        return cls(**{known.name: getattr(estimator, known.name) for known in fields(cls)})

    def features(self, n_texts: int | None) -> TextOptions:
        """Check what is to be counted in so many texts; None: nobody knows how many."""
        return TextOptions.of(
            self,
            ngram_range=(1, 1) if callable(self.analyzer) else self.ngram_range,
            min_df=self._min_df(n_texts),
            stop_words=check_stop_words(self.stop_words),
            smooth_idf=True,
            alternate_sign=False,  # it gains nothing here, and counts below 0 have no logarithm
        )

    def linear(self) -> Parameters:
        """Return those of the linear classifier on what was counted."""
        shared = {known.name for known in fields(Parameters)} & vars(self).keys()
        return Parameters(**{name: getattr(self, name) for name in shared})

    def _min_df(self, n_texts: int | None) -> float:
        if not isinstance(self.min_df, str):
            return self.min_df
        if self.min_df != "auto":
            raise ValueError(f"min_df must be 'auto' or a number, got {shown(self.min_df)}")
        if n_texts is None:
            return 2
        return 1 if n_texts < FEW_TEXTS else 2 if n_texts < MANY_TEXTS else 3
