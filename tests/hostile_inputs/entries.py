"""The entry points that take a matrix: what they give for X, as plain numbers to compare."""

from __future__ import annotations

import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import tauboost as tb
from tauboost.validation import as_csr

FIT: dict[str, Any] = {"alpha": 0.1, "max_iter": 3, "random_state": 0, "n_jobs": 1}
WIDTH = 6


def labels(X: Any) -> np.ndarray:
    shape = np.shape(X)
    return np.arange(shape[0] if shape else 12) % 2


@cache
def fitted() -> Any:
    X = np.random.default_rng(0).integers(0, 3, (30, WIDTH)).astype(float)
    return tb.TauBoostClassifier(**FIT).fit(X, np.arange(30) % 3)


@cache
def fitted_stumps() -> Any:
    X = np.random.default_rng(0).integers(0, 3, (30, WIDTH)).astype(float)
    return tb.AdaBoostPLClassifier(3, n_parts=1, random_state=0).fit(X, np.arange(30) % 2)


def problem(X: Any) -> Any:
    made = tb.Problem(X, labels(X), fit_intercept=True)
    lam = np.linspace(-0.1, 0.1, made.n_features) / max(1.0, np.sqrt(made.lipschitz.max()))
    return [made.value(lam, 0.1), *made.gradient(lam, 0.1), made.nnz, made.omega, *made.lipschitz]


def solved(X: Any) -> Any:
    result = tb.solve(tb.Problem(X, labels(X)), alpha=0.1, max_epochs=3, random_state=0)
    return [result.objective, *result.lam]


def classifier(X: Any) -> Any:
    clf = tb.TauBoostClassifier(**FIT).fit(X, labels(X))
    return [*clf.coef_.ravel(), *clf.intercept_]


def default_classifier(X: Any) -> Any:
    clf = tb.TauBoostClassifier(random_state=0, n_jobs=1).fit(X, labels(X))
    return [clf.alpha_, *clf.coef_.ravel()]


def path(X: Any) -> Any:
    found = tb.regularization_path(X, labels(X), n_alphas=2, cv=2, random_state=0, n_jobs=1)
    return np.asarray(found.coefs)


def cross_validated(X: Any) -> Any:
    clf = tb.TauBoostClassifierCV(n_alphas=2, cv=2, random_state=0, n_jobs=1)
    return clf.fit(X, labels(X)).coef_


def stumps(X: Any) -> Any:
    clf = tb.AdaBoostPLClassifier(3, n_parts=2, random_state=0).fit(X, labels(X))
    return clf.estimator_weights_


def stump_votes(X: Any) -> Any:
    return fitted_stumps().decision_function(X)


def decisions(X: Any) -> Any:
    return fitted().decision_function(X)


def sparse_decisions(X: Any) -> Any:
    clf = tb.TauBoostClassifier(**FIT)
    clf.__dict__.update(fitted().__dict__)
    return clf.sparsify().decision_function(X)


def predictions(X: Any) -> Any:
    return fitted().predict(X)


def probabilities(X: Any) -> Any:
    return fitted().predict_proba(X)


def explained(X: Any) -> Any:
    return fitted().explain(X).contributions.toarray()


def margins(X: Any) -> Any:
    return fitted().margins(X, labels(X))


def hardest(X: Any) -> Any:
    return np.sort(fitted().hardest_examples(X, labels(X)).p)


def table_classifier(X: Any) -> Any:
    clf = tb.TableClassifier(alpha=0.1, interactions=1, random_state=0, n_jobs=1)
    return clf.fit(X, labels(X)).decision_function(X)


def table_problem(X: Any) -> Any:
    made = tb.TableProblem(X, labels(X))
    result = tb.solve(made, alpha=0.1, max_epochs=3, random_state=0)
    return [result.objective, *result.lam]


def stored(X: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "a.store"
        with tb.StoreWriter(store) as writer:
            writer.append(X, labels(X))
        return [*as_csr(tb.open_store(store)).to_scipy().toarray().ravel()]


def dask_part(X: Any) -> Any:
    from tauboost.dask.loading import common_width, load_part, summarise

    common_width([summarise(load_part([(X, labels(X))], False))], False, None)
    return sp.csr_array(load_part([(X, labels(X))], False).X).toarray()


ENTRIES = {
    entry.__name__: entry
    for entry in (
        *(problem, classifier, decisions, solved, path, default_classifier, cross_validated),
        *(stumps, stump_votes, sparse_decisions, predictions, probabilities, explained, margins),
        *(hardest, stored, table_classifier, table_problem),
    )
}
if find_spec("distributed") is not None:  # it is an extra
    ENTRIES["dask_part"] = dask_part
OF_TABLES = {"table_classifier", "table_problem"}
