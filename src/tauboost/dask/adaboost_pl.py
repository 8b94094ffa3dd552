"""AdaBoost.PL on a cluster: one task a part, and nothing else to say to each other."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from distributed import Client, get_worker

from ..paper import adaboost_pl
from ..paper.stumps import Stumps, boost
from .actors import ActorPool
from .loading import LoadedPart, LoadedParts, check_client

__all__ = ["AdaBoostPLClassifier"]


class AdaBoostPLClassifier(adaboost_pl.AdaBoostPLClassifier):
    """:class:`tauboost.AdaBoostPLClassifier` on rows that are in parts on a Dask cluster.

    Once fitted it predicts on this machine, as the local one does, and on dask arrays.

    Parameters
    ----------
    n_estimators, n_thresholds
        As there.
    n_parts : int, optional
        Into how many parts to gather the chunks, at most; None takes the number of workers.
        Parts are as the data are partitioned: rows in no particular order are best.
    client : distributed.Client, optional
        None takes the current one.

    Examples
    --------
    >>> import dask.array as da, tauboost.dask
    >>> from dask.distributed import Client
    >>> client = Client()  # doctest: +SKIP
    >>> X = da.random.default_rng(0).random((2000, 10), chunks=(500, -1)) > 0.7
    >>> y = (X[:, 0] | X[:, 1]).astype(int)
    >>> clf = tauboost.dask.AdaBoostPLClassifier(10, client=client).fit(X, y)
    >>> float(clf.score(X.compute(), y.compute()))
    1.0
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_parts: int | None = None,
        n_thresholds: int = 16,
        client: Client | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_parts = n_parts  # type: ignore[assignment]
        self.n_thresholds = n_thresholds
        self.client = client

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Boost every part on its worker; merge here.

        X and y as in ``DaskProblem``'s tuple; or X a list of parts or a store, and no y.
        """
        client = check_client(self.client)
        data = X if y is None else (X, y) if sample_weight is None else (X, y, sample_weight)
        parts = LoadedParts(ActorPool(client), data, None, self.n_parts)
        self.classes_ = parts.two_classes()
        self.n_features_in_ = max(summary.n_features for summary in parts.summaries)
        options = self.boost_options() | {"n_features": self.n_features_in_}
        boosts = parts.on_each("boost", boost_part, options, chosen=parts.present)
        self.merge(parts.pool.wait(boosts))
        return self

    def to_local(self) -> adaboost_pl.AdaBoostPLClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        local = adaboost_pl.AdaBoostPLClassifier(
            self.n_estimators, n_parts=len(self.parts_), n_thresholds=self.n_thresholds
        )
        local.classes_, local.n_features_in_ = self.classes_, self.n_features_in_
        local.merge(self.parts_)
        return local

    def decision_function(self, X: Any) -> Any:
        """Return the weighted vote of the merged hypotheses; positive: the second class."""
        if is_dask_array(X):
            decide = self.to_local().decision_function
            return X.map_blocks(decide, drop_axis=1, dtype=np.float64)
        return super().decision_function(X)

    def predict(self, X: Any) -> Any:
        """Return the class that the vote is for."""
        if is_dask_array(X):
            predict = self.to_local().predict
            return X.map_blocks(predict, drop_axis=1, dtype=self.classes_.dtype)
        return super().predict(X)


def is_dask_array(X: Any) -> bool:
    """Return True for dask arrays, False for what is on this machine."""
    return hasattr(X, "map_blocks") and hasattr(X, "chunks")


def boost_part(part: LoadedPart, options: dict[str, Any]) -> Stumps:
    """Boost the rows of a part, with the threads of its worker."""
    options = options | {"n_threads": get_worker().state.nthreads}
    X = part.widened(options.pop("n_features"))
    return boost(X, part.y, part.sample_weight, **options)
