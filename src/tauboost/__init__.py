"""AdaBoost as one convex problem over a huge sparse matrix, solved in parallel."""

from .datasets import make_url_like, make_w8a_like
from .eso import beta, speedup
from .estimators import TauBoostClassifier, load_model, save_model, to_onnx
from .io import load_svmlight
from .problem import Problem
from .solvers import METHODS, Result, Snapshot, Status, Trace, solve

__all__ = [
    "METHODS",
    "Problem",
    "Result",
    "Snapshot",
    "Status",
    "TauBoostClassifier",
    "Trace",
    "beta",
    "load_model",
    "load_svmlight",
    "make_url_like",
    "make_w8a_like",
    "save_model",
    "solve",
    "speedup",
    "to_onnx",
]
