"""TauBoostClassifier on a cluster: the local one, fitted on rows that stay on the workers.

Parameters, coefficients and predictions are those of the local one. With ``alpha="auto"`` the
local one chooses, on a sample of the rows that the driver can hold.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from distributed import Client
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from ..base.arrays import Vector
from ..base.threads import resolve_jobs
from ..design.sparse import flipped
from ..design.units import Units
from ..solvers import Result, Status
from ..tuning.events import live_line
from ..tuning.fitting import fit
from ..tuning.options import Clock, Options, Parameters
from ..tuning.record import Record
from ..tuning.strength import Strength
from ..tuning.training import FEW_SWEEPS
from ..validation import as_csr, check_seed
from .crew import Patience
from .labelled import LabelledParts
from .lazy import LazyPredictions
from .parts import check_client
from .problem import DaskProblem
from .solver import solve

__all__ = ["TauBoostClassifier"]

# The parameters that the local one has too.
SHARED = (
    "loss",
    "alpha",
    "l1_ratio",
    "fit_intercept",
    "max_iter",
    "tol",
    "time_limit",
    "random_state",
    "verbose",
)


@dataclass(frozen=True)
class Plan:
    """What to fit on all rows: as given, or as chosen on a sample."""

    strength: Strength
    max_sweeps: int
    seed: int
    starts: list[Vector] | None = None  # lam0 for each class
    held_out_loss: float = float("nan")
    table: list[dict[str, float | str]] | None = None
    message: str = ""
    record: Record | None = None  # of all rows; None: of those of the choice only, which is less


class TauBoostClassifier(LazyPredictions, estimators.TauBoostClassifier):
    """:class:`tauboost.TauBoostClassifier` on rows that are in parts on a Dask cluster.

    With a given ``alpha`` the coefficients are those of the local one. With ``alpha="auto"`` up to
    200,000 rows (and 20 million nonzeros) of all parts come to the driver, the local classifier
    chooses loss, l1_ratio, alpha and number of sweeps on them, and the choice is fitted on all rows
    on the cluster. The more rows, the weaker psi has to be: alpha falls as 1 over the number of
    rows, or over its square root where ``l1_ratio`` is 0.5 or more. More than two classes are told
    apart one against the rest, one class after the other.

    Once fitted it predicts lazily on dask arrays and data frames, and on this machine on all that
    the local one takes.

    Parameters
    ----------
    loss, alpha, l1_ratio, fit_intercept, max_iter, tol, time_limit, random_state
        As in :class:`tauboost.TauBoostClassifier`.
    verbose : int
        1 shows a live line: epoch, objective, rounds, bytes, seconds.
    client : distributed.Client, optional
        None takes the current one.
    n_parts : int, optional
        Into how many parts to gather the chunks, at most; None takes the number of workers.
    patience : Patience, optional
        When a worker that does not answer is given up.
    checkpoint : path, optional
        A file on the driver, as in :func:`solve`: a fit that was cut short goes on from it. With
        more than two classes, one file for each: ``path.0``, ``path.1``, ... With ``alpha="auto"``
        it needs a ``random_state``, so that the choice is the same again.

    Attributes
    ----------
    classes_, coef_, intercept_, alpha_, l1_ratio_, loss_, n_iter_, objective_, held_out_loss_
        As there; ``n_iter_`` counts sweeps over all rows, ``held_out_loss_`` is that of the sample.
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

    # What the local one can be told and this one cannot.
    class_weight = None
    early_stopping = False
    validation_fraction = 0.2
    calibration = None
    warm_start = False
    n_jobs = -1
    # The rows of texts come in units that are meant.
    _has_own_units = True

    def __init__(
        self,
        *,
        loss: str = "logistic",
        alpha: float | str = "auto",
        l1_ratio: float | str = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-3,
        time_limit: float | None = None,
        random_state: Any = None,
        verbose: int = 0,
        client: Client | None = None,
        n_parts: int | None = None,
        patience: Patience | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.verbose = verbose
        self.client = client
        self.n_parts = n_parts
        self.patience = patience
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model; if this fails, the estimator stays as it was.

        X, y and sample_weight as in ``DaskProblem``'s tuple; or X a list of parts or a store, and
        no y.
        """
        return super().fit(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:  # noqa: ARG002
        client = check_client(self.client)
        options = Parameters.of(self).options(lambda _: False)
        clock = Clock(options.time_limit)
        data = X if y is None else (X, y) if sample_weight is None else (X, y, sample_weight)
        parts = LabelledParts(client, data, self.n_parts, self.patience)
        fit_intercept = bool(self.fit_intercept)
        units = parts.find_units(fit_intercept) if self._has_own_units else None
        plan = self._plan(parts, options, clock, units)
        if plan.record is None:
            counts, sketch = parts.class_counts(), parts.sketch()
            record = Record.counted(counts, parts.n_features, sketch=sketch)
            plan = replace(plan, record=record)
        codes = [1] if len(parts.classes) == 2 else list(range(len(parts.classes)))
        results = []
        for k, code in enumerate(codes):
            problem = DaskProblem(
                parts.labelled(code),
                client=client,
                n_parts=len(parts.loaded),
                loss=plan.strength.loss,
                fit_intercept=fit_intercept,
                patience=self.patience,
            )
            if code == codes[-1]:
                parts.release()
            lam0 = None if plan.starts is None else plan.starts[k]
            file = checkpoint_of(self.checkpoint, code, len(codes))
            problem.note_units(units)
            results.append(self._solve(problem, plan, options.tol, clock, lam0, file))
        self._keep_results(parts, plan, results, names_of(data), units)

    def _plan(
        self, parts: LabelledParts, options: Options, clock: Clock, units: Units | None
    ) -> Plan:
        """Take what is given, or have the local classifier choose on a sample."""
        if not isinstance(options.alpha, str):
            assert not isinstance(options.l1_ratio, str)
            strength = Strength(options.loss, options.alpha, options.l1_ratio)
            return Plan(strength, options.max_iter, self._seed())
        rows = parts.sample()
        shared = {name: getattr(self, name) for name in SHARED}
        shared["time_limit"] = clock.left
        with live_line(self.verbose) as line:
            local = fit(
                as_csr(rows.X),
                rows.codes,
                Parameters(**shared),
                n_threads=resolve_jobs(self.n_jobs),
                sample_weight=rows.weights,
                report=line,
                units=units,
            )
        # The loss outgrows l2 as rows are added; the noise that l1 holds down falls as their root.
        scale = rows.fraction if local.l1_ratio < 0.5 else rows.fraction**0.5
        plan = Plan(
            Strength(local.loss, local.alpha * scale, local.l1_ratio),
            options.max_iter,
            self._seed(),
            held_out_loss=local.held_out_loss,
            table=local.selection,
            message=f"Chosen on {len(rows.codes)} rows: {local.loss} loss, "
            f"alpha={local.alpha * scale:.3g}, l1_ratio={local.l1_ratio:g}. ",
            record=local.record if rows.fraction == 1.0 else None,
        )
        if local.n_iter <= FEW_SWEEPS and np.isfinite(local.held_out_loss):
            return replace(plan, max_sweeps=local.n_iter)
        if rows.fraction < 1.0:  # near enough to the optimum to stop there, and not as good
            return plan
        coef, intercept = local.coef, local.intercept
        if units is not None:
            coef, intercept = units.inward(coef, intercept)
        points = flipped(np.column_stack([coef, intercept]))
        return replace(plan, starts=list(points if self.fit_intercept else points[:, :-1]))

    def _seed(self) -> int:
        return check_seed(self.random_state)

    def _solve(
        self,
        problem: DaskProblem,
        plan: Plan,
        tol: float,
        clock: Clock,
        lam0: Vector | None,
        checkpoint: Path | None,
    ) -> Result:
        return solve(
            problem.client,
            problem,
            alpha=plan.strength.alpha,
            l1_ratio=plan.strength.l1_ratio,
            max_epochs=plan.max_sweeps,
            tol=tol,
            time_limit=clock.left,
            lam0=lam0,
            random_state=plan.seed,
            checkpoint=checkpoint,
            progress=bool(self.verbose),
        )

    def _keep_results(
        self,
        parts: LabelledParts,
        plan: Plan,
        results: list[Result],
        names: NDArray[Any] | None,
        units: Units | None,
    ) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_features_in_ = parts.n_features
        self.classes_ = parts.classes
        self.coef_ = flipped(np.stack([result.lam for result in results]))
        self.intercept_ = flipped(np.array([result.intercept for result in results]))
        if units is not None:
            self.coef_, self.intercept_ = units.outward(self.coef_, self.intercept_)
        self.loss_ = plan.strength.loss
        self.alpha_ = plan.strength.alpha
        self.l1_ratio_ = plan.strength.l1_ratio
        self.n_iter_ = max(1, *(int(np.ceil(result.n_epochs)) for result in results))
        self.objective_ = np.array([result.objective for result in results])
        self.held_out_loss_ = plan.held_out_loss
        self.selection_ = plan.table or []
        # If one class did not get to the end, that is what there is to say.
        last = min(results, key=lambda result: result.status is Status.CONVERGED)
        self.message_ = plan.message + last.message
        assert plan.record is not None
        gaps = [result.gap for result in results if result.gap is not None]
        known = len(gaps) == len(results)
        self.record_ = replace(plan.record, caution="", gap=max(gaps) if known else None)

    def to_local(self) -> estimators.TauBoostClassifier:
        """Return the fitted model without its client, to be kept or sent elsewhere."""
        check_is_fitted(self)
        local = estimators.TauBoostClassifier(**{name: getattr(self, name) for name in SHARED})
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
