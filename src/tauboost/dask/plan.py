"""What to fit on all rows: as given, or as the local classifier chose on a sample of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..penalty import Factors, Penalty
from ..search.options import Options
from ..search.record import Record
from ..search.search import Candidate
from ..solvers.result import Result, Status
from ..sparse.design import coefficients_of, flipped
from ..sparse.model import Model
from ..sparse.refit import Minimum, goal_of
from ..sparse.scaling import Units
from .labels import SampledRows
from .sparse import DaskProblem

__all__ = ["Plan", "starts_at"]


@dataclass(frozen=True)
class Plan:
    """One objective, and where to start from."""

    candidate: Candidate
    starts: list[Vector] | None = None  # lam0 for each two-class problem
    n_sweeps: int = 0  # over all rows, that were made to get there
    held_out_loss: float = nan
    table: list[dict[str, float | str]] = field(default_factory=list)
    message: str = ""
    record: Record | None = None  # of all rows; None: of those of the choice only, which is less

    @classmethod
    def of_choice(
        cls, local: Model, rows: SampledRows, units: Units | None, *, fit_intercept: bool
    ) -> Plan:
        """Take what was chosen on a sample to all rows; start from the solution on the sample."""
        is_all = rows.fraction == 1.0
        # The loss outgrows l2 as rows are added; the noise that l1 holds down falls as their root.
        scale = rows.fraction if local.l1_ratio < 0.5 else rows.fraction**0.5
        candidate = Candidate(local.loss, local.alpha * scale, local.l1_ratio)
        how = "Too few rows to choose alpha by: a usual one was taken. "
        if isfinite(local.held_out_loss):
            how = (
                f"Chosen on {len(rows.codes)} rows: {candidate.loss} loss, "
                f"alpha={candidate.alpha:.3g}, l1_ratio={candidate.l1_ratio:g}. "
            )
        return cls(
            candidate,
            starts_at(local, None, units, fit_intercept=fit_intercept),
            local.n_iter if is_all else 0,
            local.held_out_loss,
            local.selection,
            how,
            local.record if is_all else None,
        )

    def options_of(
        self, task: int, problem: DaskProblem, factors: Factors | None, options: Options
    ) -> dict[str, Any]:
        """Return what ``solve`` has to know of one of the problems."""
        candidate = self.candidate
        psi = Penalty.build(
            problem.design, candidate.alpha, candidate.l1_ratio, None, factors=factors
        )
        return {
            "alpha": candidate.alpha,
            "l1_ratio": candidate.l1_ratio,
            "penalty_factors": factors,
            "lam0": None if self.starts is None else self.starts[task],
            "max_epochs": max(0, options.max_iter - self.n_sweeps),
            **goal_of(psi, options.tol),
        }

    def minimum(self, result: Result) -> Minimum:
        """Return where a solve ended; its point has the order of the features."""
        rounding = ceil if result.status is Status.CONVERGED else round
        return Minimum(
            np.append(result.lam, result.intercept),
            result.value,
            result.objective,
            self.n_sweeps + int(rounding(result.n_epochs)),
            result.message,
            result.status,
            result.gap,
            self.candidate.loss,
        )


def starts_at(
    model: Model, used: NDArray[np.intp] | None, units: Units | None, *, fit_intercept: bool
) -> list[Vector]:
    """Return lam0 for each two-class problem, where a model of the used features is."""
    every = np.arange(model.coef.shape[1])
    coef, intercept = coefficients_of(model.coef, every if used is None else used), model.intercept
    if units is not None:
        coef, intercept = units.inward(coef, intercept)
    points = flipped(np.column_stack([coef, intercept]))
    return list(points if fit_intercept else points[:, :-1])
