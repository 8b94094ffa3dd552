"""The algorithm on one page: what tauboost does, in NumPy, to be read beside the paper.

**The problem.** M (m x n) holds what n weak hypotheses say of m samples, y their labels, +1 or -1,
and c their weights, with sum 1 (the paper has c_j = 1/m). With A_ji = y_j M_ji,

    minimise over lam   F(lam) + l1 |lam|_1,      F(lam) = log sum_j c_j exp((A lam)_j):

the logarithm of AdaBoost's exponential loss. The classifier is sign(-M lam). With r = A lam,

    p_j = c_j exp(r_j) / sum_k c_k exp(r_k)       AdaBoost's weights of the samples
    grad F(lam) = A^T p                           the edges of the weak hypotheses

**Two methods.** The paper's Algorithm 2 (`pcdm`) moves tau random coordinates at once, each with
the step 1/(beta L_i), which Theorem 1 shows to be safe on average for any data of these n, omega
and m. `exact` moves the coordinates of a block to their own minimisers, which two sums over a
column give, and checks afterwards whether that was too far. Both undo a move that raised the
objective: they descend. ``python -m tauboost.paper.one_page`` runs them side by side.

Left out here, and found where ``tauboost.paper`` refers to: threads, columns of real values, the
logistic loss, the rest of psi, the stopping rule and the certified gap.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["beta", "exact", "exact_step", "log_loss", "pcdm"]


Vector = NDArray[np.float64]


def log_loss(c: Vector, r: Vector) -> float:
    """F, from r = A lam. The largest r_j is taken out, so that no exp overflows."""
    return float(r.max() + np.log(c @ np.exp(r - r.max())))


def sample_weights(c: Vector, r: Vector) -> Vector:
    """Return p, the gradient of log sum_j c_j exp(r_j)."""
    w = c * np.exp(r - r.max())
    return np.asarray(w / w.sum())


# Algorithm 2 of the paper: Parallel AdaBoost


def beta(n: int, omega: int, tau: int, m: int) -> float:
    """Theorem 1: how many times shorter the steps must be when tau of n coordinates move at once.

    omega is the largest number of nonzeros in a row of A: so many of the tau can meet in a sample.
    p is the probability that k of them do, and the overlap weights are the theorem's c_l.
    """
    overlaps = range(min(omega, tau) + 1)
    p = [comb(omega, k) * comb(n - omega, tau - k) / comb(n, tau) for k in overlaps]
    weights = [max(k / omega, (tau - k) / (n - omega) if omega < n else 0.0) for k in overlaps]
    tails = [sum(weights[k] * p[k] for k in overlaps[first:]) for first in overlaps[1:]]
    return float(sum(min(1.0, m * n / tau * tail) for tail in tails))


def pcdm(A: Any, c: Vector, tau: int, draws: Iterable[Any]) -> Iterator[tuple[Vector, float]]:
    """Yield lam and F(lam) after each iteration of Algorithm 2.

    ``draws`` are the sets S^t: subsets of tau coordinates, all equally likely (tau-nice sampling).
    """
    A = sparse.csc_array(A)
    m, n = A.shape
    L = np.maximum(abs(A).max(axis=0).toarray().ravel() ** 2, 1e-300)  # L_i = max_j A_ji^2
    omega = int(np.bincount(A.indices).max())
    safe = beta(n, omega, tau, m) * L
    lam, r = np.zeros(n), np.zeros(m)
    F = log_loss(c, r)
    for S in draws:
        columns = A[:, S]
        delta = -(columns.T @ sample_weights(c, r)) / safe[S]  # all from the same lam
        moved = r + columns @ delta  # the residuals: A lam is never computed again
        if (F_moved := log_loss(c, moved)) <= F:  # or else the move is undone
            lam[S] += delta
            r, F = moved, F_moved
        yield lam.copy(), F


# The exact step, tauboost's default


def exact_step(a: float, plus: float, minus: float, x: float, l1: float) -> float:
    """Return the d that minimises F + l1 |.| along a coordinate that is at x.

    The column has entries -a, 0 and a. Only the weight of its rows on either side counts, plus and
    minus, as moving by d multiplies the former by u = exp(a d) and divides the latter by u:

        F(d) - F(0) = log(rest + plus u + minus / u),      rest = 1 - plus - minus.

    Without l1 the minimiser is u^2 = minus / plus: AdaBoost's own step, log(minus / plus) / 2a.
    With it, slope(d) = -l1 sign(x + d) is a quadratic in u, unless zero is the best place for x.
    """
    rest = 1.0 - plus - minus

    def slope(d: float) -> float:
        up, down = plus * np.exp(a * d), minus * np.exp(-a * d)
        return float(a * (up - down) / (rest + up + down))

    if l1 > 0 and abs(slope(-x)) <= l1:
        return -x
    t = -l1 * np.sign(slope(-x))  # x + d lies on the side to which F falls from 0
    up, half, down = (a + t) * plus, t * rest / 2, (a - t) * minus  # up u^2 + 2 half u - down = 0
    root = np.sqrt(half**2 + up * down)
    u = down / (root + half) if half > 0 else (root - half) / up  # where nothing cancels
    return float(np.clip(np.log(u), -30.0, 30.0) / a)


def exact(A: Any, c: Vector, l1: float, blocks: Iterable[Any]) -> Iterator[tuple[Vector, float]]:
    """Yield lam and F + l1 |lam|_1 after each block of columns, whose entries are -a_i, 0 and a_i.

    All columns of a block step at once, each as if it were alone. Where rows have few entries in a
    block they nearly are; where not, the objective may rise, and the steps are halved until it does
    not. No constant for the worst case is needed, and a rare feature takes a long step.
    """
    A = sparse.csc_array(A)
    a = abs(A).max(axis=0).toarray().ravel()
    lam, r = np.zeros(A.shape[1]), np.zeros(A.shape[0])
    objective = log_loss(c, r)
    for block in blocks:
        columns = A[:, block]
        p = sample_weights(c, r)
        plus, minus = columns.maximum(0).T @ p, (-columns).maximum(0).T @ p
        step = np.zeros(len(block))
        for k, i in enumerate(block):
            if a[i] > 0:
                sums = plus[k] / a[i] + 1e-14, minus[k] / a[i] + 1e-14  # neither is ever zero
                step[k] = exact_step(a[i], *sums, lam[i], l1)
        change, l1_elsewhere = columns @ step, l1 * np.abs(np.delete(lam, block)).sum()
        for fraction in 0.5 ** np.arange(11):
            moved = lam[block] + fraction * step
            new = log_loss(c, r + fraction * change) + l1_elsewhere + l1 * np.abs(moved).sum()
            if new <= objective:
                lam[block], r, objective = moved, r + fraction * change, new
                break
        yield lam.copy(), objective


def main(m: int = 2000, n: int = 200, tau: int = 8, epochs: int = 10) -> None:
    """Print the objective after each epoch, which is n coordinate steps, of both methods."""
    random = np.random.default_rng(0)
    M = (random.random((m, n)) < 10 / n) * 1.0  # a word is in a text, or not
    y = np.where(M @ random.normal(size=n) + random.logistic(size=m) > 0, 1.0, -1.0)
    A, c, per_epoch = sparse.csc_array(y[:, None] * M), np.full(m, 1 / m), n // tau
    omega = int((M != 0).sum(axis=1).max())
    draws = [random.choice(n, tau, replace=False) for _ in range(epochs * per_epoch)]
    blocks = [block for _ in range(epochs) for block in random.permutation(n).reshape(-1, tau)]
    paper = [F for _, F in pcdm(A, c, tau, draws)][per_epoch - 1 :: per_epoch]
    ours = [F for _, F in exact(A, c, 0.0, blocks)][per_epoch - 1 :: per_epoch]
    shape = f"m={m}, n={n}, omega={omega}, tau={tau}, beta={beta(n, omega, tau, m):.2f}"
    both = enumerate(zip(paper, ours, strict=True), start=1)
    lines = [shape, "epoch  Algorithm 2  exact step"]
    lines += [f"{epoch:5}{F:13.6f}{G:12.6f}" for epoch, (F, G) in both]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
