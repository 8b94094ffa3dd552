"""What every classifier here does alike: it holds a model, and a fit that fails changes nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..io.model import ModelFile
from ..models import FittedModel

__all__ = ["FittedAttribute", "PredictionsMixin"]


class FittedAttribute:
    """A value of the fitted model, as ``coef_`` of ``coef``; setting it replaces the model."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name.removesuffix("_")

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        """Return the value; AttributeError before a fit, as of any other attribute."""
        if estimator is None:
            return self
        model = vars(estimator).get("model_")
        if model is None:
            kind = type(estimator).__name__
            raise AttributeError(
                f"{kind!r} object has no attribute '{self.name}_': it is not fitted"
            )
        return getattr(model if hasattr(model, self.name) else model.fit, self.name)

    def __set__(self, estimator: Any, value: Any) -> None:
        """Replace the model by one with this value."""
        model = vars(estimator).get("model_")
        if model is None:
            raise AttributeError(f"'{self.name}_' of {type(estimator).__name__} is set by a fit")
        estimator.model_ = model.changed(**{self.name: value})


class PredictionsMixin:
    """For an estimator with ``_fit``, which sets ``model_``, and ``_decisions`` of samples."""

    classes_ = FittedAttribute()
    intercept_ = FittedAttribute()
    loss_ = FittedAttribute()
    alpha_ = FittedAttribute()
    l1_ratio_ = FittedAttribute()
    n_iter_ = FittedAttribute()
    objective_ = FittedAttribute()
    held_out_loss_ = FittedAttribute()
    message_ = FittedAttribute()
    selection_ = FittedAttribute()
    record_ = FittedAttribute()

    if TYPE_CHECKING:
        model_: Any

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the constructor parameters."""

        def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None: ...

        def _decisions(self, X: Any) -> Vector: ...

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    def _to_file(self, model: FittedModel | None = None) -> ModelFile:
        """Return what its file holds, or would hold with another model."""
        model, names = self.model_ if model is None else model, self._names_of_file()
        params = self.get_params(deep=False)
        file: ModelFile = model.to_arrays(params, names, type(self).__name__)
        return file

    def _names_of_file(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    @classmethod
    def _from_file(cls, file: ModelFile, model: FittedModel) -> Self:
        """Make a fitted estimator of the model that a file holds."""
        clf = cls(**file.params)
        clf.model_ = model
        clf._note_features(file)
        return clf

    def _note_features(self, file: ModelFile) -> None:
        """Set the number of features, and their names, where there are such attributes."""

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
        labels: NDArray[Any] = self.model_.labels(decisions)
        return labels

    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of each class, of shape (n_samples, n_classes)."""
        decisions = self._decisions(X)
        probabilities: Vector = self.model_.probabilities(decisions)
        return probabilities

    def predict_log_proba(self, X: Any) -> Vector:
        """Return the logarithm of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
