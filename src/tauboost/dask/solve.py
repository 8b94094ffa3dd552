"""``solve`` on a cluster: the methods of one machine, with a checkpoint and a line of progress."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from rich.progress import BarColumn, TextColumn

from ..base.arrays import Vector
from ..base.progress import Bars
from ..io.checkpoint import SolveCheckpoint
from ..methods import solve as solve_anywhere
from ..penalty import Bounds, Factors, Penalty, check_factors
from ..solvers.monitor import Callback, Snapshot
from ..solvers.result import Result
from ..solvers.stopping import DEFAULT_MAX_EPOCHS
from .actors import ActorPool, Patience
from .sparse import DaskProblem

__all__ = ["ProgressLine", "solve"]


# A line on the driver's terminal that says where a solve is.


class ProgressLine:
    """Shows epochs, objective, rounds, bytes and seconds at every check; a context manager."""

    def __init__(self, pool: ActorPool, max_epochs: float, *, is_shown: bool) -> None:
        self.pool = pool
        self._progress = Bars(
            TextColumn("epoch {task.completed:.1f}"),
            BarColumn(bar_width=20),
            TextColumn("{task.description}"),
            disable=not is_shown,
            transient=False,
        )
        self._task = self._progress.add_task("", total=max_epochs)

    def show(self, at: Snapshot) -> None:
        """Show the current point."""
        pool = self.pool
        rebuilt = f", {pool.rebuilt} parts rebuilt" if pool.rebuilt else ""
        self._progress.update(
            self._task,
            completed=at.epoch,
            description=f"objective {at.objective:.6f}, {pool.done} rounds, "
            f"{pool.bytes / 1e6:.1f} MB, {at.seconds:.1f} s{rebuilt}",
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


LOCAL_SEED = 0


def solve(
    client: Any,
    data: Any,
    method: str = "exact",
    *,
    loss: str = "exponential",
    fit_intercept: bool = False,
    n_features: int | None = None,
    n_parts: int | None = None,
    n_threads: int | None = None,
    patience: Patience | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    local_start: bool = False,
    alpha: float = 0.0,
    l1_ratio: float = 1.0,
    bounds: Bounds | None = None,
    tau: int | None = None,
    step: str | None = None,
    max_epochs: float | None = None,
    tol: float | None = None,
    time_limit: float | None = None,
    target: float | None = None,
    gap: float | None = None,
    relative_gap: float | None = None,
    penalty_factors: Any = None,
    lam0: ArrayLike | None = None,
    random_state: Any = None,
    callback: Callback | None = None,
) -> Result:
    """Minimise F(lam) + psi(lam) over data on a Dask cluster.

    Parameters
    ----------
    client : distributed.Client or None
        The cluster; None takes the current client.
    data
        See :class:`DaskProblem`; or a ``DaskProblem``, which is then not loaded again.
    method : {"exact", "pcdm", "fully-parallel", "accelerated", "greedy", "lbfgs"}
        The methods that work on rows in parts: all but the lock-free ones.
    loss, fit_intercept, n_features, n_parts, n_threads, patience
        See :class:`DaskProblem`; ignored if ``data`` is one.
    checkpoint : path, optional
        A file on the driver. Where the solve is goes there every ten seconds; if it exists, the
        solve goes on from there, and ``max_epochs`` counts those done before.
    progress : bool
        Whether to show objective, rounds, bytes and seconds on the terminal.
    local_start : bool
        Whether to start, unless at ``lam0``, from the mean of what one sweep of each part alone
        arrives at: one round, often as good as the first sweep. The optimum is the same, the way
        there is not that of one machine.
    alpha, l1_ratio, bounds, tau, step, max_epochs, tol, time_limit, target, gap, relative_gap
        As in :func:`tauboost.solve`.
    penalty_factors, lam0
        As there.
    random_state, callback
        As there. With the same ``tau`` and ``random_state`` the result is that
        of one machine, whatever the number of parts, but for rounding.

    Returns
    -------
    Result

    Raises
    ------
    PartLostError
        If a part of the data was lost with its worker and cannot be built again.

    Examples
    --------
    >>> import dask.array as da, tauboost.dask
    >>> from dask.distributed import Client
    >>> client = Client()  # doctest: +SKIP
    >>> X = da.random.default_rng(0).random((2000, 10), chunks=(500, -1)) > 0.7
    >>> y = (X[:, 0] | X[:, 1]).astype(int)
    >>> print(tauboost.dask.solve(client, (X, y), alpha=1e-3, random_state=0).status)
    converged
    """
    problem = data
    if not isinstance(problem, DaskProblem):
        problem = DaskProblem(
            data,
            client=client,
            n_features=n_features,
            n_parts=n_parts,
            loss=loss,
            fit_intercept=fit_intercept,
            n_threads=n_threads,
            patience=patience,
        )
    most = DEFAULT_MAX_EPOCHS if max_epochs is None else max_epochs
    factors = check_factors(penalty_factors, problem.n_features)
    file = None
    if checkpoint is not None:
        file = SolveCheckpoint(checkpoint, _facts(problem, alpha, l1_ratio, bounds, factors))
        saved = file.load()
        if saved is not None:
            lam0 = np.append(saved[0], [saved[1]] if problem.fit_intercept else [])
            most = max(0.0, most - file.epochs_before)
    if local_start and lam0 is None:
        penalty = Penalty.build(problem.design, alpha, l1_ratio, bounds, factors=factors)
        lam, intercept = problem.design.split(problem.local_start(penalty, LOCAL_SEED))
        lam0 = np.append(lam, [intercept] if problem.fit_intercept else [])
    with ProgressLine(problem.pool, most, is_shown=progress) as line:

        def check(at: Snapshot) -> Any:
            line.show(at)
            if file is not None:
                file.save_if_due(at.lam, at.intercept, at.epoch)
            return None if callback is None else callback(at)

        result = solve_anywhere(
            problem,
            method,
            alpha=alpha,
            l1_ratio=l1_ratio,
            bounds=bounds,
            tau=tau,
            step=step,
            max_epochs=most,
            tol=tol,
            time_limit=time_limit,
            target=target,
            gap=gap,
            relative_gap=relative_gap,
            penalty_factors=penalty_factors,
            lam0=lam0,
            random_state=random_state,
            callback=check,
        )
    if file is not None:
        file.save(result.lam, result.intercept, result.n_epochs)
    return result


def _facts(
    problem: DaskProblem,
    alpha: float,
    l1_ratio: float,
    bounds: Bounds | None,
    factors: Factors | None,
) -> dict[str, Any]:
    """Say which solve it is: what must not change between a checkpoint and going on from it."""
    return {
        "n_samples": problem.n_samples,
        "n_features": problem.n_features,
        "nnz": problem.nnz,
        "loss": problem.loss,
        "fit_intercept": problem.fit_intercept,
        "alpha": float(alpha),
        "l1_ratio": float(l1_ratio),
        "bounds": repr(bounds),
        "penalty_factors": None if factors is None else [_print_of(each) for each in factors],
    }


def _print_of(factors: Vector | None) -> str:
    """Return a few digits that change with factors, but not with how rows are split into parts.

    Factors that are measured on other parts differ in their last bits.
    """
    if factors is None:
        return ""
    place = np.arange(1.0, len(factors) + 1.0)
    return f"{factors.sum():.6g}, {(factors * place).sum():.6g}"
