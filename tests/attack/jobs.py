"""What the attacks run: every kernel and every reader, each as a job that returns its bits.

A job takes the number of threads. The data are large enough for four shards, and threads are used
wherever there is a choice, so that a short run meets all the code that a long one would.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import tauboost as tb
from problems import Case, sharded_case
from tauboost import _core
from tauboost.base.threads import NONZEROS_WORTH_A_THREAD
from tauboost.io import svmlight as svmlight_writer

Job = Callable[[int], Any]

# They give other bits each time, by design.
ASYNCHRONOUS = ("exact-async", "pcdm-async")


def use_all_threads() -> None:
    """Wake threads for little work too: what is small in a test is large in earnest."""
    NONZEROS_WORTH_A_THREAD.update(dict.fromkeys(NONZEROS_WORTH_A_THREAD, 1))


def bits(value: Any) -> str:
    """Return a short name of what a job returned: equal for equal bits."""
    digest = hashlib.sha256()
    for part in value if isinstance(value, tuple) else (value,):
        array = part.toarray() if sp.issparse(part) else np.asarray(part)
        digest.update(np.ascontiguousarray(array))
    return digest.hexdigest()[:16]


def prepare(folder: Path) -> dict[str, Job]:
    """Write the files that are read, fit the models that predict, and list the jobs."""
    use_all_threads()
    case = sharded_case()
    X, y = case.X.astype(np.float64), case.y
    few = tb.make_w8a_like(1500, random_state=0)
    jobs: dict[str, Job] = {"build": lambda n: tb.Problem(X, y, n_threads=n).matrix.scale}
    jobs["build-valued"] = lambda n: tb.Problem(X * 0.5, y, n_threads=n).matrix.scale
    jobs |= solve_jobs(case)
    jobs |= fit_jobs(X, y, few)
    jobs |= file_jobs(folder, X, y)
    return jobs | kernel_jobs(X) | table_jobs() | text_jobs()


def solve_jobs(case: Case) -> dict[str, Job]:
    """Every method with every loss and every kind of psi that it takes."""
    problems = {
        loss: case.problem(loss=loss, fit_intercept=loss == "logistic", n_threads=1)
        for loss in ("exponential", "logistic")
    }
    kinds = {
        "": {},
        "l1": {"alpha": 1e-4, "l1_ratio": 1.0},
        "l2": {"alpha": 1e-4, "l1_ratio": 0.0},
        "box": {"bounds": (-0.1, 0.1)},
    }
    jobs: dict[str, Job] = {}
    for name, method in tb.METHODS.items():
        for loss in method.losses:
            for kind, psi in kinds.items():
                if not {"": True, "l1": method.takes_l1, "l2": method.takes_l2}.get(
                    kind, method.takes_bounds
                ):
                    continue
                options = psi | ({"tau": 64} if method.takes_tau else {})
                if psi and method.steps_without_psi:
                    options["step"] = "lipschitz"
                job = partial(solved, problems[loss], name, options)
                jobs["-".join(filter(None, ("solve", name, loss, kind)))] = job
    return jobs


def solved(problem: tb.Problem, method: str, options: dict[str, Any], n: int) -> Any:
    random = {"random_state": 1} if tb.METHODS[method].takes_seed or "tau" in options else {}
    result = tb.solve(
        problem,
        method,
        n_threads=n,
        max_epochs=2,
        tol=0,
        callback=lambda _: None,
        **random,
        **options,
    )
    assert np.all(np.isfinite(result.lam))
    return 0.0 if method in ASYNCHRONOUS else result.lam


def fit_jobs(X: Any, y: Any, few: tuple[Any, Any]) -> dict[str, Job]:
    """Fit the estimators, most of which work in lanes."""
    three = np.arange(X.shape[0]) % 3
    given = {"alpha": 1e-3, "max_iter": 2, "random_state": 0}

    def fit(X: Any, y: Any, n: int, **options: Any) -> Any:
        return tb.TauBoostClassifier(n_jobs=n, **options).fit(X, y).coef_

    def path(n: int, **options: Any) -> Any:
        found = tb.regularization_path(
            X, y, n_alphas=2, cv=3, max_iter=2, n_jobs=n, random_state=0, **options
        )
        return found.coefs

    def adaboost_pl(n: int) -> Any:
        clf = tb.AdaBoostPLClassifier(n_estimators=5, n_jobs=n, random_state=0).fit(*few)
        return clf.decision_function(few[0])

    def p_adaboost(n: int) -> Any:
        clf = tb.PAdaBoostClassifier(n_jobs=n, random_state=0).fit(*few)
        return clf.decision_function(few[0])

    def cross_validated(n: int, **options: Any) -> Any:
        clf = tb.TauBoostClassifierCV(n_alphas=3, cv=3, n_jobs=n, random_state=0, **options)
        return clf.fit(*few).coef_

    return {
        "fit-default": lambda n: fit(*few, n, random_state=0),
        "fit-cv": cross_validated,
        "fit-calibrated": lambda n: fit(*few, n, random_state=0, calibration="sigmoid"),
        "fit-early": lambda n: fit(*few, n, random_state=0, alpha=1e-4, early_stopping=True),
        "fit-adaboost-pl": adaboost_pl,
        "fit-p-adaboost": p_adaboost,
        "hard-core": lambda n: tb.hard_core(tb.Problem(*few), n_threads=n).w,
        "fit-lanes": lambda n: fit(X, y, n, max_iter=2, random_state=0),
        "fit-lanes-exponential": lambda n: fit(
            X, y, n, max_iter=2, random_state=0, loss="exponential", l1_ratio=1.0
        ),
        "fit-given": lambda n: fit(X, y, n, **given),
        "fit-three": lambda n: fit(X, three, n, **given),
        "path": path,
        "path-lasso": partial(path, l1_ratio=1.0, loss="exponential"),
    }


def file_jobs(folder: Path, X: Any, y: Any) -> dict[str, Job]:
    """Read and write files of every kind that is our own, and predict."""
    text, store, model = (folder / name for name in ("data.svm", "data.store", "three.tauboost"))
    with svmlight_writer.SvmlightWriter(text, overwrite=True) as writer:
        writer.append_arrays(*_arrays(X), y)
    with tb.StoreWriter(store, overwrite=True) as writer:
        writer.append(X, y)
    clf = tb.TauBoostClassifier(alpha=1e-3, max_iter=2, n_jobs=1, random_state=0)
    tb.save_model(clf.fit(X, np.arange(X.shape[0]) % 3), model)

    def predict(n: int) -> Any:
        return clf.set_params(n_jobs=n).predict_proba(X)

    def stored(n: int) -> Any:
        found = tb.open_store(store, verify=True)
        return tb.Problem(found, found.y, n_threads=n).matrix.scale

    def load(n: int) -> Any:
        X, y = tb.load_svmlight(text, n_threads=n)
        return X.indptr, X.indices, X.data, y

    def converted(n: int) -> Any:
        return tb.convert(text, folder / "again.store", overwrite=True, n_threads=n).y

    return {
        "load-svmlight": load,
        "load-model": lambda n: tb.load_model(model).coef_,
        "save-model": lambda n: tb.save_model(clf, folder / "again.tauboost") or 0.0,
        "predict": predict,
        "open-store": stored,
        "convert": converted,
    }


def table_jobs() -> dict[str, Job]:
    """Fit tables: main effects, pairs, several classes, and one problem to its optimum."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6)).round(1)
    y = rng.logistic(size=4000) < X[:, 0] * X[:, 1] + np.abs(X[:, 2])

    def fit(n: int, labels: Any = y, **options: Any) -> Any:
        clf = tb.TableClassifier(n_jobs=n, random_state=0, **options).fit(X, labels)
        return clf.decision_function(X)

    def solve(n: int, method: str, **options: Any) -> Any:
        return solved(tb.TableProblem(X, y, n_threads=n), method, options, n)

    return {
        "table-pairs": partial(fit, interactions=3),
        "table-mains": partial(fit, interactions=0, alpha=1e-3),
        "table-three": partial(fit, labels=y + (X[:, 3] > 1), interactions=0),
        "table-exact": partial(solve, method="exact", alpha=1e-3, random_state=1),
        "table-greedy": partial(solve, method="greedy"),
    }


