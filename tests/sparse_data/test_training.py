"""How a classifier is trained: one matrix serves the choice and the fit, to the same bits."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

import tauboost as tb
from fits import fit_watched
from tauboost import _core
from tauboost.sparse.training import Samples
from tauboost.validation import as_csr

DENSE, Y = make_classification(300, 20, n_informative=8, random_state=0)
SPARSE = sp.csr_matrix(np.where(np.abs(DENSE) > 1.0, DENSE, 0.0))
# Entries (0, 0) and (0, 0) again, as scipy allows them: their sum is what counts.
REPEATED = sp.csr_matrix(
    (
        np.append([0.5, 0.25], SPARSE.data),
        np.append([0, 0], SPARSE.indices),
        np.append(0, SPARSE.indptr[1:] + 2),
    ),
    shape=SPARSE.shape,
)
WEIGHTS = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)


def laid_out_again(samples, loss):
    """Return the problem of the samples with a matrix of its own, in the same units."""
    problem = tb.Problem(
        samples.units.applied(samples.arrays),
        samples.codes,
        samples.weights,
        loss=loss,
        fit_intercept=samples.fit_intercept,
        n_threads=samples.n_threads,
    )
    problem.design = replace(problem.design, units=samples.units)
    return problem


def fitted(X=SPARSE, sample_weight=None, **options):
    return tb.TauBoostClassifier(random_state=0, **options).fit(X, Y, sample_weight)


@pytest.mark.parametrize("X", [DENSE, SPARSE, REPEATED])
@pytest.mark.parametrize("sample_weight", [None, WEIGHTS])
@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 1e-3},
        {"alpha": 1e-3, "l1_ratio": 1.0, "loss": "exponential", "fit_intercept": False},
        {"alpha": 1e-2, "calibration": "sigmoid"},
    ],
)
def test_a_matrix_of_its_own_gives_the_same_bits(monkeypatch, X, sample_weight, options):
    shared = fitted(X, sample_weight, **options)
    monkeypatch.setattr(Samples, "problem", laid_out_again)
    own = fitted(X, sample_weight, **options)
    np.testing.assert_array_equal(shared.coef_, own.coef_)
    np.testing.assert_array_equal(shared.intercept_, own.intercept_)
    assert (shared.objective_, shared.n_iter_) == (own.objective_, own.n_iter_)
    assert shared.message_ == own.message_


def test_the_problem_around_a_matrix_is_the_one_that_is_built():
    """In every attribute, not only in those that a fit happens to use."""
    options = {"fit_intercept": True, "seed": 0, "n_threads": 2}
    samples = Samples.build(as_csr(SPARSE), Y.astype(np.intp), 2, WEIGHTS, **options)
    shared, own = samples.problem("logistic"), laid_out_again(samples, "logistic")
    assert vars(shared).keys() == vars(own).keys()
    for name in vars(own).keys() - {"design"}:
        np.testing.assert_array_equal(getattr(shared, name), getattr(own, name))
    for name in vars(own.design).keys() - {"matrix", "units"}:
        np.testing.assert_array_equal(getattr(shared.design, name), getattr(own.design, name))
    assert repr(shared) == repr(own)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"alpha": 1e-3}, "Converged"), ({}, "Chosen on held-out samples")],
)
def test_the_matrix_is_laid_out_once(monkeypatch, options, message):
    build = Mock(wraps=_core.build_matrix)
    monkeypatch.setattr(_core, "build_matrix", build)
    X, y = tb.make_w8a_like(1500)
    clf = tb.TauBoostClassifier(random_state=3, **options).fit(X, y)
    assert message in clf.message_
    build.assert_called_once()


def test_the_matrix_is_told_of_once_and_first():
    X, y = tb.make_w8a_like(2_000, random_state=0)
    events = []
    clf = tb.TauBoostClassifier(random_state=0)
    fit_watched(clf, X, y, report=lambda event: events.append(event.phase) or False)
    assert events[0] == "build"
    assert events.count("build") == 1
