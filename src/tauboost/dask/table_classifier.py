"""TableClassifier on a cluster: the local one, fitted on rows that stay on the workers."""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from .. import estimators
from ..estimators.callbacks import finished, reporting_to_callbacks, with_callbacks
from ..parameters import (
    DaskTableParameters,
    TableParameters,
    parameters_of,
    refuse_on_dask,
    with_new_names,
)
from ..search.watch import Watch, live_line
from ..tables.fitting import fit_samples
from ..tables.options import TableOptions, check_monotone
from .lazy import LazyPredictions
from .parts import check_client
from .table_parts import TableParts

__all__ = ["TableClassifier"]


class TableClassifier(LazyPredictions, DaskTableParameters, estimators.TableClassifier):
    """:class:`tauboost.TableClassifier` on rows that are in parts on a Dask cluster.

    Bins, strength, pairs and scores are those of the local one, but for rounding: the parts send
    sums, and the driver decides. A term costs one round of messages, whose size depends on the bins
    and not on the rows.

    Once fitted it predicts lazily on dask data frames and arrays, and on this machine on all that
    the local one takes.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd, tauboost.dask
    >>> from dask.distributed import Client
    >>> client = Client()  # doctest: +SKIP
    >>> table = pd.DataFrame({"age": [25, 61, 33, 58] * 50, "paid": ["no", "yes"] * 100})
    >>> frame = dd.from_pandas(table, npartitions=4)
    >>> clf = tauboost.dask.TableClassifier(client=client, alpha=1e-3).fit(frame, "paid")
    >>> clf.to_local().terms_.names
    ['age']
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        X a dask data frame or array, y and sample_weight series, arrays or names of its columns; or
        X a list of delayed or future parts, ``(X, y)`` or ``(X, y, sample_weight)``, and no y.
        """
        return super().fit(X, y, sample_weight, groups)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:  # noqa: ARG002
        refuse_on_dask(self)
        client = check_client(self.client)
        data = X if y is None else (X, y) if sample_weight is None else (X, y, sample_weight)
        parts = TableParts(client, data, self.n_parts, self.patience)
        parameters = with_new_names(self)
        options = TableOptions.build(parameters, parts.frame)
        clock = Watch(options.time_limit)
        samples = parts.binned(parameters)
        signs = check_monotone(parameters.monotonic_cst, parts.frame, samples.columns, options)
        with live_line(self.verbose) as line:
            report = reporting_to_callbacks(self, line)
            model = fit_samples(samples, options, signs, clock, parts.classes, report, parts.record)
        self._learn_names(parts.frame)
        self.model_ = model
        finished(self)

    def to_local(self) -> estimators.TableClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        check_is_fitted(self)
        local = estimators.TableClassifier(**vars(parameters_of(TableParameters, self)))
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(local, name, value)
        return local
