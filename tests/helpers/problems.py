"""One registry of problems that every solver is run on.

Small, each with something that breaks careless code: empty rows and columns, one column, columns
of one class, weights over many orders of magnitude, real and signed values, an intercept, columns
that nearly all rows have an entry in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

import tauboost as tb
from sparse_data import random_csr


@dataclass(frozen=True)
class Case:
    X: Any
    y: np.ndarray
    sample_weight: np.ndarray | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def problem(self, **options: Any) -> tb.Problem:
        return tb.Problem(self.X, self.y, self.sample_weight, **(self.options | options))

    def signed(self) -> np.ndarray:
        """A as the oracle takes it: dense, A_ji = y_j M_ji, the intercept last."""
        X = self.X.toarray() if sp.issparse(self.X) else np.asarray(self.X)
        X = X.astype(np.float64)
        if self.options.get("fit_intercept"):
            X = np.hstack([X, np.ones((len(X), 1))])
        return np.where(self.y == self.y.max(), 1.0, -1.0)[:, None] * X

    def c(self) -> np.ndarray:
        weights = np.ones(len(self.y)) if self.sample_weight is None else self.sample_weight
        return weights / weights.sum()


def _labels(rng: np.random.Generator, m: int, share: float = 0.4) -> np.ndarray:
    y = np.where(rng.random(m) < share, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return y


def _binary() -> Case:
    rng = np.random.default_rng(1)
    X = sp.csr_array((rng.random((150, 20)) < 0.2).astype(np.float64))
    return Case(X, _labels(rng, 150))


def _real() -> Case:
    rng = np.random.default_rng(2)
    dense = rng.normal(size=(120, 15)) * (rng.random((120, 15)) < 0.4)
    dense *= 10.0 ** rng.integers(-2, 2, 15)
    return Case(sp.csc_array(dense), _labels(rng, 120))


def _mixed() -> Case:
    """Value-free columns of several scales and signs beside real ones; an empty row and column."""
    rng = np.random.default_rng(3)
    dense = (rng.random((100, 12)) < 0.3) * np.array([1, 1, -1, 3, 0.5, 1, 1, 1, 1, 0, 1, 1.0])
    dense[:, 5:8] *= rng.choice([-1.0, 1.0], size=(100, 3))
    dense[:, 10:] *= rng.normal(size=(100, 2))
    dense[7] = 0
    return Case(dense, _labels(rng, 100), options={"fit_intercept": True})


def _weighted() -> Case:
    rng = np.random.default_rng(4)
    X = sp.csr_array((rng.random((80, 10)) < 0.4).astype(np.float32))
    return Case(X, _labels(rng, 80), 10.0 ** rng.uniform(-6, 6, 80))


def _one_class_columns() -> Case:
    rng = np.random.default_rng(5)
    y = _labels(rng, 100)
    dense = (rng.random((100, 8)) < 0.3).astype(np.float64)
    dense[y > 0, 0] = 0
    dense[y < 0, 1] = 0
    return Case(sp.csr_array(dense), y)


def _one_column() -> Case:
    rng = np.random.default_rng(6)
    return Case((rng.random((40, 1)) < 0.5).astype(np.int8), _labels(rng, 40))


def _nearly_full() -> Case:
    """Columns that most rows have an entry in, one that all have, between very sparse ones."""
    rng = np.random.default_rng(7)
    share = np.array([0.95, 0.02, 0.8, 0.02, 1.0, 0.3, 0.9, 0.02, 0.7, 0.1])
    dense = (rng.random((200, 10)) < share) * np.array([1, 1, 2, 1, 1, 1, 0.5, 1, 1, 1.0])
    return Case(sp.csr_array(dense), _labels(rng, 200))


CASES: dict[str, Case] = {
    "binary": _binary(),
    "real": _real(),
    "mixed": _mixed(),
    "weighted": _weighted(),
    "one-class-columns": _one_class_columns(),
    "one-column": _one_column(),
    "nearly-full": _nearly_full(),
}


def sharded_case(seed: int = 0) -> Case:
    """Large enough to be cut into several shards, with value-free and real columns."""
    rng = np.random.default_rng(seed)
    m, n = 60_000, 200
    X = random_csr((m, n), 0.1, rng)
    X.data[:] = 1.0
    real = X.indices < 20
    X.data[real] = rng.normal(size=np.count_nonzero(real))
    return Case(sp.csr_array(X), _labels(rng, m, 0.3))
