"""The classifiers that ``peers.py`` compares: tauboost and those that its users come from.

Each has its input as it likes it best. What that costs counts as part of its fit, unless it is a
mere view of the CSR arrays. All have the same number of threads, where they can use threads.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

__all__ = ["DEFAULT", "LIBLINEAR", "LOGISTIC", "PEERS", "QUICK", "Peer", "missing"]

Floats = NDArray[np.float64]
Options = Mapping[str, Any]

DEFAULT = "tauboost"
QUICK = "tauboost, quick fit"
LIBLINEAR = "LIBLINEAR"  # a family
LOGISTIC = "LogisticRegression lbfgs"
ALPHAS = (0.03, 0.3, 3.0)


@dataclass(frozen=True)
class Peer:
    """A classifier: ``model`` is called as model(**options), with the threads and the seed.

    ``threads`` and ``seed`` are the names of those options; empty where there are none.
    """

    name: str
    family: str
    module: str
    model: str
    options: Options = field(default_factory=dict)
    threads: str = ""
    seed: str = "random_state"
    is_multiclass: bool = True

    @property
    def is_ours(self) -> bool:
        """Whether this is tauboost."""
        return self.family == "tauboost"

    def make(self, n_threads: int, seed: int) -> Any:
        """Make a model that is not fitted yet."""
        given = dict(self.options)
        given |= {self.threads: n_threads} if self.threads else {}
        given |= {self.seed: seed} if self.seed else {}
        return getattr(importlib.import_module(self.module), self.model)(**given)


def missing(peer: Peer) -> str:
    """Say which package has to be installed first; empty: none."""
    package = NEEDED.get(peer.family, "")
    try:
        # Not by module: another package has the same one, without threads.
        if package:
            version(package)
    except PackageNotFoundError:
        return package
    return ""


class Multicore:
    """LIBLINEAR's multi-core branch, L2-regularised logistic regression (its solver 0)."""

    def __init__(self, C: float, n_jobs: int) -> None:
        self.C, self.n_jobs = C, n_jobs

    def fit(self, X: sparse.csr_matrix, y: Floats) -> Self:
        """Copy the matrix into LIBLINEAR's nodes, and fit."""
        from liblinear import liblinear, liblinearutil  # noqa: PLC0415

        liblinear.csr_to_problem = copy_to_nodes  # theirs is a Python loop unless there is numba
        printed: list[bytes] = []
        self.classes_, codes = np.unique(y, return_inverse=True)
        parameter = liblinear.parameter(f"-s 0 -c {self.C} -B 1 -m {self.n_jobs} -q")
        parameter.print_func = liblinear.PRINT_STRING_FUN(printed.append)
        problem = liblinear.problem(codes.astype(float), X, bias=1)
        model = liblinearutil.train(problem, parameter)
        self.warnings_ = [line.decode() for line in printed if b"WARNING" in line]
        n_rows = 1 if model.nr_class == 2 else model.nr_class
        weights = np.ctypeslib.as_array(model.w, ((X.shape[1] + 1) * n_rows,))
        weights = weights.reshape(-1, n_rows).T.copy()
        labels = np.array(model.get_labels())  # in the order in which they came
        if n_rows == 1:
            weights *= 1.0 if labels[0] == 1 else -1.0
        else:
            weights[labels] = weights.copy()
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1]
        return self

    def decision_function(self, X: sparse.csr_matrix) -> Floats:
        """Return the decision values."""
        decisions = np.asarray(X @ self.coef_.T + self.intercept_)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def predict(self, X: sparse.csr_matrix) -> NDArray[Any]:
        """Return the classes."""
        H = self.decision_function(X)
        codes = (H > 0).astype(int) if H.ndim == 1 else H.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: sparse.csr_matrix) -> Floats:
        """Return the probabilities of the classes."""
        p = expit(self.decision_function(X))
        if p.ndim == 1:
            return np.stack([1.0 - p, p], axis=1)
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def copy_to_nodes(X: sparse.csr_matrix, problem: Any) -> None:
    """Copy a matrix into LIBLINEAR's nodes: each row's entries, and two to end it."""
    from liblinear import liblinear  # noqa: PLC0415

    X.sort_indices()
    numbers = np.arange(X.shape[0] + 1, dtype=np.int64)
    problem.rowptr = X.indptr + 2 * numbers
    nodes = problem.x_space = np.empty(X.nnz + 2 * X.shape[0], dtype=liblinear.feature_node)
    nodes["index"] = -1
    places = np.arange(X.nnz) + np.repeat(2 * numbers[:-1], np.diff(X.indptr))
    nodes["index"][places] = X.indices + 1
    nodes["value"][places] = X.data


