"""What a fit ends with: points of the core, and the classifier that they are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..losses import LOSSES
from ..solvers.result import Status
from .calibration import fit_link
from .race import Strength
from .samples import Samples

__all__ = ["Minimum", "Trained", "model_at", "with_link"]


@dataclass(frozen=True)
class Trained:
    """What training found, for the features that are kept."""

    coef: Vector  # (tasks, features kept)
    intercept: Vector  # (tasks,)
    strength: Strength
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
    """Where a fit to its tolerance ended."""

    points: Vector  # of the core, (tasks, n)
    values: Vector  # (tasks,)
    n_sweeps: int
    message: str
    status: Status | None = None  # of the solver, where there was one
    gap: float | None = None  # at most so far from the optimum, where that is proved


def model_at(
    samples: Samples,
    points: Vector,
    strength: Strength,
    n_sweeps: int,
    values: Vector,
    message: str,
) -> Trained:
    """Return the model that points of the core are, with F there."""
    design = samples.design
    parts = [design.coefficients(point) for point in points]
    coef, intercept = np.stack([coef for coef, _ in parts]), np.array([b for _, b in parts])
    lam = np.stack([design.split(point)[0] for point in points])
    penalty = strength.psi(lam.shape[1]).values(lam)
    return Trained(coef, intercept, strength, n_sweeps, values, penalty, message)


def with_link(
    model: Trained, decisions: Vector, codes: NDArray[np.intp], copies: Vector
) -> Trained:
    """Scale and shift the model, so that the loss's own link gives what held-out samples say.

    ``copies`` is how many samples each of these stands for. A sigmoid of slope H + offset is the
    natural one of (slope H + offset) / natural slope.
    """
    loss = LOSSES[model.strength.loss]
    slope, offset = fit_link(decisions, codes, copies, loss)
    scale = slope / loss.link_slope
    return replace(
        model,
        coef=model.coef * scale,
        intercept=model.intercept * scale + offset / loss.link_slope,
    )