def text_jobs() -> dict[str, Job]:
    """Count texts in every way, look terms up again, and fit."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(3000)] + ["Über", "Σas", "日本", "x" * 40])
    texts = [" ".join(words[(rng.pareto(1.0, 200) * 5).astype(int) % 3004]) for _ in range(2000)]

    def count(n: int, **options: Any) -> Any:
        vectorizer = tb.TextVectorizer(n_jobs=n, **options)
        X, Z = vectorizer.fit_transform(texts), vectorizer.transform(texts[::-1])
        return *_arrays(X), *_arrays(Z)

    def fit(n: int, n_classes: int = 2) -> Any:
        clf = tb.TextClassifier(n_jobs=n, random_state=0).fit(texts, np.arange(2000) % n_classes)
        return clf.decision_function(texts)

    return {
        "texts-words": count,
        "texts-runs": partial(count, ngram_range=(1, 3), min_df=2),
        "texts-characters": partial(count, analyzer="char_wb", ngram_range=(2, 3)),
        "texts-idf": partial(count, ngram_range=(1, 2), use_idf=True, max_features=500),
        "texts-hashes": partial(count, n_features=2**12, ngram_range=(1, 2)),
        "texts-fit": fit,
        "texts-fit-three": partial(fit, n_classes=3),
    }


def kernel_jobs(X: Any) -> dict[str, Job]:
    """Call what small data or one machine would not make the classifier call."""
    indptr, indices, data = X.indptr, X.indices, X.data
    coef = np.arange(3.0 * X.shape[1]) / X.shape[1]

    def product(n: int) -> Any:
        out = np.empty(3 * X.shape[0])
        _core.csr_product(indptr, indices, data, coef, np.zeros(3), out, n)
        return out

    def fingerprints(n: int) -> Any:
        out = np.zeros(X.shape[0], dtype=np.uint64)
        _core.row_fingerprints(indptr, indices, data, 7, out, n)
        return out

    def ones(n: int) -> Any:
        values = np.empty(300_000)
        _core.fill_with_ones(values, n)
        return values

    def inspect(n: int) -> Any:
        return _core.inspect_csr(indptr, indices, data, n).most

    def ranges(n: int) -> Any:
        found = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
        counts = np.zeros(X.shape[1], dtype=np.int64)
        _core.column_ranges(indptr, indices, data, *found, counts, n)
        return *found, counts

    return {
        "csr-product": product,
        "fingerprints": fingerprints,
        "ones": ones,
        "inspect": inspect,
        "ranges": ranges,
    }


def _arrays(X: Any) -> tuple[Any, Any, Any]:
    return X.indptr, X.indices, X.data
