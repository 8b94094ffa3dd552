"""A fit that was killed ends as good as one that was not, whatever it begins with and stops on."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from fits import Killed, Mortal, fit_watched
from tauboost.io.checkpoint import Checkpoint


def wide(n_classes):
    """More columns than a dense Newton step takes: fits begin with sweeps in lanes."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, 2500)) < np.minimum(0.4, 6 / np.arange(1, 2501))).astype(float)
    H = X @ rng.normal(size=2500) + rng.logistic(size=300)
    ends = np.quantile(H, np.arange(1, n_classes) / n_classes)
    return sp.csr_array(X), np.digitize(H, ends)


def dense(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, int(rng.integers(5, 40))))
    X += 3 * (seed % 2) * X[:, :1]
    y = X @ rng.normal(size=X.shape[1]) + 5 * rng.logistic(size=150) > 0
    return X, y.astype(int)


def lived_and_died(folder, X, y, lifetime, **options):
    """Return the fit in one go, the one with deaths in between, and how many there were.

    A life saves at the start of the fit and of each task; only then a sweep gets it further.
    """
    whole = tb.TauBoostClassifier(random_state=0, **options).fit(X, y)
    for deaths in range(100):
        clf = tb.TauBoostClassifier(random_state=0, **options)
        try:
            fit_watched(clf, X, y, checkpoint=Mortal(folder, lifetime, always_saves=True))
        except Killed:
            continue
        return whole, clf, deaths
    raise AssertionError("it never ends")


def check(whole, clf):
    for name in ("selection_", "alpha_"):
        assert getattr(clf, name) == getattr(whole, name)
    gap = clf.tol * (np.abs(whole.objective_) if whole.loss_ == "logistic" else 1.0)
    if "Converged" in whole.message_:
        assert "Converged" in clf.message_
        assert np.all(np.abs(clf.objective_ - whole.objective_) <= gap)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_iter", [1000, 34])
def test_what_batched_sweeps_have_begun(tmp_path, n_classes, max_iter):
    X, y = wide(n_classes)
    how = {"alpha": 1e-4, "tol": 1e-9, "max_iter": max_iter}
    whole, clf, deaths = lived_and_died(tmp_path / "fit", X, y, 25, **how)
    assert deaths > 0
    check(whole, clf)
    if max_iter == 34:  # sweeps before the end of the process count
        assert "Out of epochs" in clf.message_
        assert clf.n_iter_ == 34
        assert np.all(clf.objective_ <= 1.02 * whole.objective_)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_what_stops_on_a_gap(tmp_path, seed, loss, l1_ratio):
    how = {"loss": loss, "l1_ratio": l1_ratio, "alpha": 10.0 ** (-1 - seed / 2)}
    whole, clf, _ = lived_and_died(
        tmp_path / "fit", *dense(seed), 3 + seed % 2, tol=10.0 ** (-2 - seed), **how
    )
    check(whole, clf)


def test_a_search_with_classes(tmp_path):
    X, y = wide(3)
    whole, clf, deaths = lived_and_died(tmp_path / "fit", X, y, 6, tol=1e-8)
    assert deaths > 0
    check(whole, clf)


@pytest.mark.parametrize(
    ("change", "groups", "words"),
    [
        ({"penalty_factors": None}, None, "penalty_factors was 'auto', now None"),
        ({"penalty_factors": np.ones(5)}, None, "penalty_factors was 'auto', now"),
        ({}, np.arange(150) // 2, "groups was None, now"),
    ],
)
def test_another_problem_is_refused(tmp_path, change, groups, words):
    X, y = dense(0)
    X, how = X[:, :5], {"alpha": 1e-3, "tol": 1e-9, "random_state": 0}
    with pytest.raises(Killed):
        fit_watched(
            tb.TauBoostClassifier(**how),
            X,
            y,
            checkpoint=Mortal(tmp_path / "fit", 2, always_saves=True),
        )
    other = tb.TauBoostClassifier(**how | change)
    with pytest.raises(ValueError, match=words):
        fit_watched(other, X, y, checkpoint=Checkpoint(tmp_path / "fit"), groups=groups)
