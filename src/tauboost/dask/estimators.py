"""TauBoostClassifier on a cluster: the local one, fitted on rows that stay on the workers.

Parameters, coefficients and predictions are those of the local one. With ``alpha="auto"`` the
local one chooses, on a sample of the rows that the driver can hold.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from ..base.arrays import Vector
from ..base.messages import warn_of
from ..base.threads import resolve_jobs
from ..estimators.base import finished, reporting_to_callbacks, with_callbacks
from ..parameters import (
    DaskLinearParameters,
    DaskTableParameters,
    DaskTextParameters,
    LinearParameters,
    TableParameters,
    TextParameters,
    parameters_of,
    refuse_on_dask,
    with_new_names,
)
from ..penalty import Factors
from ..search.options import Options
from ..search.record import Record
from ..search.search import Candidate, Watch, live_line
from ..sparse import search as alpha_path
from ..sparse.design import all_coefficients, flipped, note_of_width
from ..sparse.factors import checked_factors
from ..sparse.fitting import continued, fit
from ..sparse.model import Model
from ..sparse.refit import Minimum, message_of
from ..sparse.scaling import Units
from ..tables.fitting import fit_samples
from ..tables.options import TableOptions, check_monotone
from ..texts.model import TextModel
from ..texts.options import linear_part, text_options
from ..texts.training import carried
from ..validation import as_csr
from .labels import LabelledParts
from .loading import check_client
from .plan import Plan, starts_at
from .predictions import LazyPredictions, lazily_on_texts
from .solve import solve
from .sparse import DaskProblem
from .tables import TableParts
from .texts import TextParts

__all__ = ["TableClassifier", "TauBoostClassifier", "TextClassifier"]


class TauBoostClassifier(LazyPredictions, DaskLinearParameters, estimators.TauBoostClassifier):
    """:class:`tauboost.TauBoostClassifier` on rows that are in parts on a Dask cluster.

    The model is the optimum for all rows, within ``tol``, with a certificate: the split of the rows
    does not matter. With ``alpha="auto"`` up to 200,000 rows (and 20 million nonzeros) of all parts
    come to the driver, and the local classifier chooses loss, l1_ratio and alpha on them. The more
    rows, the weaker psi has to be: alpha falls as 1 over the number of rows, or over its square
    root where ``l1_ratio`` is 0.5 or more. The cluster starts from the solution on these rows;
    where they are all, nothing is left to do but to certify it. More than two classes are fitted
    one-vs-rest, one class after the other.

    Once fitted it predicts lazily on dask arrays and data frames, and on this machine on all that
    the local one takes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_, coef_, intercept_, alpha_, l1_ratio_, loss_, n_iter_, objective_, held_out_loss_
        As there; ``n_iter_`` counts sweeps over all rows, wherever they were made: 0 where the
        solution on a part of them was good enough. ``held_out_loss_`` is that of the sample.
    selection_, message_, n_features_in_, feature_names_in_, record_
        As there; alpha in ``selection_`` is that for the sample, and ``record_`` has a hash of the
        data only where the sample was all of them.

    Examples
    --------
    >>> import dask.array as da, tauboost.dask
    >>> from dask.distributed import Client
    >>> client = Client()  # doctest: +SKIP
    >>> X = da.random.default_rng(0).random((2000, 10), chunks=(500, -1)) > 0.7
    >>> y = (X[:, 0] | X[:, 1]).astype(int)
    >>> clf = tauboost.dask.TauBoostClassifier(client=client, alpha=1e-3).fit(X, y)
    >>> clf.predict(X[:4]).compute().shape
    (4,)
    >>> tauboost.save_model(clf.to_local(), "spam.tauboost")
    """

    # The rows of texts come in units that are meant.
    _has_own_units = True

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        X, y and sample_weight as in ``DaskProblem``'s tuple; or X a list of parts or a store, and
        no y.
        """
        return super().fit(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:  # noqa: ARG002
        refuse_on_dask(self)
        client = check_client(self.client)
        given = parameters_of(LinearParameters, self)
        options = Options.of(given)
        last = vars(self).get("model_") if options.warm_start else None
        clock = Watch(options.time_limit)
        data = X if y is None else (X, y) if sample_weight is None else (X, y, sample_weight)
        parts = LabelledParts(client, data, self.n_parts, self.patience)
        if last is not None:
            options = Options.of(continued(given, last, parts.n_given, parts.classes))
        parts.weigh(self.class_weight)
        units = parts.find_units(bool(self.fit_intercept)) if self._has_own_units else None
        factors = self._factors(parts)
        plan = self._plan(parts, options, clock, units)
        if last is not None:
            starts = starts_at(last, parts.used, units, fit_intercept=bool(self.fit_intercept))
            plan = replace(plan, starts=starts)
        record = None if parts.used is not None else plan.record
        if record is None:
            counts, sketch = parts.class_counts(), parts.sketch()
            record = Record.counted(counts, parts.n_given, sketch=sketch)
        found = self._solved(parts, plan, factors, units, options, clock)
        gaps = [minimum.gap for minimum in found if minimum.gap is not None]
        gap = max(gaps) if len(gaps) == len(found) else None
        note = note_of_width(parts.used, parts.n_given)
        record = replace(record, caution=note, gap=gap)
        self._keep_found(parts, plan, found, units, record, options.tol)
        self._keep_names(names_of(data))
        warn_of(note)

    def _factors(self, parts: LabelledParts) -> list[Factors | None]:
        """Return the factors of l1 and l2 for each two-class problem."""
        given = self._given_factors(parts)
        if isinstance(given, str):
            return [(1.0 / s, 1.0 / np.square(s)) for s in parts.find_scales()]
        return [None if given is None else (given, given)] * len(parts.codes)

    def _given_factors(self, parts: LabelledParts) -> Vector | str | None:
        """Return the factors of the features that parts have, as they were given."""
        given = checked_factors(self.penalty_factors, parts.n_given)
        is_narrow = isinstance(given, np.ndarray) and parts.used is not None
        return given[parts.used] if is_narrow else given  # type: ignore[index]

    def _plan(
        self, parts: LabelledParts, options: Options, clock: Watch, units: Units | None
    ) -> Plan:
        """Take what is given, or have the local classifier choose on a sample."""
        if not isinstance(options.alpha, str):
            assert not isinstance(options.l1_ratio, str)
            return Plan(Candidate(options.loss, options.alpha, options.l1_ratio))
        rows = parts.sample()
        chosen_by = replace(
            options,
            class_weight=parts.class_weights,
            penalty_factors=self._given_factors(parts),
            time_limit=clock.left,
        )
        with live_line(self.verbose) as line:
            local = fit(
                as_csr(rows.X),
                rows.codes,
                chosen_by,
                n_threads=resolve_jobs(self.n_jobs),
                sample_weight=rows.weights,
                report=line,
                units=units,
            )
        return Plan.of_choice(local, rows, units, fit_intercept=bool(self.fit_intercept))

    def _solved(
        self,
        parts: LabelledParts,
        plan: Plan,
        factors: list[Factors | None],
        units: Units | None,
        options: Options,
        clock: Watch,
    ) -> list[Minimum]:
        """Solve one two-class problem after the other, each loaded when it is its turn."""
        found = list[Minimum]()
        for code, own in zip(parts.codes, factors, strict=True):
            problem = DaskProblem(
                parts.labelled(code),
                client=parts.client,
                n_parts=len(parts.loaded),
                loss=plan.candidate.loss,
                fit_intercept=bool(self.fit_intercept),
                patience=self.patience,
            )
            if code == parts.codes[-1]:
                parts.release()
            problem.note_units(units)
            result = solve(
                problem.client,
                problem,
                **plan.options_of(len(found), problem, own, options),
                time_limit=clock.left,
                random_state=alpha_path.SEED,
                checkpoint=checkpoint_of(self.checkpoint, code, len(parts.codes)),
                progress=bool(self.verbose),
            )
            found.append(plan.minimum(result))
        return found

    def _keep_found(
        self,
        parts: LabelledParts,
        plan: Plan,
        found: list[Minimum],
        units: Units | None,
        record: Record,
        tol: float,
    ) -> None:
        # Points are lam in the order of the features, and the intercept.
        points = flipped(np.stack([minimum.point for minimum in found]))
        coef, intercept = points[:, :-1], points[:, -1]
        if units is not None:
            coef, intercept = units.outward(coef, intercept)
        self.n_features_in_ = parts.n_given
        self.model_ = Model(
            classes=parts.classes,
            coef=all_coefficients(coef, parts.used, parts.n_given),
            intercept=intercept,
            loss=plan.candidate.loss,
            alpha=plan.candidate.alpha,
            l1_ratio=plan.candidate.l1_ratio,
            n_iter=max(minimum.n_sweeps for minimum in found),
            objective=np.array([minimum.objective for minimum in found]),
            held_out_loss=plan.held_out_loss,
            message=plan.message + message_of(found, tol),
            selection=plan.table,
            record=record,
        )

    def _keep_names(self, names: NDArray[Any] | None) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def to_local(self) -> estimators.TauBoostClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        check_is_fitted(self)
        local = estimators.TauBoostClassifier(**vars(parameters_of(LinearParameters, self)))
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(local, name, value)
        return local


def names_of(data: Any) -> NDArray[Any] | None:
    """Return the names of the features, where the data are a frame that has them."""
    if not isinstance(data, tuple) or not hasattr(data[0], "columns"):
        return None
    others = [column for column in data[1:] if isinstance(column, str)]
    names = [name for name in data[0].columns if name not in others]
    if not all(isinstance(name, str) for name in names):
        return None
    return np.array(names, dtype=object)


def checkpoint_of(path: str | os.PathLike[str] | None, code: int, n_problems: int) -> Path | None:
    """Return the checkpoint of one of several problems."""
    if path is None or n_problems == 1:
        return None if path is None else Path(path)
    return Path(f"{os.fspath(path)}.{code}")


# TableClassifier on a cluster: the local one, fitted on rows that stay on the workers.


class TableClassifier(LazyPredictions, DaskTableParameters, estimators.TableClassifier):
    """:class:`tauboost.TableClassifier` on rows that are in parts on a Dask cluster.

    Bins, alpha, pairs and scores are those of the local one, but for rounding: the parts send
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


# TextClassifier on a cluster: the local one, fitted on texts that stay on the workers.


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
        alpha was chosen on all of them.

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