class Gblinear:
    """XGBoost's linear booster; labels are numbered as it wants them."""

    def __init__(self, **options: Any) -> None:
        self.options = {"booster": "gblinear"} | options

    def fit(self, X: sparse.csr_matrix, y: Floats) -> Self:
        """Copy the matrix into a DMatrix, and fit."""
        from xgboost import XGBClassifier  # noqa: PLC0415

        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = XGBClassifier(**self.options).fit(X, codes)
        return self

    def predict_proba(self, X: sparse.csr_matrix) -> Floats:
        """Return the probabilities of the classes."""
        return np.asarray(self.model_.predict_proba(X), dtype=float)

    def predict(self, X: sparse.csr_matrix) -> NDArray[Any]:
        """Return the classes."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _for_each(
    values: Sequence[float], option: str, make: Callable[[str, dict[str, float]], Peer]
) -> list[Peer]:
    return [make(f"{option}={value:g}", {option: value}) for value in values]


_LINEAR = "sklearn.linear_model"
_OURS: Options = {"alpha": 3e-4, "l1_ratio": 1, "loss": "exponential", "max_iter": 1}
PEERS = [
    Peer(DEFAULT, "tauboost", "tauboost", "TauBoostClassifier", threads="n_jobs"),
    Peer(QUICK, "tauboost", "tauboost", "TauBoostClassifier", _OURS, threads="n_jobs"),
    *_for_each(
        ALPHAS,
        "C",
        lambda name, given: Peer(
            f"LIBLINEAR logistic, {name}", LIBLINEAR, _LINEAR, "LogisticRegression",
            {"solver": "liblinear"} | given, is_multiclass=False,
        ),
    ),
    *_for_each(
        ALPHAS,
        "C",
        lambda name, given: Peer(
            f"LIBLINEAR SVM, {name}", LIBLINEAR, "sklearn.svm", "LinearSVC", given
        ),
    ),
    *_for_each(
        ALPHAS,
        "C",
        lambda name, given: Peer(
            f"LIBLINEAR multi-core, {name}", "LIBLINEAR multi-core", __name__, "Multicore",
            given, threads="n_jobs", seed="",
        ),
    ),
    Peer(LOGISTIC, "lbfgs", _LINEAR, "LogisticRegression"),
    *_for_each(
        (1e-4, 1e-5),
        "alpha",
        lambda name, given: Peer(
            f"SGD, {name}", "SGD", _LINEAR, "SGDClassifier", {"loss": "log_loss"} | given,
            threads="n_jobs",
        ),
    ),
    Peer("Snap ML", "Snap ML", "snapml", "LogisticRegression", {"fit_intercept": True},
         threads="n_jobs"),
    # Its default is no penalty, with which columns that occur in one class only may overflow.
    *_for_each(
        (0.0, 1e-3),
        "reg_lambda",
        lambda name, given: Peer(
            f"XGBoost gblinear, {name}", "XGBoost gblinear", __name__, "Gblinear", given,
            threads="n_jobs",
        ),
    ),
    Peer("AdaBoostClassifier", "AdaBoost", "sklearn.ensemble", "AdaBoostClassifier"),
]  # fmt: skip
# Packages that families need beyond scikit-learn.
NEEDED = {
    "EBM": "interpret-core",
    "fastText": "fasttext-wheel",
    "LightGBM": "lightgbm",
    "LIBLINEAR multi-core": "liblinear-multicore",
    "Snap ML": "snapml",
    "Vowpal Wabbit": "vowpalwabbit",
    "XGBoost gblinear": "xgboost",
}
