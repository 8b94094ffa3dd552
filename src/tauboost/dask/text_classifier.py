"""TextClassifier on a cluster: the local one, fitted on texts that stay on the workers."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any, Self

from distributed import Client
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from ..search.watch import Watch
from ..tuning.text_model import TextModel
from ..tuning.text_options import TextParameters as Defaults
from .classifier import SHARED, TauBoostClassifier
from .crew import Patience
from .lazy import LazyPredictions, lazily_on_texts
from .parts import check_client
from .text_parts import TextParts

__all__ = ["TextClassifier"]


class TextClassifier(LazyPredictions, estimators.TextClassifier):
    """:class:`tauboost.TextClassifier` on texts that are in parts on a Dask cluster.

    The terms, and their weights, are those of the local one to the last bit: the parts count, and
    the counts are added up before any term is left out. The linear model on top is fitted as by
    :class:`tauboost.dask.TauBoostClassifier`.

    Once fitted it predicts lazily on dask series, bags and arrays of strings, and on this machine
    on all that the local one takes.

    Parameters
    ----------
    ngram_range, min_df, max_df, max_features, lowercase, analyzer, token_pattern, stop_words
        As in :class:`tauboost.TextClassifier`.
    binary, sublinear_tf, use_idf, norm, n_features
        As there. With ``n_features``, ``use_idf=False`` and no pruning (``min_df=1``) nothing has
        to be counted first, and each text is read once.
    loss, alpha, l1_ratio, fit_intercept, penalty_factors, max_iter, tol, time_limit, random_state
        As there; with ``alpha="auto"``, chosen on a sample of the rows.
    verbose : int
        1 shows a live line: epoch, objective, rounds, bytes, seconds.
    client : distributed.Client, optional
        None takes the current one.
    n_parts : int, optional
        Into how many parts to gather the partitions, at most; None takes the number of workers.
    patience : Patience, optional
        When a worker that does not answer is given up.
    checkpoint : path, optional
        As in :class:`tauboost.dask.TauBoostClassifier`.

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

    def __init__(
        self,
        *,
        ngram_range: tuple[int, int] = Defaults.ngram_range,
        min_df: float | str = Defaults.min_df,
        max_df: float = Defaults.max_df,
        max_features: int | None = Defaults.max_features,
        lowercase: bool = Defaults.lowercase,
        analyzer: Any = Defaults.analyzer,
        token_pattern: str = Defaults.token_pattern,
        stop_words: Any = Defaults.stop_words,
        binary: bool = Defaults.binary,
        sublinear_tf: bool = Defaults.sublinear_tf,
        use_idf: bool = Defaults.use_idf,
        norm: str | None = Defaults.norm,
        n_features: int | None = Defaults.n_features,
        loss: str = Defaults.loss,
        alpha: float | str = Defaults.alpha,
        l1_ratio: float | str = Defaults.l1_ratio,
        fit_intercept: bool = Defaults.fit_intercept,
        penalty_factors: Any = Defaults.penalty_factors,
        max_iter: int = Defaults.max_iter,
        tol: float = Defaults.tol,
        time_limit: float | None = Defaults.time_limit,
        random_state: Any = Defaults.random_state,
        verbose: int = Defaults.verbose,
        client: Client | None = None,
        n_parts: int | None = None,
        patience: Patience | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(
            ngram_range=ngram_range,
            min_df=min_df,
            max_df=max_df,
            max_features=max_features,
            lowercase=lowercase,
            analyzer=analyzer,
            token_pattern=token_pattern,
            stop_words=stop_words,
            binary=binary,
            sublinear_tf=sublinear_tf,
            use_idf=use_idf,
            norm=norm,
            n_features=n_features,
            loss=loss,
            alpha=alpha,
            l1_ratio=l1_ratio,
            fit_intercept=fit_intercept,
            penalty_factors=penalty_factors,
            max_iter=max_iter,
            tol=tol,
            time_limit=time_limit,
            random_state=random_state,
            verbose=verbose,
        )
        self.client = client
        self.n_parts = n_parts
        self.patience = patience
        self.checkpoint = checkpoint

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
        client, parameters = check_client(self.client), Defaults.of(self)
        parameters.features(None)  # whatever is wrong is said before any work
        clock = Watch(parameters.linear().options(lambda _: False).time_limit)
        data = X if y is None else (X, y) if sample_weight is None else (X, y, sample_weight)
        parts = TextParts(client, data, self.n_parts, self.patience)
        features, rows = parts.rows(parameters.features(parts.n_texts))
        parts.release()
        linear = {name: getattr(self, name) for name in SHARED}
        linear |= {name: getattr(self, name) for name in ("client", "patience", "checkpoint")}
        linear["time_limit"] = clock.left
        fitter = TauBoostClassifier(n_parts=len(rows), **linear)
        fitter._has_own_units = False  # the weights of terms are meant
        self.model_ = TextModel(features, fitter.fit(rows).model_)

    def _lazily(self, method: str, X: Any, empty: NDArray[Any]) -> Any:
        local = self.to_local().set_params(n_jobs=1)  # blocks are what runs side by side
        return lazily_on_texts(local, method, X, empty)

    def to_local(self) -> estimators.TextClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        check_is_fitted(self)
        names = [known.name for known in fields(Defaults)]
        local = estimators.TextClassifier(**{name: getattr(self, name) for name in names})
        local.model_ = self.model_
        return local
