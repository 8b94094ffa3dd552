"""The methods by name, what each accepts, and ``solve``, the one door to all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .base.arrays import Vector
from .base.messages import shown
from .base.threads import resolve_threads
from .paper.full_gradient import Accelerated, fully_parallel
from .paper.greedy import Greedy
from .paper.pcdm import Pcdm, PcdmAsync
from .penalty import Bounds, Penalty, check_factors
from .problem import BaseProblem, Problem, SparseProblem
from .solvers.certificate import Bounding
from .solvers.exact import Exact, ExactAsync
from .solvers.lbfgs import Lbfgs, minimise
from .solvers.monitor import Callback, Monitor
from .solvers.result import Result
from .solvers.stopping import Iteration, StoppingRule, run
from .solvers.weights import Start
from .validation import check_vector

__all__ = ["METHODS", "Method", "solve"]


PAPER_TAU = 16


def iterate(at: Iteration, monitor: Monitor) -> Result:
    """Take a method to its end."""
    run(at, monitor)
    return monitor.result(at)


@dataclass(frozen=True, repr=False)
class Method:
    """One method: what it makes of a start, and what it can be asked for."""

    make: Callable[[Start], Iteration]
    summary: str
    takes_seed: bool = False
    takes_tau: bool = False  # implies a seed
    default_tau: int | None = None  # None: adapted on the way
    steps: tuple[str, ...] = ()  # the first is the default
    takes_l1: bool = True
    takes_l2: bool = True
    takes_bounds: bool = True
    steps_without_psi: tuple[str, ...] = ()
    losses: tuple[str, ...] = ("exponential",)
    takes_parts: bool = True  # runs on rows that are spread over a cluster
    run: Callable[[Any, Monitor], Result] = iterate  # takes what `make` has made to its end

    def __repr__(self) -> str:
        return f"<{self.summary}>"


METHODS: dict[str, Method] = {
    "exact": Method(
        Exact,
        "exact steps in blocks, the default",
        takes_tau=True,
        losses=("exponential", "logistic"),
    ),
    "exact-async": Method(
        ExactAsync,
        "the same step, lock-free",
        takes_seed=True,
        losses=("exponential", "logistic"),
        takes_parts=False,
    ),
    "pcdm": Method(
        Pcdm,
        "the paper's Algorithm 2",
        takes_tau=True,
        default_tau=PAPER_TAU,
    ),
    "pcdm-async": Method(
        PcdmAsync,
        "its asynchronous version, lock-free",
        takes_tau=True,
        default_tau=PAPER_TAU,
        takes_parts=False,
    ),
    "fully-parallel": Method(
        fully_parallel,
        "all coordinates at once",
        steps=("collins", "lipschitz"),
        steps_without_psi=("collins",),
        losses=("exponential", "logistic"),
    ),
    "accelerated": Method(Accelerated, "FISTA on all coordinates"),
    "greedy": Method(
        Greedy,
        "classical AdaBoost",
        steps=("exact", "lipschitz"),
        takes_l1=False,
        takes_l2=False,
        takes_bounds=False,
    ),
    "lbfgs": Method(
        Lbfgs,
        "SciPy's L-BFGS-B, the outside baseline",
        run=minimise,
        takes_l1=False,
        losses=("exponential", "logistic"),
    ),
}


def solve(
    problem: BaseProblem,
    method: str = "exact",
    *,
    alpha: float = 0.0,
    l1_ratio: float = 1.0,
    bounds: Bounds | None = None,
    tau: int | None = None,
    step: str | None = None,
    n_threads: int | None = None,
    max_epochs: float | None = None,
    tol: float | None = None,
    time_limit: float | None = None,
    target: float | None = None,
    gap: float | None = None,
    relative_gap: float | None = None,
    penalty_factors: Any = None,
    lam0: ArrayLike | None = None,
    random_state: Any = None,
    callback: Callback | None = None,
) -> Result:
    """Minimise F(lam) + psi(lam).

    Parameters
    ----------
    problem : Problem, TableProblem or DaskProblem
        What to solve.
    method : str
        One of ``tauboost.METHODS``; the user guide says which to use when.
    alpha, l1_ratio : float
        ``psi = alpha (l1_ratio |lam|_1 + (1 - l1_ratio)/2 |lam|_2^2)``. The intercept is never
        penalised.
    bounds : (lower, upper), optional
        Numbers, vectors or None for either side.
    tau : int, optional
        How many coordinates move together (``exact``, ``pcdm``, ``pcdm-async``). By default
        ``exact`` adapts it, and the paper's methods take the paper's 16, or n if that is less.
    step : str, optional
        ``fully-parallel``: "collins" or "lipschitz"; ``greedy``: "exact" or "lipschitz".
    n_threads : int, optional
        None means every core this process may use. Synchronous methods give the same bits for any.
    max_epochs : float, optional
        1000 by default. One epoch is n coordinate updates, or one full-gradient iteration.
    tol : float, optional
        Stop when the largest excess edge is at most this (1e-4 by default), or when the data are
        found separable; 0 switches both tests off.
    time_limit, target : float, optional
        Stop after this many seconds, or as soon as the objective is at most ``target``.
    gap : float, optional
        Stop as soon as the objective is proved to be within this of the optimum; then ``tol`` is 0
        unless given. Every result has its ``gap`` where psi allows for one: with an l1 or l2
        penalty, or with two bounds for every feature.
    relative_gap : float, optional
        The same as a share of the objective. The exponential loss, whose objective is a logarithm,
        takes it as it is: a difference of logarithms is a share.
    penalty_factors : array-like of shape (n_features,), or a pair of them, optional
        Numbers by which alpha is multiplied, one for each feature; 0 leaves it free, and then no
        gap is certified. Of a pair, the first is for the l1 term and the second for l2.
    lam0 : array-like of shape (n_features,), optional
        Where to start (0 by default), with the intercept, if any, as one entry more at the end;
        moved into the bounds if it lies outside.
    random_state : None, int, Generator or SeedSequence
        Seed of the samplings; None draws a fresh one.
    callback : callable, optional
        Called with a ``Snapshot`` at each evaluation of the objective; return True to stop.

    Returns
    -------
    Result

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> result = tb.solve(tb.Problem(X, y), "fully-parallel", max_epochs=20)
    >>> result.objective < 0
    True
    """
    if not isinstance(problem, BaseProblem):
        raise TypeError(
            f"problem must be a tauboost.Problem or TableProblem, got {type(problem).__name__}"
        )
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {shown(method)}")
    chosen = METHODS[method]
    start = _checked_start(problem, lam0)
    first = None if start is None else start[: problem.n_features]
    factors = check_factors(penalty_factors, problem.n_features)
    if factors is not None and not isinstance(problem, SparseProblem):
        raise ValueError("penalty_factors: the stumps of a TableProblem have none")
    penalty = Penalty.build(problem.design, alpha, l1_ratio, bounds, lam0=first, factors=factors)
    options: dict[str, Any] = {"n_threads": resolve_threads(n_threads)}
    options |= _step_option(method, chosen, step, penalty)
    options |= _tau_options(method, chosen, tau, random_state, problem)
    _check_fit(method, chosen, problem, penalty)
    rule = StoppingRule.build(
        tol=tol,
        gap=gap,
        relative_gap=relative_gap,
        target=target,
        max_epochs=max_epochs,
        time_limit=time_limit,
    )
    bounding = Bounding(problem, penalty, options["n_threads"])
    if (gap is not None or relative_gap is not None) and not bounding.is_possible:
        name = "relative_gap" if gap is None else "gap"
        raise ValueError(f"{name}: none can be certified, as {bounding.reason}; set alpha, or tol")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable, got {shown(callback)}")
    lam = penalty.without_empty(penalty.project(_start(problem, start)), problem.design.scale)
    _check_margins(lam, problem.design.scale)
    at = problem.solvers.get(method, chosen.make)(Start(problem, penalty, lam, **options))
    return chosen.run(at, Monitor(problem, penalty, rule, callback, bounding))


def _checked_start(problem: BaseProblem, lam0: ArrayLike | None) -> Vector | None:
    n = problem.n_features
    return None if lam0 is None else check_vector(lam0, (n, n + problem.fit_intercept), "lam0")


def _start(problem: BaseProblem, lam0: Vector | None) -> Vector:
    if lam0 is None:
        return np.zeros(problem.n_coordinates)
    n = problem.n_features
    return problem.design.coordinates(lam0[:n], float(lam0[n]) if len(lam0) > n else 0.0)


def _check_margins(lam: Vector, scale: Vector) -> None:
    """Refuse a start whose margins, A lam, might be no numbers."""
    with np.errstate(over="ignore"):
        most = np.sum(scale * np.abs(lam))  # no margin is larger
    if not np.isfinite(most):
        raise ValueError(
            f"lam0 has entries up to {np.abs(lam).max():.3g}, with which margins are too large for "
            "a float: start from smaller ones"
        )


def _step_option(method: str, chosen: Method, step: str | None, penalty: Penalty) -> dict[str, str]:
    if not chosen.steps:
        if step is not None:
            raise ValueError(f"step: method {method!r} has no choice of step, got {shown(step)}")
        return {}
    step = chosen.steps[0] if step is None else step
    if step not in chosen.steps:
        accepted = " or ".join(map(repr, chosen.steps))
        raise ValueError(f"step must be {accepted} for method {method!r}, got {shown(step)}")
    if step in chosen.steps_without_psi and not penalty.is_zero:
        raise ValueError(
            f"step={step!r} of {method!r} takes neither alpha nor bounds: use step='lipschitz'"
        )
    return {"step": step}


def _tau_options(
    method: str, chosen: Method, tau: int | None, random_state: Any, problem: BaseProblem
) -> dict[str, int | None]:
    if not chosen.takes_tau:
        if tau is not None:
            raise ValueError(f"tau: method {method!r} has no blocks to size, got tau={shown(tau)}")
        return {"seed": _seed(random_state)} if chosen.takes_seed else {}
    n = problem.n_coordinates
    seed = _seed(random_state)
    if tau is None:
        default = chosen.default_tau
        return {"tau": default if default is None else min(default, n), "seed": seed}
    if isinstance(tau, bool) or not isinstance(tau, Integral):
        raise TypeError(f"tau must be an integer, got {shown(tau)}")
    if not 1 <= tau <= n:
        raise ValueError(f"tau must be between 1 and the {n} coordinates, got {shown(tau)}")
    return {"tau": int(tau), "seed": seed}


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        words = random_state.bytes(8)
        return int.from_bytes(words, "little")
    try:
        sequence = (
            random_state
            if isinstance(random_state, np.random.SeedSequence)
            else np.random.SeedSequence(random_state)
        )
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, a nonnegative integer, a SeedSequence or a Generator, "
            f"got {shown(random_state)}"
        ) from None
    return int(sequence.generate_state(1, np.uint64)[0])


def _check_fit(method: str, chosen: Method, problem: BaseProblem, penalty: Penalty) -> None:
    """Refuse what the method cannot do, naming what can."""

    def others(able: Callable[[Method], bool]) -> str:
        return ", ".join(repr(name) for name, other in METHODS.items() if able(other))

    if penalty.l1 > 0 and not chosen.takes_l1:
        able = others(lambda other: other.takes_l1)
        raise ValueError(f"alpha: method {method!r} takes no l1 term (l1_ratio > 0); {able} do")
    if penalty.l2 > 0 and not chosen.takes_l2:
        able = others(lambda other: other.takes_l2)
        raise ValueError(f"alpha: method {method!r} takes no penalty; {able} do")
    if penalty.has_bounds and not chosen.takes_bounds:
        able = others(lambda other: other.takes_bounds)
        raise ValueError(f"bounds: method {method!r} takes no bounds; {able} do")
    if not isinstance(problem, SparseProblem):
        if method not in problem.solvers:
            able = ", ".join(map(repr, problem.solvers))
            raise ValueError(f"method {method!r} needs a sparse matrix; {able} solve tables")
    elif not chosen.takes_parts and not isinstance(problem, Problem):
        able = others(lambda other: other.takes_parts)
        raise ValueError(
            f"method {method!r} needs all rows on one machine; {able} run on a cluster"
        )
    if problem.loss not in chosen.losses:
        able = others(lambda other: problem.loss in other.losses)
        raise ValueError(f"method {method!r} does not fit loss={problem.loss!r}; {able} do")
