"""Theorem 1: the Expected Separable Overapproximation of log of the exponential loss.

For a tau-nice sampling, F admits ESO(beta, L) with L_i = max_j A_ji^2 and

    beta = sum_{k=1}^{min(omega, tau)} min(1, m n / tau * sum_{l >= k} c_l p_l),

where p_l is hypergeometric (how many of the tau coordinates meet a row with omega nonzeros) and
c_l = max(l / omega, (tau - l) / (n - omega)). A step of 1 / (beta L_i) is safe on average, and the
predicted speed-up of tau processors over one is tau / beta.
"""

from __future__ import annotations

from numbers import Integral
from typing import Protocol, cast

import numpy as np

from ..base.arrays import Vector
from ..base.messages import shown

__all__ = ["beta", "speedup"]


LARGEST = 1e150  # m n must be a number


class Shape(Protocol):
    """What the theorem depends on: a problem has it."""

    n_samples: int

    @property
    def n_coordinates(self) -> int:
        """Number of columns of A."""

    @property
    def omega(self) -> int:
        """Largest number of nonzeros in a row of A."""


def beta(
    n: int | Shape,
    omega: int | None = None,
    tau: int | None = None,
    m: int | None = None,
    *,
    overlap_weights: bool = True,
) -> float:
    """Compute beta of Theorem 1.

    Parameters
    ----------
    n : int or Problem
        Number of coordinates (columns of A); up to 1e10 and beyond. A problem knows omega and m as
        well: ``beta(problem, tau=16)``.
    omega : int
        Largest number of nonzeros in a row of A, 1 <= omega <= n.
    tau : int
        How many coordinates move together, 1 <= tau <= n.
    m : int
        Number of rows of A.
    overlap_weights : bool, default=True
        True uses c_l of the theorem. False takes c_l = 1, which is what the values printed in the
        paper (15.1 for w8a, 3.2 for URL, both for tau = 16) correspond to.

    Examples
    --------
    >>> import tauboost as tb
    >>> round(tb.beta(300, 114, 16, 49749), 3)
    14.372
    """
    n, omega, tau, m = _checked(n, omega, tau, m)
    overlap, p = _hypergeometric_window(n, omega, tau)
    if overlap_weights:
        elsewhere = (tau - overlap) / (n - omega) if omega < n else np.zeros_like(overlap)
        p = p * np.maximum(overlap / omega, elsewhere)
    # tail[k] = sum over l >= overlap[k], smallest terms first
    tail = np.cumsum(p[::-1])[::-1]
    terms = np.minimum(1.0, tail * (float(m) * float(n) / tau))
    below = max(int(overlap[0]) - 1, 0)  # k under the window: their tail is the whole sum
    return float(below * terms[0] + terms[overlap >= 1].sum())


def speedup(
    n: int | Shape, omega: int | None = None, tau: int | None = None, m: int | None = None
) -> float:
    """Predicted speed-up tau / beta of moving tau coordinates at once over moving one.

    Takes what :func:`beta` takes.

    Examples
    --------
    >>> import tauboost as tb
    >>> round(tb.speedup(3231961, 414, 16, 2396130), 1)
    5.3
    """
    numbers = _checked(n, omega, tau, m)
    return numbers[2] / beta(*numbers)


def _checked(
    n: int | Shape, omega: int | None, tau: int | None, m: int | None
) -> tuple[int, int, int, int]:
    if hasattr(n, "n_coordinates"):
        shape = cast(Shape, n)
        if tau is None:  # beta(problem, 16)
            omega, tau = None, omega
        if omega is not None or m is not None:
            raise TypeError("a problem knows omega and m: give it and tau only")
        n, omega, m = shape.n_coordinates, shape.omega, shape.n_samples
    numbers = {"n": n, "omega": omega, "tau": tau, "m": m}
    for name, given in numbers.items():
        most = n if name in ("omega", "tau") else None
        if isinstance(given, bool) or not isinstance(given, Integral):
            raise TypeError(f"{name} must be an integer, got {shown(given)}")
        if given < 1 or (most is not None and given > most):
            accepted = "at least 1" if most is None else f"between 1 and n = {most}"
            raise ValueError(f"{name} must be {accepted}, got {shown(given)}")
        if given > LARGEST:
            raise ValueError(f"{name} must be at most {LARGEST:g}, got {shown(given)}")
    checked = cast(dict[str, int], numbers)
    return int(checked["n"]), int(checked["omega"]), int(checked["tau"]), int(checked["m"])


def _hypergeometric_window(n: int, omega: int, tau: int) -> tuple[Vector, Vector]:
    """Return l and p_l where p_l is not negligible (below about exp(-745)).

    The ratios p_{l+1} / p_l are exact to rounding, so their logs are summed away from the mode and
    normalised: nothing of the size of log(n!) is ever subtracted.
    """
    lowest, highest = max(0, tau - (n - omega)), min(omega, tau)
    mean = omega * (tau / n)
    deviation = np.sqrt(mean * (1 - omega / n) * (1 - tau / n) * (n / max(n - 1, 1)))
    reach = int(40 * deviation) + 1500  # beyond it Bernstein's inequality gives less than exp(-745)
    first, last = max(lowest, int(mean) - reach), min(highest, int(mean) + reach)
    overlap = np.arange(first, last + 1, dtype=np.float64)
    left = overlap[:-1]
    log_ratio = (
        np.log(omega - left)
        + np.log(tau - left)
        - np.log(left + 1)
        - np.log((n - omega - tau) + left + 1)
    )
    log_p = np.concatenate([[0.0], np.cumsum(log_ratio)])
    p = np.exp(log_p - log_p.max())
    return overlap, p / p.sum()
