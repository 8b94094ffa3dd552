"""Every algorithm in plain NumPy, written to be read beside the paper: the oracle of the tests.

A is a dense array or any scipy sparse matrix, A_ji = y_j M_ji; c are the sample weights with sum 1.
Each method is a generator of the points lam^0, lam^1, ...; nothing here is meant to be fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import comb
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..penalty import Penalty

__all__ = [
    "accelerated",
    "beta",
    "exact",
    "fully_parallel",
    "gradient",
    "greedy",
    "independent",
    "pcdm",
    "pcdm_async",
    "tau_nice",
    "value",
]


# The problem


def value(A: Any, c: Vector, lam: Vector) -> float:
    """F(lam) = log sum_j c_j exp((A lam)_j)."""
    r = A @ lam
    return float(r.max() + np.log(np.sum(c * np.exp(r - r.max()))))


def row_weights(A: Any, c: Vector, lam: Vector) -> Vector:
    """p_j(lam) = c_j exp((A lam)_j) / sum_k c_k exp((A lam)_k)."""
    r = A @ lam
    w = c * np.exp(r - r.max())
    return np.asarray(w / w.sum())


def gradient(A: Any, c: Vector, lam: Vector) -> Vector:
    """Gradient of F: p(lam)^T A."""
    return np.asarray(A.T @ row_weights(A, c, lam))


def _dense(A: Any) -> Vector:
    return np.asarray(A.toarray() if hasattr(A, "toarray") else A, dtype=np.float64)


def _scale(A: Any) -> Vector:
    """a_i = max_j |A_ji|, with infinity for empty columns so that they never move."""
    a = np.abs(_dense(A)).max(axis=0)
    return np.where(a > 0, a, np.inf)


def _omega(A: Any) -> int:
    return int(np.count_nonzero(_dense(A), axis=1).max())


def _signed_sums(A: Any, p: Vector) -> tuple[Vector, Vector]:
    """W-_i and W+_i: the weight of a column's negative and positive entries, times |A_ji|."""
    A = _dense(A)
    return np.maximum(-A, 0.0).T @ p, np.maximum(A, 0.0).T @ p


def beta(n: int, omega: int, tau: int, m: int, *, overlap_weights: bool = True) -> float:
    """Theorem 1 as printed, with exact binomials: for small n only."""

    def weight(overlap: int) -> float:
        elsewhere = (tau - overlap) / (n - omega) if omega < n else 0.0
        return max(overlap / omega, elsewhere) if overlap_weights else 1.0

    def p(overlap: int) -> float:
        return comb(omega, overlap) * comb(n - omega, tau - overlap) / comb(n, tau)

    most = min(omega, tau)
    return float(
        sum(
            min(1.0, m * n / tau * sum(weight(k) * p(k) for k in range(first, most + 1)))
            for first in range(1, most + 1)
        )
    )


# The samplings


class _Words:
    """The 64-bit words of draw t: Philox with key (seed, 0) and counter (1, t, 0, 0) onwards."""

    def __init__(self, seed: int, t: int) -> None:
        # NumPy steps the counter before each block, so the first block it gives is number 1.
        key, counter = (np.array(words, dtype=np.uint64) for words in ([seed, 0], [0, t, 0, 0]))
        state = np.random.Philox(key=key, counter=counter)
        self._words = iter(lambda: int(state.random_raw()), None)

    def below(self, bound: int) -> int:
        """Draw from 0..bound-1: the upper half of word * bound, unless rejected as uneven."""
        threshold = 2**64 % bound
        while True:
            high, low = divmod(next(self._words) * bound, 2**64)
            if low >= threshold:
                return high


def tau_nice(seed: int, t: int, n: int, tau: int) -> list[int]:
    """Draw t of the tau-nice sampling, by Floyd's algorithm."""
    words = _Words(seed, t)
    subset: list[int] = []
    for last in range(n - tau, n):
        candidate = words.below(last + 1)
        subset.append(last if candidate in subset else candidate)
    return subset


def independent(seed: int, t: int, n: int) -> int:
    """Draw t of the tau-independent sampling."""
    return _Words(seed, t).below(n)


# The algorithms


def pcdm(
    A: Any, c: Vector, lam: Vector, tau: int, seed: int, penalty: Penalty | None = None
) -> Iterator[Vector]:
    """Algorithm 2, with the proximal step of Algorithm 1 where there is psi."""
    psi, curvature = penalty or Penalty(A.shape[1]), _curvature(A, tau)
    for t in count():
        yield lam
        moved = _moved(A, c, lam, psi, curvature, tau_nice(seed, t, len(lam), tau))
        rise = value(A, c, moved) + psi.value(moved) - value(A, c, lam) - psi.value(lam)
        lam = lam if rise > 0 else moved


