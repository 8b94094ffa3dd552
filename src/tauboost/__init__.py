"""AdaBoost as one convex problem over a huge sparse matrix, solved in parallel."""

from .datasets import make_url_like, make_w8a_like
from .eso import beta, speedup
from .estimators import (
    AdaBoostPLClassifier,
    TauBoostClassifier,
    load_model,
    save_model,
    to_onnx,
)
from .generate import generate_url, generate_w8a
from .io import Store, StoreWriter, convert, load_svmlight, open_store
from .problem import Problem
from .solvers import METHODS, Result, Snapshot, Status, Trace, solve

__all__ = [
    "METHODS",
    "AdaBoostPLClassifier",
    "Problem",
    "Result",
    "Snapshot",
    "Status",
    "Store",
    "StoreWriter",
    "TauBoostClassifier",
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
    "save_model",
    "solve",
    "speedup",
    "to_onnx",
]
