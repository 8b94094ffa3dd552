"""What ``solve`` will cost on a problem that is there: sweeps are timed on the problem itself."""

from __future__ import annotations

import time
from typing import Any

from ..problem import Problem
from ..solvers import solve
from . import advice, memory, paper
from .cut import BEGINNING, in_turns
from .rate import sweeps_to
from .result import GUESSED, MEASURED, Plan

__all__ = ["plan_problem"]

# A first look at how long a sweep takes, in epochs.
GLANCE = 0.02
# Vectors over rows and over columns that a run keeps.
PER_ROW, PER_COLUMN = 6, 8


COUNTED = {
    True: "measured: gone through",
    False: "from how the objective falls in the first sweeps",
}
HOW = {
    "read_seconds": "",
    "build_seconds": "the matrix is there",
    "sweep_seconds": "measured on the problem, without psi",
    "fit_seconds": "a problem keeps no rows to hold out: give plan (X, y)",
    "data_bytes": "a problem keeps no X",
    "matrix_bytes": "counted",
    "peak_bytes": "counted: the matrix, and vectors over rows and columns",
    "n_threads": "the fewest that are about as fast as any",
    "tau": "the size of the first bundles",
    "paper_beta": "Theorem 1",
    "message_seconds": "rounds of messages a sweep, at what one takes between two workers",
}


def plan_problem(problem: Problem, n_threads: int, accuracy: float, seconds: float) -> Plan:
    """Time part of a sweep with each number of threads, and some sweeps towards the accuracy."""
    began = time.perf_counter()
    m, n, nnz = problem.n_samples, problem.n_coordinates, problem.nnz
    times = {k: _sweep_seconds(problem, k, seconds / 4) for k in advice.thread_counts(n_threads)}
    best = advice.useful(times)
    options: dict[str, Any] = {"random_state": 0, "n_threads": n_threads}
    result = solve(problem, tol=accuracy, time_limit=seconds, **options)
    sweeps = sweeps_to(problem, result, 0.0, accuracy)
    matrix = int(problem.matrix.nbytes)
    peak = matrix + memory.NUMBER * (PER_ROW * m + PER_COLUMN * n)
    available, messages = memory.available_bytes(), advice.message_seconds(m, n, nnz)
    place, why = advice.place(peak, available, nnz, times[best], messages)
    is_done = sweeps == result.n_epochs
    around = MEASURED if is_done else GUESSED
    return Plan(
        name="",
        n_samples=m,
        n_features=problem.n_features,
        nnz=nnz,
        omega=problem.omega,
        share=1.0,
        read_seconds=0.0,
        build_seconds=0.0,
        sweep_seconds=times,
        accuracy=accuracy,
        sweeps=sweeps,
        fit_seconds=None,
        fit_parts={},
        data_bytes=0,
        matrix_bytes=matrix,
        peak_bytes=peak,
        available_bytes=available,
        n_threads=best,
        tau=advice.first_tau(m, n, nnz),
        place=place,
        message_seconds=messages,
        **paper.theorem_1(n, problem.omega, m),
        how=HOW | {"place": why, "sweeps": COUNTED[is_done]},
        ranges={
            "read_seconds": (0.0, 0.0),
            "build_seconds": (0.0, 0.0),
            "sweep_seconds": MEASURED,
            "sweeps": (sweeps * around[0], sweeps * around[1]),
        },
        plan_seconds=time.perf_counter() - began,
    )


def _sweep_seconds(problem: Problem, n_threads: int, seconds: float) -> float:
    """Return the time of a sweep, from as much of one as there is time for."""

    def sweep(epochs: float) -> float:
        options: dict[str, Any] = {"max_epochs": epochs, "tol": 0.0, "random_state": 0}
        trace = solve(problem, n_threads=n_threads, **options).trace
        return float(trace.seconds[-1] - trace.seconds[0])

    sweep(GLANCE)
    expected = sweep(GLANCE) / GLANCE
    part = min(1.0, max(2 * GLANCE, seconds / 6 / max(expected, 1e-9)))
    begun, whole = in_turns([lambda: sweep(BEGINNING * part), lambda: sweep(part)], seconds)
    fixed = min(begun, whole / 2)
    return fixed + (whole - fixed) / part
