"""Data whose hard core is known because it was built, and a linear program that finds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import tauboost as tb


@dataclass(frozen=True)
class Known:
    """Rows, labels, weights, and which rows are in the core; the rest is separated."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    core: np.ndarray
    options: dict[str, Any]

    @property
    def present(self) -> np.ndarray:
        return np.ones(len(self.y), dtype=bool) if self.weights is None else self.weights > 0

    def problem(self) -> tb.Problem:
        return tb.Problem(self.X, self.y, self.weights, **self.options)


def build(
    seed: int, n_blocks: int, n_separated: int, *, fit_intercept: bool, weighted: bool, loss: str
) -> Known:
    """Build rows: each block is two points and their middle, with the other label.

    The middle balances the two, with an intercept or without. Separated rows have one column more,
    which is 0 in all blocks and tells their labels. Then columns are mixed, rows shuffled and some
    repeated; rows of weight 0 could be anything.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    X, y, core = [], [], []
    for _ in range(n_blocks):
        ends = 2 * rng.integers(-2, 3, (2, n))
        side = rng.choice([-1, 1])
        X += [[*ends[0], 0], [*ends[1], 0], [*(ends.sum(axis=0) // 2), 0]]
        y += [side, side, -side]
        core += [True] * 3
    for k in range(n_separated):
        side = [-1, 1][k % 2]
        X.append([*rng.integers(-3, 4, n), side * rng.integers(1, 4)])
        y.append(side)
        core.append(False)
    order = rng.permutation(np.concatenate([np.arange(len(y)), rng.integers(0, len(y), 3)]))
    rows, labels = np.array(X, dtype=float)[order], np.array(y)[order]
    is_core = np.array(core)[order]
    weights = None
    if weighted:
        weights = 10.0 ** rng.integers(-3, 3, len(labels))
        rows = np.vstack([rows, rng.integers(-3, 4, (2, n + 1))])
        labels, is_core = np.append(labels, [-1, 1]), np.append(is_core, [False, False])
        weights = np.append(weights, [0.0, 0.0])
    mix = np.tril(rng.integers(-1, 2, (n + 1, n + 1)), -1) + np.eye(n + 1)
    rows = rows @ mix @ mix.T
    return Known(rows, labels, weights, is_core, {"fit_intercept": fit_intercept, "loss": loss})


def core_by_linear_program(known: Known) -> np.ndarray:
    """Maximise sum t, 0 <= t <= 1, A lam <= -t: t is 1 where a row can be separated, else 0."""
    X = known.X[known.present]
    if known.options.get("fit_intercept"):
        X = np.hstack([X, np.ones((len(X), 1))])
    A = np.where(known.y[known.present] == known.y.max(), 1.0, -1.0)[:, None] * X
    m, n = A.shape
    found = linprog(
        np.concatenate([np.zeros(n), -np.ones(m)]),
        A_ub=sp.hstack([A, sp.identity(m)]),
        b_ub=np.zeros(m),
        bounds=[(None, None)] * n + [(0, 1)] * m,
        method="highs",
    )
    core = np.zeros(len(known.y), dtype=bool)
    core[known.present] = found.x[n:] < 0.5
    return core
