"""AdaBoost as one convex problem over a huge sparse matrix, solved in parallel."""

from .datasets import generate_url, generate_w8a, make_url_like, make_w8a_like
from .eso import beta, speedup
from .estimators import (
    AdaBoostPLClassifier,
    PathResult,
    TauBoostClassifier,
    TauBoostClassifierCV,
    load_model,
    regularization_path,
    save_model,
    to_onnx,
)
from .io import Store, StoreWriter, convert, load_svmlight, open_store
from .problem import Problem
from .solvers import METHODS, Result, Snapshot, Status, Trace, solve

__all__ = [
    "METHODS",
    "AdaBoostPLClassifier",
    "PathResult",
    "Problem",
    "Result",
    "Snapshot",
    "Status",
    "Store",
    "StoreWriter",
    "TauBoostClassifier",
    "TauBoostClassifierCV",
    "Trace",
    "beta",
    "convert",
    "generate_url",
    "generate_w8a",
    "load_model",
    "load_svmlight",
    "make_url_like",
    "make_w8a_like",
    "open_store",
    "regularization_path",
    "save_model",
    "solve",
    "speedup",
    "to_onnx",
]
