"""What every classifier here does alike: it holds a model, and a fit that fails changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils import check_array
from sklearn.utils.validation import _check_n_features, _check_y, column_or_1d, validate_data

from ..base.arrays import Vector, are_texts, is_masked
from ..base.messages import shown
from ..io.model_file import ModelFile
from ..models import FittedModel
from ..search.search import Event, Report
from ..validation import CsrArrays, as_csr, is_store, labels_of, refuse_dask, refuse_missing_labels

__all__ = [
    "CallbackSupportMixin",
    "FittedAttribute",
    "PredictionsMixin",
    "csr",
    "finished",
    "reporting_to_callbacks",
    "take_labelled",
    "take_labels",
    "take_rows",
    "with_callbacks",
]


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


# scikit-learn's callbacks, where the installed version has them (1.9 and newer).
#
# Each sweep is a task below the fit: callbacks such as ``sklearn.callback.ProgressBar`` follow
# them, and a callback that asks to stop ends the fit with what has been reached.


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn: nothing to support

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's mixin."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as it is."""
        return method


def reporting_to_callbacks(estimator: Any, report: Report | None) -> Report | None:
    """Return a report function that calls the estimator's callbacks too."""
    if not hasattr(estimator, "_init_callback_context"):
        return report
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator)
    if "_skl_callbacks" not in vars(estimator):
        return report

    def report_to_all(event: Event) -> bool:
        if event.phase == "build":  # no sweep yet
            return report is not None and report(event)
        task = context.subcontext(task_name="sweep")
        task.call_on_fit_task_begin(estimator=estimator)
        stop = task.call_on_fit_task_end(estimator=estimator, metadata=asdict(event))
        return (report is not None and report(event)) or bool(stop)

    return report_to_all


def finished(estimator: Any) -> None:
    """Tell the callbacks that the fit is over."""
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator)


# What estimators are given, through the gate first and then through scikit-learn's own checks.
#
# The order matters: scikit-learn converts sparse matrices with compiled code that believes their
# indices, so a sparse X is checked before scikit-learn sees it.


LONGEST_MESSAGE = 280


def take_labelled(estimator: Any, X: Any, y: Any) -> tuple[CsrArrays, NDArray[Any]]:
    """Check the samples of a fit and their labels; the estimator learns their width and names.

    ``estimator`` may be None.
    """
    if is_store(X):
        if estimator is not None:
            _check_n_features(estimator, X, reset=True)
        return as_csr(X), take_labels(X.y if y is None else y, X.shape[0])
    if y is None:
        whose = "tauboost" if estimator is None else type(estimator).__name__
        raise ValueError(f"{whose} requires y to be passed, but the target y is None")
    rows = _rows(estimator, X, reset=True)
    if isinstance(rows, CsrArrays):
        return rows, take_labels(y, rows.shape[0])
    return as_csr(rows), take_labels(y, rows.shape[0])


def take_labels(y: Any, n_samples: int) -> NDArray[Any]:
    """Check a vector of labels."""
    refuse_dask(y, "y")
    if sp.issparse(y):
        raise TypeError("y must be a vector of labels, got a sparse matrix")
    if is_masked(y):
        raise ValueError("y is a masked array with missing labels: every sample needs one")
    given = y if hasattr(y, "dtype") or hasattr(y, "__array__") else labels_of(y)
    if getattr(given, "ndim", 1) == 0:
        raise ValueError(f"y must be a vector of labels, one for each sample, got {shown(y)}")
    if getattr(given, "ndim", 1) == 1:
        refuse_missing_labels(np.asarray(given))
    labels = np.asarray(
        column_or_1d(_check_y(given, multi_output=True, y_numeric=False), warn=True)
    )
    refuse_missing_labels(labels)
    if len(labels) != n_samples:
        raise ValueError(
            f"y has {len(labels)} labels, but X has {n_samples} samples: inconsistent numbers"
        )
    return labels


def take_rows(estimator: Any, X: Any) -> CsrArrays | Vector:
    """Check samples to be predicted: sparse ones and stores as CSR, all else as a dense array."""
    if is_store(X):
        _check_n_features(estimator, X, reset=False)
        return as_csr(X)
    rows = _rows(estimator, X, reset=False)
    if not isinstance(rows, CsrArrays) and not np.isfinite(rows).all():
        bad = np.count_nonzero(~np.isfinite(rows))
        raise ValueError(f"X contains NaN or infinity ({bad} of its values)")
    return rows


def _rows(estimator: Any, X: Any, *, reset: bool) -> CsrArrays | Vector:
    refuse_dask(X, "X")
    # scikit-learn would search X for names, which takes longer than to predict a row.
    is_bare = not reset and not hasattr(estimator, "feature_names_in_")
    if sp.issparse(X):
        arrays = as_csr(X)
        if is_bare:
            _check_n_features(estimator, X, reset=False)
        elif estimator is not None:
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        return arrays
    if is_bare and _is_plain(X, estimator.n_features_in_):
        return X  # type: ignore[no-any-return]
    if isinstance(X, str) or are_texts(X):
        raise ValueError("X holds texts, and rows of numbers are needed: use TextClassifier")
    if is_masked(X):
        raise ValueError("X is a masked array with missing values: fill them in first")
    # Values that are not finite are left to our own check, whose message fits.
    options: dict[str, Any] = {"dtype": np.float64, "accept_sparse": "csr"}
    options["ensure_all_finite"] = False
    try:
        with np.errstate(over="ignore"):
            if estimator is None:
                checked = check_array(X, **options)
            else:
                checked = validate_data(estimator, X, reset=reset, **options)
    except (TypeError, ValueError) as error:
        raise type(error)(_in_words(str(error))) from None
    return as_csr(checked) if sp.issparse(checked) else checked  # a table of sparse columns


def _is_plain(X: Any, n_features: int) -> bool:
    """Return True if nothing in X needs to be converted, and it has the columns of the fit."""
    is_matrix = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2
    return is_matrix and len(X) > 0 and X.shape[1] == n_features


def _in_words(text: str) -> str:
    """Say what scikit-learn says, or more where X is a table with strings."""
    if "could not convert string to float" in text:
        return (
            "X holds strings (could not convert string to float): use TableClassifier, which takes "
            "them as categories, or TextClassifier for a column of texts"
        )
    return _one_line(text)


def _one_line(text: str) -> str:
    """Return a message of scikit-learn without the array it prints, on one line, not too long."""
    lines = [line.strip() for line in text.splitlines()]
    kept = " ".join(line for line in lines if line and not line.startswith(("array=", "[")))
    return kept if len(kept) <= LONGEST_MESSAGE else f"{kept[: LONGEST_MESSAGE - 3]}..."


# Sparse matrices or sparse arrays of SciPy: what scikit-learn is set to, so is tauboost.


def csr(*content: Any, **options: Any) -> Any:
    """Return a CSR array where scikit-learn is set to them (``sparse_interface``), else a matrix.

    Versions before 1.9 know matrices only.
    """
    is_array = get_config().get("sparse_interface") == "sparray"
    return (sp.csr_array if is_array else sp.csr_matrix)(*content, **options)
