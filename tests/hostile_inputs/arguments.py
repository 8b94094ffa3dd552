"""Hostile values of every other argument: labels, weights, numbers, threads, tables, paths."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import tauboost as tb

from .entries import ENTRIES, FIT, OF_TABLES
from .matrices import clean

VALUES: dict[str, Any] = {
    "None": None,
    "text": "2",
    "empty text": "",
    "NaN": float("nan"),
    "infinity": float("inf"),
    "minus infinity": -float("inf"),
    "minus one": -1,
    "zero": 0,
    "half": 0.5,
    "2.5": 2.5,
    "True": True,
    "huge": 10**30,
    "endless": 10**400,
    "100,000": 100_000,
    "tiny": 5e-324,
    "1e308": 1e308,
    "complex": 1j,
    "list": [1],
    "empty list": [],
    "dict": {},
    "object": object(),
    "bytes": b"2",
    "array": np.array([1, 2]),
    "matrix": np.ones((2, 2)),
    "int64": np.int64(2),
    "float64": np.float64(0.5),
    "int8": np.int8(-128),
    "date": np.datetime64("NaT"),
    "class": int,
    "function": print,
}
X, Y = clean(), np.arange(12) % 2
SMALL = sp.csr_array(X)


def fit(**options: Any) -> Any:
    return tb.TauBoostClassifier(**{**FIT, **options}).fit(SMALL, Y).coef_


def solve(method: str = "exact", **options: Any) -> Any:
    options = {"alpha": 0.1, "l1_ratio": 0.0, "max_epochs": 2, "random_state": 0, **options}
    return tb.solve(tb.Problem(SMALL, Y), method, **options).lam


def path(**options: Any) -> Any:
    options = {"n_alphas": 2, "cv": None, "random_state": 0, "n_jobs": 1, **options}
    return tb.regularization_path(SMALL, Y, **options).intercepts


def cross(**options: Any) -> Any:
    options = {"n_alphas": 2, "cv": 2, "random_state": 0, "n_jobs": 1, **options}
    return tb.TauBoostClassifierCV(**options).fit(SMALL, Y).coef_


def stumps(**options: Any) -> Any:
    options = {"n_estimators": 2, "n_parts": 1, "random_state": 0, **options}
    return tb.AdaBoostPLClassifier(**options).fit(SMALL, Y).estimator_weights_


def table(**options: Any) -> Any:
    options = {"alpha": 0.1, "random_state": 0, "n_jobs": 1, **options}
    return tb.TableClassifier(**options).fit(X, Y).decision_function(X)


def table_problem(**options: Any) -> Any:
    return tb.TableProblem(X, Y, **options).lipschitz


def problem(**options: Any) -> Any:
    return tb.Problem(SMALL, Y, **options).value(np.zeros(6))


def beta(**options: Any) -> Any:
    return tb.beta(**{"n": 300, "omega": 100, "tau": 16, "m": 1000, **options})


def speedup(**options: Any) -> Any:
    return tb.speedup(**{"n": 300, "omega": 100, "tau": 16, "m": 1000, **options})


def evaluated(**options: Any) -> Any:
    made = tb.Problem(SMALL, Y, fit_intercept=True)
    return made.gradient(**{"lam": np.zeros(6), **options})


def explained(**options: Any) -> Any:
    clf = tb.TauBoostClassifier(**FIT).fit(SMALL, Y)
    clf.explain(SMALL, options["class_"]) if "class_" in options else None
    return clf.top_features(**options).weights


def generated(**options: Any) -> Any:
    return tb.make_w8a_like(**{"n_samples": 20, "random_state": 0, **options})[1]


def generated_url(**options: Any) -> Any:
    return tb.make_url_like(**{"n_samples": 20, "n_features": 2000, "random_state": 0, **options})[
        1
    ]


def written(**options: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return len(str(tb.generate_w8a(Path(folder) / "a", **{"scale": 0.001, **options})))


def loaded(**options: Any) -> Any:
    return tb.load_svmlight(io.BytesIO(b"1 1:1 3:2\n-1 2:1\n"), **options)[1]


def sampled(**options: Any) -> Any:
    return fit(**options)


# Entry point, the arguments to attack, and those of the values that would be legal and slow.
TARGETS: list[tuple[Callable[..., Any], tuple[str, ...]]] = [
    (fit, ("loss", "alpha", "l1_ratio", "fit_intercept", "class_weight", "max_iter", "tol")),
    (fit, ("early_stopping", "validation_fraction", "calibration", "time_limit", "n_jobs")),
    (fit, ("random_state", "verbose")),
    (solve, ("method", "alpha", "l1_ratio", "bounds", "tau", "step", "n_threads", "max_epochs")),
    (solve, ("tol", "time_limit", "target", "lam0", "random_state", "callback")),
    (path, ("loss", "l1_ratio", "alphas", "n_alphas", "cv", "sample_weight", "max_iter")),
    (path, ("tol", "n_jobs", "random_state")),
    (cross, ("l1_ratio", "rule", "cv", "n_alphas", "n_jobs", "max_iter")),
    (stumps, ("n_estimators", "n_parts", "n_thresholds", "random_state", "n_jobs")),
    (table, ("interactions", "monotonic_cst", "alpha", "l1_ratio", "loss", "max_bins")),
    (table, ("categorical_features",)),
    (table, ("class_weight", "max_iter", "tol", "time_limit", "n_jobs", "random_state")),
    (table_problem, ("sample_weight", "loss", "max_bins", "categorical", "n_threads")),
    (problem, ("sample_weight", "loss", "fit_intercept", "n_threads")),
    (evaluated, ("lam", "intercept")),
    (beta, ("n", "omega", "tau", "m")),
    (speedup, ("n", "omega", "tau", "m")),
    (explained, ("k", "class_", "names")),
    (generated, ("n_samples", "random_state")),
    (generated_url, ("n_samples", "n_features", "random_state")),
    (written, ("scale", "random_state")),
    (loaded, ("n_features", "zero_based", "n_threads")),
]
# Legal, and asking for more work or memory than an attack should take.
TOO_MUCH = {
    ("fit", "max_iter"), ("path", "n_alphas"), ("cross", "n_alphas"), ("stumps", "n_estimators"),
    ("generated", "n_samples"), ("generated_url", "n_samples"), ("generated_url", "n_features"),
    ("written", "scale"), ("solve", "max_epochs"), ("beta", "n"), ("speedup", "n"),
}  # fmt: skip
LARGE = {"huge", "endless", "100,000", "infinity", "1e308"}

LABELS: dict[str, Any] = {
    "None": None,
    "empty": [],
    "scalar": 1,
    "too few": Y[:-1],
    "too many": [*Y, 1],
    "one class": np.zeros(12),
    "all different": np.arange(12) * 0.1,
    "three": np.arange(12) % 3,
    "NaN": np.where(Y == 1, np.nan, 0.0),
    "infinity": np.where(Y == 1, np.inf, 0.0),
    "NaT": np.array(["2020-01-01", "NaT"] * 6, dtype="M8[D]"),
    "NaT in ns": np.array(["2020-01-01", "NaT"] * 6, dtype="M8[ns]"),
    "NaT spans": np.array([1, "NaT"] * 6, dtype="m8[s]"),
    "dates": np.array(["2020-01-01", "2021-01-01"] * 6, dtype="M8[D]"),
    "None among them": np.array(["a", None] * 6, dtype=object),
    "NaN object": np.array(["a", np.nan] * 6, dtype=object),
    "pandas NA": pd.array([1, pd.NA] * 6, dtype="Int64"),
    "pandas NaT": pd.Series([pd.Timestamp("2020-01-01"), pd.NaT] * 6),
    "categories": pd.Series(["a", "b"] * 6, dtype="category"),
    "missing category": pd.Series(["a", None] * 6, dtype="category"),
    "mixed": np.array(["a", 1] * 6, dtype=object),
    "lists": np.array([[1], [2]] * 6 + [None], dtype=object)[:-1],
    "dicts": np.array([{}, {1: 2}] * 6, dtype=object),
    "complex": np.array([1j, 0] * 6),
    "records": np.array([(1, 2), (3, 4)] * 6, dtype=[("a", int), ("b", int)]),
    "column": Y.reshape(-1, 1),
    "two columns": np.stack([Y, Y], axis=1),
    "sparse": sp.csr_array(Y.reshape(-1, 1)),
    "masked": np.ma.array(Y, mask=Y == 1),
    "text": list("ab" * 6),
    "bytes": np.array([b"a", b"b"] * 6),
    "booleans": Y == 1,
    "huge integers": [10**30, 0] * 6,
    "uint64": np.array([2**64 - 1, 0] * 6, dtype=np.uint64),
    "generator": (k % 2 for k in range(12)),
    "set": {0, 1},
    "text of 12": "abababababab",
    "dict": {k: k % 2 for k in range(12)},
}
WEIGHTS: dict[str, Any] = {
    "all 1e308": np.full(12, 1e308),
    "all 5e-324": np.full(12, 5e-324),
    "one 5e-324": np.r_[5e-324, np.ones(11)],
    "one 1e308": np.r_[1e308, np.ones(11)],
    "1e308 and 5e-324": np.array([1e308, 5e-324] * 6),
    "one of 1e-150": np.r_[1e-150, np.ones(11)],
    "one left": np.r_[1.0, np.zeros(11)],
    "two left": np.r_[1.0, 1.0, np.zeros(10)],
    "none left": np.zeros(12),
    "negative": -np.ones(12),
    "NaN": np.r_[np.nan, np.ones(11)],
    "infinity": np.r_[np.inf, np.ones(11)],
    "too few": np.ones(11),
    "column": np.ones((12, 1)),
    "scalar": 2.0,
    "text": ["a"] * 12,
    "digits": ["1"] * 12,
    "complex": np.ones(12) * 1j,
    "booleans": np.arange(12) < 11,
    "dates": np.array(["2020-01-01"] * 12, dtype="M8[D]"),
    "objects": np.array([1, 2.0] * 6, dtype=object),
    "endless": [10**400] * 12,
    "masked": np.ma.array(np.ones(12), mask=Y == 1),
    "sparse": sp.csr_array(np.ones((12, 1))),
    "pandas": pd.Series(np.ones(12)),
    "pandas NA": pd.array([1.0, pd.NA] * 6, dtype="Float64"),
    "long double": np.full(12, np.longdouble("1e4000")),
    "half precision": np.ones(12, dtype=np.float16),
    "read-only": np.broadcast_to(1.0, (12,)),
}
DENSE: dict[str, Any] = {
    "lists": X.tolist(),
    "ragged": [[1, 2], [3]] * 6,
    "vector": X[0],
    "scalar": 3.0,
    "cube": X[None],
    "text": X.astype(str),
    "words": np.full((12, 6), "a"),
    "objects": X.astype(object),
    "None": np.full((12, 6), None),
    "complex": X * 1j,
    "dates": X.astype(int).astype("M8[s]"),
    "NaN": np.where(X == 1, np.nan, X),
    "infinity": np.where(X == 1, np.inf, X),
    "1e300": np.where(X == 1, 1e300, X),
    "1e-300": np.where(X == 1, 1e-300, X),
    "long double": np.where(X == 1, np.longdouble("1e4000"), X),
    "half precision": X.astype(np.float16),
    "booleans": X > 0,
    "int8": X.astype(np.int8),
    "uint64": X.astype(np.uint64),
    "other byte order": X.astype(">f8"),
    "Fortran order": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": X[::-1][::-1],
    "np.matrix": np.asmatrix(X),
    "masked": np.ma.array(X, mask=X == 1),
    "nothing masked": np.ma.array(X),
    "no samples": X[:0],
    "no features": X[:, :0],
    "frame": pd.DataFrame(X),
    "named frame": pd.DataFrame(X, columns=list("abcdef")),
    "mixed names": pd.DataFrame(X, columns=["a", 1, "b", 2, "c", 3]),
    "frame of text": pd.DataFrame(X.astype(str)),
    "frame with NaN": pd.DataFrame(np.where(X == 1, np.nan, X)),
    "frame with NA": pd.DataFrame(X).astype("Int64").mask(X == 1),
    "frame of sparse columns": pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X)),
    "frame of dates": pd.DataFrame(X.astype(int).astype("M8[s]")),
    "frame of categories": pd.DataFrame(X).astype("category"),
    "dict": {"a": [1, 2]},
    "text itself": "abc",
    "generator": (row for row in X),
    "None itself": None,
    "object": object(),
    "Problem": print,
}
with suppress(ImportError):  # it is an extra
    import pyarrow as pa

    DENSE["Arrow table"] = pa.table({str(k): X[:, k] for k in range(6)})
# What these mean where they are accepted; all others that are accepted mean clean().
MEANING = {
    "booleans": (X > 0).astype(float),
    "1e300": DENSE["1e300"],
    "1e-300": DENSE["1e-300"],
    "no samples": X[:0],
}
# Tables may hold these as they are: strings are categories, and values may be missing.
OF_A_TABLE = {
    *("text", "words", "None", "NaN", "frame of text", "frame with NaN", "frame with NA"),
    *("frame of categories", "objects"),
}


def classifiers() -> list[Any]:
    tables = tb.TableClassifier(alpha=0.1, random_state=0, n_jobs=1)
    return [tb.TauBoostClassifier(**FIT), tb.AdaBoostPLClassifier(2, random_state=0), tables]


def arguments() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield a name and a call for every hostile value of every argument."""
    for call, names in TARGETS:
        for name in names:
            for what, value in VALUES.items():
                if (call.__name__, name) in TOO_MUCH and what in LARGE:
                    continue
                yield (
                    f"{call.__name__}({name}={what})",
                    lambda call=call, name=name, value=value: call(**{name: value}),
                )
    for what, value in LABELS.items():
        yield f"Problem(y={what})", lambda value=value: tb.Problem(SMALL, value).value(np.zeros(6))
        yield f"TableProblem(y={what})", lambda value=value: tb.TableProblem(X, value).lipschitz
        for clf in classifiers():
            named = f"{type(clf).__name__}.fit(y={what})"
            yield named, lambda clf=clf, value=value: clf.fit(SMALL, value).predict(SMALL).shape
        yield (
            f"path(y={what})",
            lambda value=value: (
                tb.regularization_path(SMALL, value, n_alphas=2, cv=2, random_state=0).intercepts
            ),
        )
        yield (
            f"margins(y={what})",
            lambda value=value: tb.TauBoostClassifier(**FIT).fit(SMALL, Y).margins(SMALL, value),
        )
    for what, value in WEIGHTS.items():
        yield f"Problem(sample_weight={what})", lambda value=value: problem(sample_weight=value)
        yield f"path(sample_weight={what})", lambda value=value: path(sample_weight=value)
        for clf in classifiers():
            named = f"{type(clf).__name__}.fit(sample_weight={what})"
            yield (
                named,
                lambda clf=clf, value=value: clf.fit(SMALL, Y, value).decision_function(SMALL),
            )


def dense() -> Iterator[tuple[str, str, Any, np.ndarray]]:
    """Yield an entry point, what X is, X, and what it means if it is accepted."""
    for what, value in DENSE.items():
        for name in ENTRIES:
            is_taken = name in OF_TABLES and what in OF_A_TABLE
            yield f"{name}(X={what})", name, value, value if is_taken else MEANING.get(what, X)
