"""Parallel AdaBoost as one convex problem with certified gaps; classifiers that tune themselves.

Every name is imported when it is first used: whoever solves a problem does not wait for
scikit-learn, and ``import tauboost`` waits for nothing.
"""

# ruff: noqa: E402, I001

import os
import sys

import _signal  # type: ignore[import-not-found]


def _interrupted(*_: object) -> None:
    """End the process in one word."""
    if sys.stderr is not None:
        os.write(2, b"interrupted\n")
    os._exit(130)


# Ctrl-C while the command loads, for which cli/interrupts.py would come too late, and so would
# signal: they take a millisecond each.
_name = "".join(sys.argv[:1])
_is_command = _name.endswith("/tauboost") or (_name == "-m" and "tauboost" in sys.orig_argv)
if _is_command and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _interrupted)

from typing import TYPE_CHECKING

from .base.lazy import lazy_names
from .base.version import VERSION

if TYPE_CHECKING:
    from .base.messages import FitWarning
    from .datasets import generate_url, generate_w8a, make_url_like, make_w8a_like
    from .paper.eso import beta, speedup
    from .paper.adaboost_pl import AdaBoostPLClassifier
    from .paper.p_adaboost import PAdaBoostClassifier
    from .estimators import (
        PathResult,
        TableClassifier,
        TauBoostClassifier,
        TauBoostClassifierCV,
        TextClassifier,
        TextVectorizer,
        load_model,
        regularization_path,
        save_model,
        to_onnx,
    )
    from .io import Store, StoreWriter, convert, load_svmlight, open_store
    from .planning import Plan, plan
    from .problem import Problem
    from .certificates.hard_core import HardCore, hard_core
    from .reporting import Report, report
    from .methods import METHODS, solve
    from .solvers.result import Result, Status, Trace
    from .solvers.monitor import Snapshot
    from .tables.problem import TableProblem

__all__ = [
    "METHODS",
    "AdaBoostPLClassifier",
    "FitWarning",
    "HardCore",
    "PAdaBoostClassifier",
    "PathResult",
    "Plan",
    "Problem",
    "Report",
    "Result",
    "Snapshot",
    "Status",
    "Store",
    "StoreWriter",
    "TableClassifier",
    "TableProblem",
    "TauBoostClassifier",
    "TauBoostClassifierCV",
    "TextClassifier",
    "TextVectorizer",
    "Trace",
    "beta",
    "convert",
    "generate_url",
    "generate_w8a",
    "hard_core",
    "load_model",
    "load_svmlight",
    "make_url_like",
    "make_w8a_like",
    "open_store",
    "plan",
    "regularization_path",
    "report",
    "save_model",
    "solve",
    "speedup",
    "to_onnx",
]

__version__ = VERSION
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "base.messages": {"FitWarning"},
        "certificates.hard_core": {"HardCore", "hard_core"},
        "datasets": {"generate_url", "generate_w8a", "make_url_like", "make_w8a_like"},
        "estimators": {
            "PathResult",
            "TableClassifier",
            "TauBoostClassifier",
            "TauBoostClassifierCV",
            "TextClassifier",
            "TextVectorizer",
            "load_model",
            "regularization_path",
            "save_model",
            "to_onnx",
        },
        "comparing": set(),
        "paper": set(),
        "paper.adaboost_pl": {"AdaBoostPLClassifier"},
        "paper.p_adaboost": {"PAdaBoostClassifier"},
        "io": {"Store", "StoreWriter", "convert", "load_svmlight", "open_store"},
        "methods": {"METHODS", "solve"},
        "paper.eso": {"beta", "speedup"},
        "planning": {"Plan", "plan"},
        "problem": {"Problem"},
        "reporting": {"Report", "report"},
        "solvers.monitor": {"Snapshot"},
        "solvers.result": {"Result", "Status", "Trace"},
        "tables.problem": {"TableProblem"},
    },
)
