"""AdaBoost.PL on a cluster: one task a part, and nothing else to say to each other."""

from __future__ import annotations

import uuid
from typing import Any, Self

import numpy as np
from distributed import Client, get_worker

from .. import estimators
from ..estimators.stumps import Stumps, boost
from .crew import Crew, Patience
from .loading import LoadedPart, Summary, summarise
from .problem import check_client, start_loading, two_classes

__all__ = ["AdaBoostPLClassifier"]


class AdaBoostPLClassifier(estimators.AdaBoostPLClassifier):
    """:class:`tauboost.AdaBoostPLClassifier` on rows that are in parts on a Dask cluster.

    Once fitted it predicts on this machine, as the local one does, and on dask arrays.

    Parameters
    ----------
    n_estimators, n_thresholds
        As there.
    n_parts : int, optional
        Into how many parts to gather the chunks, at most; None takes the number of workers.
        Parts are as the data are cut: rows in no particular order are best.
    client : distributed.Client, optional
        None takes the current one.
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
        crew = Crew(client, Patience())
        token = uuid.uuid4().hex[:8]
        loaded, _ = start_loading(client, data, None, self.n_parts, token)
        summaries: list[Summary] = crew.wait(
            [
                client.submit(summarise, part, key=f"tauboost-summary-{token}-{k}")
                for k, part in enumerate(loaded)
            ]
        )
        self.classes_ = two_classes([label for summary in summaries for label in summary.labels])
        self.n_features_in_ = max(summary.n_features for summary in summaries)
        options = self.boost_options() | {"n_features": self.n_features_in_}
        boosts = [
            client.submit(boost_part, part, options, key=f"tauboost-boost-{token}-{k}")
            for k, (part, summary) in enumerate(zip(loaded, summaries, strict=True))
            if summary.n_present > 0
        ]
        self.merge(crew.wait(boosts))
        return self

    def to_local(self) -> estimators.AdaBoostPLClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        local = estimators.AdaBoostPLClassifier(
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
    """Tell dask arrays from what is on this machine."""
    return hasattr(X, "map_blocks") and hasattr(X, "chunks")


def boost_part(part: LoadedPart, options: dict[str, Any]) -> Stumps:
    """Boost the rows of a part, with the threads of its worker."""
    options = options | {"n_threads": get_worker().state.nthreads}
    X = part.widened(options.pop("n_features"))
    return boost(X, part.y, part.sample_weight, **options)
