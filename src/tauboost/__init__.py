"""AdaBoost as one convex problem over a huge sparse matrix, solved in parallel."""

from .datasets import make_url_like, make_w8a_like
from .eso import beta, speedup
from .estimators import (
    PathResult,
    TauBoostClassifier,
    TauBoostClassifierCV,
    regularization_path,
)
from .io import load_svmlight
from .problem import Problem
from .solvers import METHODS, Result, Snapshot, Status, Trace, solve

__all__ = [
    "METHODS",
    "PathResult",
    "Problem",
    "Result",
    "Snapshot",
    "Status",
    "TauBoostClassifier",
    "TauBoostClassifierCV",
    "Trace",
    "beta",
    "load_svmlight",
    "make_url_like",
    "make_w8a_like",
    "regularization_path",
    "solve",
    "speedup",
]
