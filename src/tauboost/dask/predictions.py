"""A fitted local model, asked about dask collections: block by block, when it is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import dask.array as da
import numpy as np
from dask import delayed
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..estimators.base import PredictionsMixin
from ..validation.texts import take_texts

__all__ = ["LazyPredictions", "is_collection", "lazily", "lazily_on_texts"]


class LazyPredictions(PredictionsMixin):
    """For an estimator on a cluster: answers about dask collections are computed when asked for."""

    if TYPE_CHECKING:
        classes_: NDArray[Any]

        def to_local(self) -> Any:
            """Return the fitted model without its client."""

    def _fit_or_stay(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        if groups is not None:
            name = type(self).__name__
            raise ValueError(f"groups need all rows on one machine: fit tauboost.{name}")
        super()._fit_or_stay(X, y, sample_weight)
        if self.record_ is not None:  # the memory of the driver is not what the fit took
            self.record_ = replace(self.record_, peak_bytes=None)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the decision values: (n_samples,) for two classes, else (n_samples, n_classes)."""
        if not is_collection(X):
            return super().decision_function(X)
        check_is_fitted(self)
        shape = (0,) if len(self.classes_) == 2 else (0, len(self.classes_))
        return self._lazily("decision_function", X, np.empty(shape))

    def predict(self, X: Any) -> Any:
        """Return the likeliest class of each sample."""
        if not is_collection(X):
            return super().predict(X)
        check_is_fitted(self)
        return self._lazily("predict", X, self.classes_[:0])

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class, of shape (n_samples, n_classes)."""
        if not is_collection(X):
            return super().predict_proba(X)
        check_is_fitted(self)
        return self._lazily("predict_proba", X, np.empty((0, len(self.classes_))))

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of ``predict_proba``."""
        if not is_collection(X):
            return super().predict_log_proba(X)
        check_is_fitted(self)
        return self._lazily("predict_log_proba", X, np.empty((0, len(self.classes_))))

    def _lazily(self, method: str, X: Any, empty: NDArray[Any]) -> Any:
        local = self.to_local().set_params(n_jobs=1)  # blocks are what runs side by side
        return lazily(local, method, X, empty)


def is_collection(X: Any) -> bool:
    """Return True for dask arrays, data frames, series and bags, False for local data."""
    return hasattr(X, "map_blocks") or hasattr(X, "map_partitions")


def lazily(model: Any, method: str, X: Any, empty: NDArray[Any]) -> da.Array:
    """Have a method of the model called on every block; ``empty`` is its answer for no rows."""
    if X.ndim != 2 or X.shape[1] != model.n_features_in_:
        raise ValueError(
            f"X must have {model.n_features_in_} columns, as the data of the fit had; "
            f"it has shape {X.shape}"
        )
    # A separate task, so that the coefficients are in the graph once.
    options = {"model": delayed(model, traverse=False), "method": method, "empty": empty}
    if not hasattr(X, "chunks"):
        return on_partitions(ask_model, X, options)
    X = X.rechunk({1: -1})
    return da.map_blocks(
        ask_model,
        X,
        **options,
        dtype=empty.dtype,
        meta=empty,
        chunks=(X.chunks[0], *((width,) for width in empty.shape[1:])),
        drop_axis=[1] if empty.ndim == 1 else None,
    )


def lazily_on_texts(model: Any, method: str, X: Any, empty: NDArray[Any]) -> da.Array:
    """Have a method of a model of texts called on every block of them."""
    if getattr(X, "ndim", 1) != 1:
        raise ValueError(
            f"X must be one column of texts, got {X.ndim} dimensions: choose it, as in "
            "frame['text']"
        )
    options = {"model": delayed(model, traverse=False), "method": method, "empty": empty}
    if hasattr(X, "chunks"):
        widths = tuple((width,) for width in empty.shape[1:])
        return da.map_blocks(
            ask_about_texts,
            X,
            **options,
            dtype=empty.dtype,
            meta=empty,
            chunks=(X.chunks[0], *widths),
            new_axis=[1] if widths else None,
        )
    return on_partitions(ask_about_texts, X, options)


def on_partitions(ask: Callable[..., NDArray[Any]], X: Any, options: dict[str, Any]) -> da.Array:
    """Have a function called on every partition of a frame, a series or a bag.

    Their own ``map_partitions`` leaves a model that is a task as it is, in some versions of Dask.
    """
    empty = options["empty"]
    shape = (np.nan, *empty.shape[1:])
    answers = [delayed(ask)(block, **options) for block in X.to_delayed()]
    return da.concatenate([da.from_delayed(answer, shape, meta=empty) for answer in answers])


def ask_about_texts(X: Any, *, model: Any, method: str, empty: NDArray[Any]) -> NDArray[Any]:
    """Call a method of the model on some texts, or none."""
    texts = take_texts(X)
    return np.asarray(getattr(model, method)(texts)) if texts else empty


def ask_model(X: Any, *, model: Any, method: str, empty: NDArray[Any]) -> NDArray[Any]:
    """Call a method of the model on a block, which may have no rows."""
    return empty if X.shape[0] == 0 else np.asarray(getattr(model, method)(X))
