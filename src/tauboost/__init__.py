"""AdaBoost as one convex problem over a huge sparse matrix, solved in parallel."""

from .eso import beta, speedup
from .problem import Problem
from .solvers import METHODS, Result, Snapshot, Status, Trace, solve

__all__ = [
    "METHODS",
    "Problem",
    "Result",
    "Snapshot",
    "Status",
    "Trace",
    "beta",
    "solve",
    "speedup",
]
