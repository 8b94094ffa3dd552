"""A weight is a number of copies, and the order of samples does not matter: for every way to fit.

Held to 1e-6 in the probabilities, at the default tolerance, with sets whose sizes change the
bundles, the runs of columns, the partial sweeps and the Newton steps of a fit that counts rows.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tauboost as tb
from sparse_data import random_csr
from tauboost.sparse.training import Samples
from tauboost.validation import as_csr

SAME = 1e-6
# Some of these data say little, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::tauboost.FitWarning")
WAYS = [
    {},
    {"loss": "exponential"},
    {"l1_ratio": "auto"},
    {"loss": "auto"},
    {"early_stopping": True},
    {"early_stopping": True, "alpha": 1e-3},
    {"calibration": "sigmoid"},
    {"calibration": "sigmoid", "alpha": 1e-3},
    {"alpha": 1e-3},
    LASSO := {"alpha": 1e-5, "l1_ratio": 1.0, "tol": 1e-10},
    {"alpha": 1e-2, "l1_ratio": 0.5, "loss": "exponential"},
    {"alpha": 1e-3, "max_iter": 3},
    {"alpha": 0.0, "max_iter": 5},
    {"class_weight": "balanced", "alpha": 1e-4},
]


def data(m: int, n: int, n_classes: int, seed: int, *, is_real: bool = False, row: float = 8.0):
    rng = np.random.default_rng(seed)
    X = random_csr((m, n), min(row / n, 0.5), rng)
    X.data[:] = rng.normal(size=X.nnz) if is_real else 1.0
    scores = X @ rng.normal(size=(n, n_classes)) + 0.5 * rng.normal(size=(m, n_classes))
    y = scores.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    return X, y


SETS = {
    "dense columns": data(1500, 20, 2, 0),
    "many columns": data(3000, 6000, 2, 1, row=30.0),
    "hardly any entries": data(1000, 30_000, 2, 2),
    "real values": data(400, 60, 2, 3, is_real=True),
    "three classes": data(900, 40, 3, 4),
}


def largest_change(X, y, options, seed):
    """How far the probabilities are from those of the same samples, repeated and in any order."""
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, len(y))
    times[: y.max() + 1] = 2  # every class is there
    rows = rng.permutation(np.repeat(np.arange(len(y)), times))
    weighted = tb.TauBoostClassifier(random_state=0, **options).fit(X, y, times)
    copied = tb.TauBoostClassifier(random_state=0, **options).fit(X[rows], y[rows])
    assert copied.alpha_ == pytest.approx(weighted.alpha_, rel=1e-9)
    if options is LASSO:  # where columns repeat each other, only what they add up to is unique
        X = X[times > 0]
    return np.abs(copied.predict_proba(X) - weighted.predict_proba(X)).max()


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("options", WAYS, ids=str)
def test_a_weight_is_a_number_of_copies_in_any_order(name, options):
    assert largest_change(*SETS[name], options, seed=5) < SAME


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    m=st.integers(4, 200),
    n=st.integers(1, 40),
    n_classes=st.integers(2, 3),
    seed=st.integers(0, 2**16),
    is_real=st.booleans(),
    alpha=st.sampled_from(["auto", 0.1, 1e-3, 1e-5]),
)
def test_a_weight_is_a_number_of_copies_for_small_sets(m, n, n_classes, seed, is_real, alpha):
    X, y = data(m, n, n_classes, seed, is_real=is_real)
    assert largest_change(X, y, {"alpha": alpha}, seed) < SAME


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_the_order_of_samples_does_not_matter(options):
    X, y = SETS["many columns"]
    order = np.random.default_rng(6).permutation(len(y))
    first, again = (
        tb.TauBoostClassifier(random_state=0, **options).fit(X[rows], y[rows])
        for rows in (np.arange(len(y)), order)
    )
    assert np.abs(first.predict_proba(X) - again.predict_proba(X)).max() < SAME


def test_equal_features_with_different_labels_stay_two_samples():
    X = sp.csr_array(np.repeat([[1.0, 0.0], [0.0, 1.0]], 10, axis=0))
    y = np.r_[np.zeros(7), np.ones(3), np.zeros(2), np.ones(8)]
    p = tb.TauBoostClassifier(alpha=1e-9, tol=1e-9).fit(X, y).predict_proba(X)[:, 1]
    assert p == pytest.approx(np.repeat([0.3, 0.8], 10), abs=1e-5)


def test_fingerprints_in_common_merge_nothing_that_differs(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = sp.csr_array((rng.random((60, 5)) < 0.5).astype(float)), np.arange(60) % 2
    alone = tb.TauBoostClassifier(alpha=1e-2, tol=1e-8, random_state=0).fit(X, y)
    monkeypatch.setattr(Samples, "fingerprints", np.zeros(60, dtype=np.uint64))
    same = tb.TauBoostClassifier(alpha=1e-2, tol=1e-8, random_state=0).fit(X, y)
    assert np.allclose(same.predict_proba(X), alone.predict_proba(X), atol=1e-4)


def test_samples_that_are_nearly_equal_do_not_hide_copies():
    """Those that are held out together are not merged, and their copies are."""
    rng = np.random.default_rng(0)
    X = 1.0 + 1e-9 * rng.normal(size=(50, 1))
    X[0] = 0.0
    rows = np.repeat(np.arange(50), 2)
    samples = Samples.build(
        as_csr(X[rows]),
        rows % 2,
        2,
        np.ones(100),
        fit_intercept=False,
        seed=0,
        n_threads=1,
    )
    assert len(set(samples.fingerprints.tolist())) == 2
    assert samples.merged().n == 50
