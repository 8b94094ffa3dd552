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
from ..base.fit_warning import warn_of
from ..base.threads import resolve_jobs
from ..design.sparse import flipped
from ..design.units import Units
from ..design.wide import all_coefficients, note_of_width
from ..parameters import (
    DaskLinearParameters,
    LinearParameters,
    parameters_of,
    refuse_on_dask,
)
from ..penalty import Factors
from ..search.search import Candidate
from ..search.watch import Watch, live_line
from ..tuning import alpha_path
from ..tuning.first_step import checked_factors
from ..tuning.fitting import continued, fit
from ..tuning.model import Model
from ..tuning.options import Options
from ..tuning.record import Record
from ..tuning.trained import Minimum, message_of
from ..validation import as_csr
from .labelled import LabelledParts
from .lazy import LazyPredictions
from .parts import check_client
from .plan import Plan, starts_at
from .problem import DaskProblem
from .solver import solve

__all__ = ["TauBoostClassifier"]


class TauBoostClassifier(LazyPredictions, DaskLinearParameters, estimators.TauBoostClassifier):
    """:class:`tauboost.TauBoostClassifier` on rows that are in parts on a Dask cluster.

    The model is the optimum for all rows, within ``tol``, with a certificate: how the rows are cut
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
                loss=plan.strength.loss,
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
            loss=plan.strength.loss,
            alpha=plan.strength.alpha,
            l1_ratio=plan.strength.l1_ratio,
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
