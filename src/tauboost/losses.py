"""The two losses, as functions of the residuals r = A lam and of decision values H = -y r.

The gradient of either is A^T w / total. Exponential (AdaBoost): F = log sum_j c_j exp(r_j), with
w_j = c_j exp(r_j - shift) and total their sum. Logistic: F = sum_j c_j log(1 + exp(r_j)), with
w_j = c_j / (1 + exp(-r_j)) and total 1. Nothing here can overflow. Whatever depends on the loss
asks it here; F of rows in parts follows from one `RowSum` of each part.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .base.arrays import Vector, expit, log_expit, softmax, softplus, softplus_and_expit

__all__ = ["LOSSES", "Evaluation", "Loss", "RowSum", "Weights", "likeliest"]


class Evaluation(NamedTuple):
    """F at a point, and the number its gradient is divided by."""

    value: float
    total: float  # exponential: the sum of w; logistic: 1


class Weights(NamedTuple):
    """The same, and the row weights that the gradient is made of."""

    value: float
    total: float
    w: Vector


class RowSum(NamedTuple):
    """What the rows of a part add to F, at their own largest residual."""

    largest: float
    sum: float


def likeliest(decisions: Vector) -> NDArray[np.intp]:
    """Return the number of the class that decision values, (samples, tasks), point to.

    Of two classes the second where its decision value is above 0, and of several the first that
    has the largest: the one rule for all that predicts.
    """
    if decisions.shape[1] == 1:
        return np.asarray((decisions[:, 0] > 0).astype(np.intp))
    return np.asarray(decisions.argmax(axis=1))


class Loss(ABC):
    """One loss: its value and weights, its curvature, and what its decision values mean."""

    name: str
    link_slope: float  # p = 1 / (1 + exp(-slope H)): what the minimiser means
    has_odds: bool  # whether kernels keep E = exp(r) beside w

    @abstractmethod
    def weigh(self, r: Vector, c: Vector, c_total: float) -> Weights:
        """Evaluate F; ``c_total`` is c.sum(), 1 but for rounding."""

    @abstractmethod
    def weights(self, r: Vector, c: Vector, shift: float) -> Vector:
        """Return the row weights alone, for a shift that rows elsewhere have too."""

    @abstractmethod
    def log_weights(self, r: Vector, shift: float | Vector = 0.0) -> Vector:
        """Return the logarithms of w / c."""

    @abstractmethod
    def row_sum(self, weights: Weights) -> float:
        """Return what rows add to F: the sum of their weights, or their loss."""

    @abstractmethod
    def share(self, below: float) -> float:
        """Return what sums count whose largest residual is so far below (< 0) that of all rows."""

    @abstractmethod
    def evaluation(self, total: float, shift: float, c_total: float) -> Evaluation:
        """Return F from the sum over all rows, with weights of this shift."""

    @abstractmethod
    def curvature(self, p: Vector, c: Vector) -> Vector:
        """Return the row weights of the Hessian from those of the gradient, p = w / total.

        The exponential loss is the logarithm of a sum: g g^T is to be subtracted.
        """

    @abstractmethod
    def has_no_minimum(self, value: float, least_weight: float, l1: float, psi: float) -> bool:
        """Return True if F + psi falls for ever along a point with this F and l1 penalty psi."""

    def merged(self, parts: Sequence[RowSum], c_total: float) -> tuple[float, Evaluation]:
        """Return the largest residual and F from those of the parts."""
        largest = max(part.largest for part in parts)
        total = math.fsum(part.sum * self.share(part.largest - largest) for part in parts)
        return largest, self.evaluation(total, largest, c_total)

    def odds(self, r: Vector) -> Vector | None:
        """E = exp(r), far from overflow, where kernels keep it."""
        return np.asarray(np.exp(np.clip(r, -700.0, 700.0))) if self.has_odds else None

    def probabilities(self, decisions: Vector) -> Vector:
        """Return the probability of each class, (samples, classes), from decision values.

        One column of decisions means two classes; else every class has its own, and the
        probabilities are scaled to sum 1. The likeliest class has the largest, also where others
        differ by less than rounding.
        """
        z = self.link_slope * decisions
        if z.shape[1] == 1:
            p = np.hstack([expit(-z), expit(z)])
        else:
            # p / p.sum(), in logarithms: where every p is tiny, 0/0 would be left.
            p = np.asarray(softmax(log_expit(z), axis=1))
        first = likeliest(decisions)
        tied = np.flatnonzero(p.argmax(axis=1) != first)
        p[tied, first[tied]] = np.nextafter(p[tied].max(axis=1), 1.0)
        if p.shape[1] == 2:
            p[tied, 1 - first[tied]] = 1.0 - p[tied, first[tied]]
        return p

    def row_losses(self, decisions: Vector, codes: NDArray[np.intp]) -> Vector:
        """Return -log(probability of the true class) of each sample."""
        if decisions.shape[1] == 1:
            margin = np.where(codes == 1, decisions[:, 0], -decisions[:, 0])
            return softplus(-self.link_slope * margin)
        true = self.probabilities(decisions)[np.arange(len(codes)), codes]
        return np.asarray(-np.log(np.maximum(true, 1e-300)))

    def log_loss(self, decisions: Vector, codes: NDArray[np.intp], weights: Vector) -> float:
        """Mean of that, by weight."""
        return float(np.sum(weights * self.row_losses(decisions, codes)))


class _Exponential(Loss):
    name, link_slope, has_odds = "exponential", 2.0, False

    @np.errstate(under="ignore")
    def weigh(self, r: Vector, c: Vector, c_total: float) -> Weights:
        # The one log-sum-exp of the package. Dividing by c_total makes F(0) exactly 0.
        shift = float(r.max())
        w = self.weights(r, c, shift)
        total = float(w.sum())
        return Weights(*self.evaluation(total, shift, c_total), w)

    @np.errstate(under="ignore")
    def weights(self, r: Vector, c: Vector, shift: float) -> Vector:
        w = np.subtract(r, shift)
        np.exp(w, out=w)
        w *= c
        return w

    def log_weights(self, r: Vector, shift: float | Vector = 0.0) -> Vector:
        return r - shift

    def row_sum(self, weights: Weights) -> float:
        return weights.total

    def share(self, below: float) -> float:
        return math.exp(below)

    def evaluation(self, total: float, shift: float, c_total: float) -> Evaluation:
        return Evaluation(shift + math.log(total / c_total), total)

    def curvature(self, p: Vector, c: Vector) -> Vector:  # noqa: ARG002
        return p

    def has_no_minimum(self, value: float, least_weight: float, l1: float, psi: float) -> bool:  # noqa: ARG002
        # No row can hold more than F, so max_j r_j <= F - log(min_j c_j). Where that is below -psi,
        # longer multiples of lam are ever better.
        return value - math.log(least_weight) + psi < 0


class _Logistic(Loss):
    name, link_slope, has_odds = "logistic", 1.0, True

    @np.errstate(under="ignore")
    def weigh(self, r: Vector, c: Vector, c_total: float) -> Weights:  # noqa: ARG002
        losses, w = softplus_and_expit(r)
        w *= c
        return Weights(float(np.sum(c * losses)), 1.0, w)

    @np.errstate(under="ignore")
    def weights(self, r: Vector, c: Vector, shift: float) -> Vector:  # noqa: ARG002
        return np.asarray(c * expit(r))

    def log_weights(self, r: Vector, shift: float | Vector = 0.0) -> Vector:  # noqa: ARG002
        return log_expit(r)

    def row_sum(self, weights: Weights) -> float:
        return weights.value

    def share(self, below: float) -> float:  # noqa: ARG002
        return 1.0

    def evaluation(self, total: float, shift: float, c_total: float) -> Evaluation:  # noqa: ARG002
        return Evaluation(total, 1.0)

    def curvature(self, p: Vector, c: Vector) -> Vector:
        return p * (1.0 - p / c)

    def has_no_minimum(self, value: float, least_weight: float, l1: float, psi: float) -> bool:  # noqa: ARG002
        return l1 == 0 and value < least_weight * math.log(2)  # every margin is positive


LOSSES: dict[str, Loss] = {loss.name: loss for loss in (_Exponential(), _Logistic())}
