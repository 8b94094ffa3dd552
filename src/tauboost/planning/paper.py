"""What the paper predicts for the same data: Theorem 1, and its rate from where a run starts.

By the paper's first proposition, an epoch of Algorithm 2 with tau coordinates at a time decreases F
by at least

    D = 1 / (2 beta) sum_i g_i^2 / L_i,

with g the gradient at its start. If F - inf F went on falling by the share of it that D
is at the start, log(1 / eps) (F - inf F) / D epochs would bring it to the share eps of what it was.
It falls more slowly later, so these are the fewest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..eso import beta
from ..problem import Problem
from ..solvers.registry import PAPER_TAU, solve
from .words import rounded

__all__ = ["Prediction", "predict"]

EPOCHS = 20  # of exact steps, which tell how low F can get


@dataclass(frozen=True)
class Prediction:
    """Theorem 1 at one tau, and the epochs that its rate lets expect."""

    tau: int
    beta: float
    accuracy: float
    epochs: float

    def fields(self) -> dict[str, Any]:
        """Return what a plan says of it."""
        return {
            "paper_tau": self.tau,
            "paper_beta": self.beta,
            "paper_speedup": self.tau / self.beta,
            "paper_epochs": self.epochs,
        }

    def how(self, where: str) -> dict[str, str]:
        """Say how it was got, from the gradient on these rows."""
        epochs = (
            f"its step needs {rounded(self.epochs)} epochs or more to bring F - inf F to "
            f"{self.accuracy:g} of what it is at 0, going by the decrease promised there on {where}"
        )
        return {"paper_beta": "Theorem 1", "paper_epochs": epochs}


def predict(
    problem: Problem, n: int, omega: int, m: int, accuracy: float, seconds: float
) -> Prediction:
    """Predict for all data, whose size is given, from a problem on some of the rows."""
    tau = min(PAPER_TAU, n)
    worst = beta(n, min(max(omega, 1), n), tau, m)
    lipschitz = problem.lipschitz
    gradient = problem.gradient(np.zeros(problem.n_features))[: problem.n_features]
    there = lipschitz > 0
    decrease = float(np.sum(gradient[there] ** 2 / lipschitz[there])) / (2.0 * worst)
    lowest = solve(problem, max_epochs=EPOCHS, tol=accuracy, time_limit=seconds, random_state=0)
    height = problem.value(np.zeros(problem.n_features)) - lowest.value
    epochs = math.inf
    if decrease > 0:
        epochs = max(1.0, math.log(1.0 / accuracy) * height / decrease)
    return Prediction(tau, worst, accuracy, epochs)
