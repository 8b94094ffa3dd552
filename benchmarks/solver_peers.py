"""What the solvers are raced on, and whom tauboost's own are raced against.

A task is a problem with its penalty and limits. A peer is something other than tauboost that solves
it: SciPy's L-BFGS-B on SciPy's products, and scikit-learn's LogisticRegression.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import tauboost as tb
from common import Data
from tauboost.base.arrays import Vector
from tauboost.losses import LOSSES
from tauboost.penalty import Penalty

LEVELS = 10.0 ** (-np.arange(81) / 10)  # gaps in the picture
IN_TABLE = slice(10, None, 10)  # of these: 1e-1 ... 1e-8
GAPS = LEVELS[IN_TABLE]
TIGHT = 1e-12

Row = dict[str, Any]
Trace = list[tuple[float, float]]  # seconds, and the objective they led to


@dataclass(frozen=True)
class Task:
    """A problem with its penalty and the limits of a run; ``best`` is what gaps are taken from."""

    data: Data
    problem: tb.Problem
    penalty: Penalty
    chosen: argparse.Namespace
    best: float = math.nan

    @classmethod
    def build(cls, data: Data, chosen: argparse.Namespace) -> Task:
        """Build the problem; its best objective is not known yet."""
        problem = tb.Problem(data.X, data.y, loss=chosen.loss, n_threads=chosen.threads)
        l1, l2 = chosen.alpha * chosen.l1_ratio, chosen.alpha * (1 - chosen.l1_ratio)
        return cls(data, problem, Penalty(problem.n_features, l1, l2), chosen)

    @property
    def target(self) -> float:
        """The objective at the smallest gap."""
        return self.best + float(GAPS[-1])

    def is_over(self, seconds: float, objective: float) -> bool:
        """Whether a run has reached the smallest gap, or has used up its time."""
        return objective <= self.target or seconds >= self.chosen.time_limit

    def solve(self, method: str, **options: Any) -> tb.Result:
        """Run a method of tauboost, without a tolerance."""
        chosen = self.chosen
        usual: Row = {"alpha": chosen.alpha, "l1_ratio": chosen.l1_ratio, "tol": 0.0}
        usual |= {"n_threads": chosen.threads, "max_epochs": math.inf, "random_state": chosen.seed}
        return tb.solve(self.problem, method, **usual | options)

    @property
    def terms(self) -> dict[str, float]:
        """The terms of psi, with their alphas."""
        alphas = {"l1": self.penalty.l1, "l2": self.penalty.l2}
        return {name: alpha for name, alpha in alphas.items() if alpha > 0}

    def words(self) -> str:
        """Say what is solved, and with how many threads."""
        psi = ", ".join(f"{name} = {alpha:g}" for name, alpha in self.terms.items())
        threads = f"{self.chosen.threads} thread" + "s" * (self.chosen.threads > 1)
        return f"{self.data.name}, {self.problem.loss} loss, {psi or 'no penalty'}, {threads}"

    def label(self) -> Row:
        """Return the cells that say which problem a row is about."""
        P, chosen = self.problem, self.chosen
        shape = {"n_samples": P.n_samples, "n_features": P.n_features, "nnz": P.nnz}
        psi = {"loss": P.loss, "alpha": chosen.alpha, "l1_ratio": chosen.l1_ratio}
        return {"data": self.data.name, **shape, **psi, "repeats": chosen.repeats}


@dataclass(frozen=True)
class Contender:
    """A way to solve a task: ``run`` takes a seed; making its input took ``preparation`` s."""

    name: str
    label: str
    preparation: float
    run: Callable[[int], Trace]


@dataclass(frozen=True)
class Peer:
    """Something other than tauboost: the problems it takes, and how to get it ready for one."""

    label: str
    losses: Sequence[str]
    terms: Sequence[str]  # of psi, in words
    prepare: Callable[[Task], Callable[[int], Trace]]


def peers(task: Task) -> Iterator[Contender]:
    """Yield those that take the loss and psi."""
    terms = " and ".join(task.terms) or "no penalty"
    for name, peer in PEERS.items():
        if name not in task.chosen.methods:
            continue
        if task.problem.loss in peer.losses and terms in peer.terms:
            began = time.perf_counter()
            run = peer.prepare(task)
            yield Contender(name, peer.label, time.perf_counter() - began, run)
        else:
            takes = f"{' or '.join(peer.losses)} loss with {' or '.join(peer.terms)}"
            print(f"skipped: {name} (takes {takes})")


def with_short_indices(X: sparse.csr_array) -> sparse.csr_array:
    """Return X with 32-bit indices, where they suffice: liblinear and saga take no others."""
    dtype = np.int32 if max(X.nnz, *X.shape) < 2**31 else np.int64
    indices, indptr = (a.astype(dtype, copy=False) for a in (X.indices, X.indptr))
    return sparse.csr_array((X.data, indices, indptr), shape=X.shape)


def csr_lbfgs(task: Task) -> Callable[[int], Trace]:
    """Prepare SciPy's L-BFGS-B on SciPy's products: what one would write without tauboost."""
    signs = np.where(task.data.y == task.data.y.max(), 1.0, -1.0)
    A = with_short_indices(task.data.X).copy()
    A.data *= np.repeat(signs, np.diff(A.indptr))
    loss, l2 = LOSSES[task.problem.loss], task.penalty.l2
    c = np.full(len(signs), 1 / len(signs))

    def evaluate(lam: Vector) -> tuple[float, Vector]:
        at = loss.weigh(A @ lam, c, 1.0)
        return at.value + l2 / 2 * float(lam @ lam), A.T @ at.w / at.total + l2 * lam

    def run(seed: int) -> Trace:  # noqa: ARG001
        trace: Trace = []
        began = time.perf_counter()

        def record(intermediate_result: Any) -> None:
            trace.append((time.perf_counter() - began, intermediate_result.fun))
            if task.is_over(*trace[-1]):
                raise StopIteration

        start = np.zeros(A.shape[1])
        limits = {"maxiter": 10**9, "maxfun": 10**9, "ftol": 0.0, "gtol": 0.0}
        minimize(evaluate, start, method="L-BFGS-B", jac=True, callback=record, options=limits)
        return trace

    return run


def scikit_learn(solver: str, fits: Sequence[Row], task: Task) -> Callable[[int], Trace]:
    """Prepare LogisticRegression. It shows no trace: complete fits, ever longer, stand in."""
    chosen, X, y = task.chosen, with_short_indices(task.data.X), task.data.y
    options: Row = {"solver": solver, "fit_intercept": False, "l1_ratio": chosen.l1_ratio}
    options["C"] = 1 / (chosen.alpha * task.problem.n_samples)
    if LogisticRegression().l1_ratio is None:  # before scikit-learn 1.8
        options["penalty"] = next(iter(task.terms)) if len(task.terms) == 1 else "elasticnet"

    def run(seed: int) -> Trace:
        trace: Trace = []
        for fit in fits:
            model = LogisticRegression(random_state=seed, **options, **fit)
            began = time.perf_counter()
            model.fit(X, y)
            seconds, lam = time.perf_counter() - began, -model.coef_[0]
            trace.append((seconds, task.problem.value(lam) + task.penalty.value(lam)))
            has_converged = fit["tol"] == TIGHT and max(model.n_iter_) < fit["max_iter"]
            if has_converged or task.is_over(*trace[-1]):
                break
        return trace

    return run


def _scikit_learn(solver: str, terms: Sequence[str], fits: Sequence[Row]) -> Peer:
    prepare = partial(scikit_learn, solver, fits)
    return Peer(f"scikit-learn {solver}", ("logistic",), terms, prepare)


_STEPS = [{"max_iter": k, "tol": TIGHT} for k in range(1, 21)]
_DOUBLED = sorted({2**k for k in range(15)} | {3 * 2**k for k in range(13)})
_LONGER = [{"max_iter": k, "tol": TIGHT} for k in _DOUBLED]
_TIGHTER = [{"max_iter": 10**4, "tol": 10 ** (-k / 2)} for k in range(21)]
_BOTH = ("exponential", "logistic")
PEERS = {
    "lbfgs-csr": Peer("lbfgs, CSR products", _BOTH, ("no penalty", "l2"), csr_lbfgs),
    "sklearn-lbfgs": _scikit_learn("lbfgs", ("l2",), _LONGER),
    "sklearn-newton-cg": _scikit_learn("newton-cg", ("l2",), _STEPS),
    "sklearn-liblinear": _scikit_learn("liblinear", ("l1",), _TIGHTER),
    "sklearn-saga": _scikit_learn("saga", ("l1", "l1 and l2"), _LONGER),
}
