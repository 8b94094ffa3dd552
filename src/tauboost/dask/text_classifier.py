"""TextClassifier on a cluster: the local one, fitted on texts that stay on the workers."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from ..parameters import (
    DaskLinearParameters,
    DaskTextParameters,
    TextParameters,
    parameters_of,
    refuse_on_dask,
)
from ..search.watch import Watch
from ..tuning.options import Options
from ..tuning.text_fitting import carried
from ..tuning.text_model import TextModel
from ..tuning.text_options import linear_part, text_options
from .classifier import TauBoostClassifier
from .lazy import LazyPredictions, lazily_on_texts
from .parts import check_client
from .text_parts import TextParts

__all__ = ["TextClassifier"]


class TextClassifier(LazyPredictions, DaskTextParameters, estimators.TextClassifier):
    """:class:`tauboost.TextClassifier` on texts that are in parts on a Dask cluster.

    The terms, and their weights, are those of the local one to the last bit: the parts count, and
    the counts are added up before any term is left out. The linear model on top is fitted as by
    :class:`tauboost.dask.TauBoostClassifier`.

    Once fitted it predicts lazily on dask series, bags and arrays of strings, and on this machine
    on all that the local one takes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    features_, classes_, coef_, intercept_, alpha_, l1_ratio_, loss_, n_iter_, objective_
    held_out_loss_, selection_, message_, record_
        As those of :class:`tauboost.TextClassifier`; ``record_`` has a hash of the data only where
        the strength was chosen on all of them.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd, tauboost.dask
    >>> from dask.distributed import Client
    >>> client = Client()  # doctest: +SKIP
    >>> table = pd.DataFrame({"text": ["a good film", "so bad"] * 50, "stars": [5, 1] * 50})
    >>> frame = dd.from_pandas(table, npartitions=4)
    >>> clf = tauboost.dask.TextClassifier(client=client, alpha=1e-2).fit(frame, "stars")
    >>> clf.predict(["good", "bad"]).tolist()
    [5, 1]
    """

    def fit(self, texts: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        Parameters
        ----------
        texts : dask series, bag or 1-D array of strings
            Or a dask data frame with one column of them beside those that y and sample_weight
            name; or a list of parts and no y: delayed or future ``(texts, y)`` or ``(texts, y,
            sample_weight)``, or :func:`text_files`.
        y : dask series, bag or array, or the name of a column
        sample_weight : as y, optional
            0 leaves a text out, its words too.
        """
        return super().fit(texts, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:  # noqa: ARG002
        refuse_on_dask(self)
        client, parameters = check_client(self.client), parameters_of(TextParameters, self)
        text_options(parameters, None)  # whatever is wrong is said before any work
        linear = Options.of(linear_part(parameters))
        clock = Watch(linear.time_limit)
        data = X if y is None else (X, y) if sample_weight is None else (X, y, sample_weight)
        parts = TextParts(client, data, self.n_parts, self.patience)
        features, rows = parts.rows(text_options(parameters, parts.n_texts))
        parts.release()
        fitter = TauBoostClassifier(
            **vars(parameters_of(DaskLinearParameters, self))
            | {"n_parts": len(rows), "time_limit": clock.left}
        )
        fitter._has_own_units = False  # the weights of terms are meant
        last = vars(self).get("model_") if linear.warm_start else None
        if last is not None:
            fitter.model_ = carried(last, features)
        self.model_ = TextModel(features, fitter.fit(rows).model_)

    def _lazily(self, method: str, X: Any, empty: NDArray[Any]) -> Any:
        local = self.to_local().set_params(n_jobs=1)  # blocks are what runs side by side
        return lazily_on_texts(local, method, X, empty)

    def to_local(self) -> estimators.TextClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        check_is_fitted(self)
        local = estimators.TextClassifier(**vars(parameters_of(TextParameters, self)))
        local.model_ = self.model_
        return local
