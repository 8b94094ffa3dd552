"""TableClassifier on a cluster: the local one, fitted on rows that stay on the workers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self

from distributed import Client
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from ..estimators.callbacks import finished, reporting_to_callbacks, with_callbacks
from ..search.watch import Watch, live_line
from ..tables.fitting import fit_samples
from ..tables.options import TableOptions, TableParameters, check_monotone
from .crew import Patience
from .lazy import LazyPredictions
from .parts import check_client
from .table_parts import TableParts

__all__ = ["TableClassifier"]


class TableClassifier(LazyPredictions, estimators.TableClassifier):
    """:class:`tauboost.TableClassifier` on rows that are in parts on a Dask cluster.

    Bins, strength, pairs and scores are those of the local one, but for rounding: the parts send
    sums, and the driver decides. A term costs one round of messages, whose size depends on the bins
    and not on the rows.

    Once fitted it predicts lazily on dask data frames and arrays, and on this machine on all that
    the local one takes.

    Parameters
    ----------
    interactions, monotone, alpha, l1_ratio, loss, penalty_factors, max_bins, categorical
        As in :class:`tauboost.TableClassifier`.
    class_weight, max_iter, tol, time_limit, random_state, verbose
        As there.
    bands : None
        The bootstrap needs the rows at hand: there are no bands here.
    client : distributed.Client, optional
        None takes the current one.
    n_parts : int, optional
        Into how many parts to gather the partitions, at most; None takes the number of workers.
    patience : Patience, optional
        When a worker that does not answer is given up.

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

    def __init__(
        self,
        *,
        interactions: Any = "auto",
        monotone: dict[Any, int] | None = None,
        alpha: float | str = "auto",
        l1_ratio: float | str = 1.0,
        loss: str = "logistic",
        penalty_factors: Any = "auto",
        max_bins: int = 255,
        categorical: Any = "auto",
        class_weight: Any = None,
        max_iter: int = 1000,
        tol: float = 1e-3,
        time_limit: float | None = None,
        random_state: Any = None,
        bands: float | None = None,
        verbose: int = 0,
        client: Client | None = None,
        n_parts: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(
            interactions=interactions,
            monotone=monotone,
            alpha=alpha,
            l1_ratio=l1_ratio,
            loss=loss,
            penalty_factors=penalty_factors,
            max_bins=max_bins,
            categorical=categorical,
            class_weight=class_weight,
            max_iter=max_iter,
            tol=tol,
            time_limit=time_limit,
            random_state=random_state,
            bands=bands,
            verbose=verbose,
        )
        self.client = client
        self.n_parts = n_parts
        self.patience = patience

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        X a dask data frame or array, y and sample_weight series, arrays or names of its columns; or
        X a list of delayed or future parts, ``(X, y)`` or ``(X, y, sample_weight)``, and no y.
        """
        return super().fit(X, y, sample_weight, groups)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:  # noqa: ARG002
        if self.bands is not None:
            raise ValueError("bands need all rows on one machine: fit tauboost.TableClassifier")
        client = check_client(self.client)
        data = X if y is None else (X, y) if sample_weight is None else (X, y, sample_weight)
        parts = TableParts(client, data, self.n_parts, self.patience)
        parameters = TableParameters.of(self)
        options = TableOptions.build(parameters, parts.frame)
        clock = Watch(options.time_limit)
        samples = parts.binned(parameters.max_bins, parameters.categorical, parameters.class_weight)
        signs = check_monotone(parameters.monotone, parts.frame, samples.columns, options)
        with live_line(self.verbose) as line:
            report = reporting_to_callbacks(self, line)
            model = fit_samples(samples, options, signs, clock, parts.classes, report, parts.record)
        self._learn_names(parts.frame)
        self.model_ = model
        finished(self)

    def to_local(self) -> estimators.TableClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        check_is_fitted(self)
        names = [known.name for known in fields(TableParameters)]
        local = estimators.TableClassifier(**{name: getattr(self, name) for name in names})
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(local, name, value)
        return local
