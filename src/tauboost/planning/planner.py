"""What it will cost, from a quick look at the data and a fraction of a second of measuring.

This is the door: it looks (look.py), measures (costs.py, cut.py), counts (memory.py), asks the
paper (paper.py) and puts the answers together.
"""

from __future__ import annotations

import time
from typing import Any

from ..base.progress import progress_bar
from ..base.threads import resolve_threads
from ..problem import Problem
from ..validation import check_real
from . import advice, memory, paper
from .costs import Costs
from .look import Look, look_at
from .problem_planner import plan_problem
from .result import GUESSED, MEASURED, TIMED, Plan

__all__ = ["plan"]

STEPS = 4  # looking, fitting some rows, timing sweeps, the paper


def plan(
    data: Any,
    *,
    n_threads: int | None = None,
    accuracy: float = 1e-3,
    seconds: float = 0.3,
    progress: bool = False,
) -> Plan:
    """Predict what a default fit, and ``solve``, will cost on this machine.

    Parameters
    ----------
    data : path, Store, (X, y), (X, y, sample_weight) or Problem
        A path leads to an svmlight file or a store.
    n_threads : int, optional
        The most threads to reckon with; None means every core this process may use.
    accuracy : float
        The largest excess edge, ``tol`` of ``solve``, for which sweeps are counted.
    seconds : float
        How long each measurement may take: the whole takes about three times as long, and reading
        as long again where data are in a file. More time makes the predictions better.
    progress : bool
        Whether to show on the terminal what is being done, where it takes long.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import tauboost as tb
    >>> plan = tb.plan(tb.make_w8a_like(2000, random_state=0))
    >>> plan.how["fit_seconds"]
    'measured: all of it was run'
    """
    began = time.perf_counter()
    n_threads = resolve_threads(n_threads)
    accuracy = check_real(accuracy, "accuracy", least=0.0, most=1.0, above=True)
    seconds = check_real(seconds, "seconds", least=0.0, most=1e6, above=True)
    if isinstance(data, Problem):
        return plan_problem(data, n_threads, accuracy, seconds)
    look = look_at(data, seconds, n_threads, progress=progress)
    with progress_bar("planning", STEPS, "steps", visible=progress) as show:
        show(1)
        costs = Costs(look, n_threads, seconds)
        show(2)
        found = _predictions(look, costs, accuracy)
        show(3)
        found |= _advice(look, costs, found)
        found |= paper.theorem_1(max(look.size.n_used, 1), look.omega, look.size.m)
        show(4)
    how = _how(look, costs) | {"paper_beta": "Theorem 1", "place": found.pop("why")}
    return Plan(**found, how=how, plan_seconds=time.perf_counter() - began)


def _predictions(look: Look, costs: Costs, accuracy: float) -> dict[str, Any]:
    """Return the size of the data, and what was measured or put together."""
    sweeps = costs.sweeps(accuracy)
    sweep, parts, build = costs.sweep_seconds, costs.fit_parts, costs.build_seconds
    total = sum(parts.values())
    size = look.size
    matrix = memory.matrix_bytes(costs.problem_size, costs.problem_cut)
    peak = memory.fit_bytes(
        costs.fitted_size,
        costs.fitted[0],
        memory.matrix_bytes(costs.fitted_size, costs.fit_cut),
        costs.n_parts,
        n_features=look.width,
        is_copied=costs.fitted[0] is not look.rows,
    )
    timed = MEASURED if costs.is_measured else TIMED if look.is_whole else GUESSED
    of_sweeps = MEASURED if costs.is_measured else GUESSED
    return {
        "name": look.name,
        "n_samples": size.m,
        "n_features": look.width,
        "nnz": size.nnz,
        "omega": look.omega,
        "share": look.share,
        "read_seconds": look.read_seconds,
        "build_seconds": build,
        "sweep_seconds": sweep,
        "accuracy": accuracy,
        "sweeps": sweeps,
        "fit_seconds": total,
        "fit_parts": parts,
        "data_bytes": look.data_bytes,
        "matrix_bytes": matrix,
        "peak_bytes": peak,
        "available_bytes": memory.available_bytes(),
        "ranges": {
            "read_seconds": _range(look.read_seconds, MEASURED if look.is_whole else TIMED),
            "build_seconds": _range(build, timed),
            "sweep_seconds": timed,
            "sweeps": _range(sweeps, of_sweeps),
            "fit_seconds": _range(total, timed),
        },
    }


def _range(value: float, around: tuple[float, float]) -> tuple[float, float]:
    return value * around[0], value * around[1]


def _advice(look: Look, costs: Costs, found: dict[str, Any]) -> dict[str, Any]:
    size = (look.size.m, max(look.size.n_used, 1), look.size.nnz)
    n_threads = advice.useful(costs.sweep_seconds)
    messages = advice.message_seconds(*size)
    needed = found["peak_bytes"] + found["data_bytes"]
    sweep = costs.sweep_seconds[n_threads]
    place, why = advice.place(needed, found["available_bytes"], look.size.nnz, sweep, messages)
    return {
        "n_threads": n_threads,
        "tau": advice.first_tau(*size),
        "place": place,
        "why": why,
        "message_seconds": messages,
    }


def _how(look: Look, costs: Costs) -> dict[str, str]:
    """Say of every prediction how it was got."""
    timed = built = fitted = counted = "measured: all of it was run"
    if not costs.is_measured:
        rows = f"{costs.last.n_rows:,} rows"
        part = f"{costs.problem_cut.samples.arrays.nnz:,} nonzeros"
        timed = f"sweeps over {part}, scaled up"
        built = "layouts of ever more rows, scaled up"
        counted = f"a run on {rows}; more rows often need a few more sweeps"
        fitted = f"the sweeps of a fit of {rows}, timed on {part}"
    return {
        "read_seconds": look.how_read,
        "build_seconds": built,
        "sweep_seconds": timed,
        "sweeps": counted,
        "fit_seconds": fitted,
        "data_bytes": "counted" if look.is_whole else "from the rows that were read",
        "matrix_bytes": "from the layout of a part of it",
        "peak_bytes": "counted: the matrix, and a race in lanes",
        "n_threads": "the fewest that are about as fast as any",
        "tau": "the size of the first bundles",
        "message_seconds": "rounds of messages a sweep, at what one takes between two workers",
    }
