"""One sweep of ``exact`` and a pure gather of the same nonzeros, as they are timed."""

from __future__ import annotations

from typing import Any

import numpy as np

import tauboost as tb
from tauboost import _core
from tauboost.penalty import Penalty
from tauboost.rows import LocalRows
from tauboost.solvers.weights import MultiplicativeWeights, Start

__all__ = ["gather_once", "sweep_arguments", "sweep_once"]

Row = dict[str, Any]


def sweep_arguments(problem: tb.Problem, penalty: Penalty, tau: int) -> Row:
    """Return what ``exact`` hands to its kernel at lam = 0; the kernel changes it."""
    n = problem.n_coordinates
    at = MultiplicativeWeights(Start(problem, penalty, np.zeros(n), 1))
    columns = np.arange(n, dtype=np.int32)  # in the core's order, which is a random one
    rows = at.rows
    assert isinstance(rows, LocalRows)
    weights = {"matrix": rows.matrix, "w": rows.w, "E": rows.E, "c": rows.kernel_c}
    point = {"lam": at.lam, "total": at.total, "psi": penalty.kernel}
    return weights | point | {"columns": columns, "tau": min(tau, n), "gain": np.zeros(n)}


def sweep_once(threads: int, state: Row) -> None:
    """Take the exact step in every column."""
    _core.exact_sweep(**state, n_threads=threads)


def gather_once(threads: int, state: Row) -> None:
    """Read w at the row of every nonzero: the least that a sweep can cost."""
    _core.pure_gather(state["matrix"], state["w"], threads)