def pcdm_async(
    A: Any, c: Vector, lam: Vector, tau: int, seed: int, penalty: Penalty | None = None
) -> Iterator[Vector]:
    """Run the asynchronous version with one thread: independent draws, one after the other."""
    psi, curvature = penalty or Penalty(A.shape[1]), _curvature(A, tau)
    for t in count():
        yield lam
        lam = _moved(A, c, lam, psi, curvature, [independent(seed, t, len(lam))])


def _curvature(A: Any, tau: int) -> Vector:
    """Return the curvature of the overapproximation for each coordinate when tau move at once."""
    m, n = A.shape
    return np.asarray(beta(n, _omega(A), tau, m) * _scale(A) ** 2)


def _moved(
    A: Any, c: Vector, lam: Vector, psi: Penalty, curvature: Vector, subset: list[int]
) -> Vector:
    """Return lam with the coordinates of a subset where the proximal step takes them."""
    proposal = psi.prox(lam - gradient(A, c, lam) / curvature, curvature)
    moved = lam.copy()
    moved[subset] = proposal[subset]
    return moved


def exact(
    A: Any, c: Vector, lam: Vector, order: list[list[int]], l1: float = 0.0
) -> Iterator[Vector]:
    """Exact steps in blocks, for columns with entries in {-a, 0, a} and psi = l1 |lam|_1.

    ``order`` lists the blocks. Each coordinate of a block goes to its own minimiser at the
    block's start; if the objective rose, all steps are halved until it did not.
    """

    def objective(x: Vector) -> float:
        return value(A, c, x) + l1 * float(np.abs(x).sum())

    a = _scale(A)
    yield lam
    for block in order:
        neg, pos = _signed_sums(A, row_weights(A, c, lam))
        step = np.zeros_like(lam)
        for i in block:
            step[i] = _exact_step(a[i], pos[i] / a[i] + 1e-14, neg[i] / a[i] + 1e-14, lam[i], l1)
        fraction = 1.0
        while objective(lam + fraction * step) > objective(lam) and fraction > 0:
            fraction = fraction / 2 if fraction > 1 / 1024 else 0.0
        lam = lam + fraction * step
        yield lam


def _exact_step(a: float, P: float, N: float, x: float, l1: float) -> float:
    """Minimise log(1 - P - N + P u + N / u) + l1 |x + d| over d, where u = exp(a d)."""

    def slope(d: float) -> float:
        u = np.exp(a * d)
        return float(a * (P * u - N / u) / (1 - P - N + P * u + N / u))

    if np.isinf(a):
        return 0.0
    if l1 > 0 and abs(slope(-x)) <= l1:
        return -x
    tilt = -l1 * np.sign(slope(-x))
    # slope(d) + tilt = 0 is a quadratic in u
    roots = np.roots([(a + tilt) * P, tilt * (1 - P - N), -(a - tilt) * N])
    return float(np.clip(np.log(roots.real.max()), -30.0, 30.0) / a)


def fully_parallel(
    A: Any, c: Vector, lam: Vector, step: str = "collins", penalty: Penalty | None = None
) -> Iterator[Vector]:
    """Collins, Schapire and Singer: every coordinate at once."""
    psi, a, omega = penalty or Penalty(A.shape[1]), _scale(A), _omega(A)
    while True:
        yield lam
        if step == "collins":
            neg, pos = _signed_sums(A, row_weights(A, c, lam))
            with np.errstate(divide="ignore", invalid="ignore"):
                half = np.clip(0.5 * np.log(neg / pos), -50.0, 50.0)
            lam = lam + np.where(np.isnan(half), 0.0, half) / (omega * a)
        else:
            curvature = omega * a**2
            lam = psi.prox(lam - gradient(A, c, lam) / curvature, curvature)


def accelerated(A: Any, c: Vector, lam: Vector, penalty: Penalty | None = None) -> Iterator[Vector]:
    """FISTA on the lipschitz step of ``fully_parallel``."""
    psi = penalty or Penalty(A.shape[1])
    curvature = _omega(A) * _scale(A) ** 2
    y, t = lam, 1.0
    while True:
        yield lam
        before = lam
        lam = psi.prox(y - gradient(A, c, y) / curvature, curvature)
        t_next = (1.0 + np.sqrt(1.0 + 4.0 * t**2)) / 2.0
        y = lam + (t - 1.0) / t_next * (lam - before)
        t = t_next


def greedy(A: Any, c: Vector, lam: Vector, step: str = "exact") -> Iterator[Vector]:
    """Classical AdaBoost."""
    a = _scale(A)
    while True:
        yield lam
        g = gradient(A, c, lam)
        i = int(np.argmax(np.abs(g)))
        neg, pos = (sums[i] / a[i] for sums in _signed_sums(A, row_weights(A, c, lam)))
        lam = lam.copy()
        exact = 0.5 * np.log((neg + 1e-12) / (pos + 1e-12)) / a[i]
        lam[i] += exact if step == "exact" else -g[i] / a[i] ** 2
