"""What a fit ends with: points of the core, and the classifier that they are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..losses import LOSSES
from ..penalty import Factors, Penalty
from ..search.search import Candidate
from ..solvers.bound import why_unbounded
from ..solvers.result import Status
from .first_step import factors_of
from .samples import Samples

# A smaller gap is rounding, which differs between machines.
ROUNDING = 1e-8

__all__ = ["Minimum", "Trained", "goal_of", "message_of", "model_at", "with_link"]


@dataclass(frozen=True)
class Trained:
    """What training found, for the features that are kept."""

    coef: Vector  # (tasks, features kept)
    intercept: Vector  # (tasks,)
    candidate: Candidate
    n_sweeps: int
    objective: Vector  # F without psi, (tasks,)
    penalty: Vector  # psi, in the units of the columns, (tasks,)
    message: str
    held_out_loss: float = nan
    table: list[dict[str, float | str]] = field(default_factory=list)
    caution: str = ""  # what there is to warn of
    gap: float | None = None  # at most so far from the least objective, where that is proved


@dataclass(frozen=True)
class Minimum:
    """Where the fit of one task ended."""

    point: Vector  # of the core
    value: float  # F
    objective: float  # F + psi
    n_sweeps: int
    message: str
    status: Status
    gap: float | None  # at most so far from the optimum, where that is proved
    loss: str

    @property
    def share(self) -> float:
        """The gap as a share of the objective; of a logarithm it is one already."""
        if self.gap is None:
            return nan
        return self.gap / self.objective if LOSSES[self.loss].has_odds and self.gap else self.gap


def goal_of(psi: Penalty, tol: float) -> dict[str, Any]:
    """Return the option of ``solve`` that ends a fit: a certified gap, where there can be one."""
    is_certain = why_unbounded(psi) is None and tol > 0
    return {"relative_gap": tol} if is_certain else {"tol": tol}


def message_of(found: list[Minimum], tol: float) -> str:
    """Say how far a fit went: what its worst task did."""

    def badness(minimum: Minimum) -> tuple[bool, bool, float]:
        is_open = minimum.status is not Status.CONVERGED
        return is_open, minimum.gap is None, 0.0 if minimum.gap is None else minimum.share

    worst = max(found, key=badness)
    if worst.gap is None:
        return worst.message
    of_what = " of the objective" if LOSSES[worst.loss].has_odds else ""
    is_rounding = worst.share < ROUNDING <= tol
    size = f"below {ROUNDING:g}" if is_rounding else f"{worst.share:.2g}"
    gap = f"certified gap {size}{of_what}"
    if worst.status is Status.CONVERGED:
        return f"Converged: {gap}, tol={tol:g}."
    why, _, _ = worst.message.partition(" The optimum is at least")  # that is said already
    return f"Not converged to tol={tol:g}: {gap}. {why}"


def model_at(
    samples: Samples,
    points: Vector,
    candidate: Candidate,
    n_sweeps: int,
    values: Vector,
    message: str,
    factors: list[Factors | None] | None = None,
) -> Trained:
    """Return the model that points of the core are, with F there."""
    design = samples.design
    parts = [design.coefficients(point) for point in points]
    coef, intercept = np.stack([coef for coef, _ in parts]), np.array([b for _, b in parts])
    factors = factors_of(samples) if factors is None else factors
    each = zip(points, factors, strict=True)
    penalty = np.array([candidate.psi(design.n_penalised, own).value(x) for x, own in each])
    return Trained(coef, intercept, candidate, n_sweeps, values, penalty, message)


def with_link(model: Trained, slope: float, offset: float) -> Trained:
    """Scale and shift the model, so that the loss's own link gives what held-out samples say.

    A sigmoid of slope H + offset is the natural one of (slope H + offset) / natural slope.
    """
    loss = LOSSES[model.candidate.loss]
    scale = slope / loss.link_slope
    return replace(
        model,
        coef=model.coef * scale,
        intercept=model.intercept * scale + offset / loss.link_slope,
    )
