"""What every classifier here does alike: a fit that fails changes nothing; decisions to answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..tuning.model import Answers
from ..tuning.record import Record

__all__ = ["PredictionsMixin"]


class PredictionsMixin:
    """For an estimator with ``_fit``, with ``_decisions`` of samples, and a fitted ``_model``."""

    # What it was fitted on: pickles of older versions do not say.
    record_: Record | None = None

    if TYPE_CHECKING:

        @property
        def _model(self) -> Answers: ...

        def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None: ...

        def _decisions(self, X: Any) -> Vector: ...

    def _fit_or_stay(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was."""
        before = dict(vars(self))
        try:
            began = time.perf_counter()
            self._fit(X, y, sample_weight, groups)
            if self.record_ is not None:
                self.record_ = self.record_.measured(time.perf_counter() - began)
            return self
        except BaseException:
            self.__dict__ = before
            raise

    def decision_function(self, X: Any) -> Vector:
        """Return the decision values: (n_samples,) for two classes, else (n_samples, n_classes)."""
        decisions = self._decisions(X)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of each sample."""
        decisions = self._decisions(X)
        return self._model.labels(decisions)

    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of each class, of shape (n_samples, n_classes)."""
        decisions = self._decisions(X)
        return self._model.probabilities(decisions)

    def predict_log_proba(self, X: Any) -> Vector:
        """Return the logarithm of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
