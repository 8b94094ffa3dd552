"""The link that held-out samples ask for."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import tauboost as tb
from tauboost.losses import LOSSES
from tauboost.sparse.model import fit_link
from tauboost.sparse.training import Samples
from tauboost.validation import as_csr


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_sample_that_stands_for_many_counts_as_many(n_classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_classes, 60)
    shape = (60, 1 if n_classes == 2 else n_classes)
    decisions = rng.normal(size=shape) + (codes[:, None] == np.arange(n_classes)[-shape[1] :])
    times = rng.integers(1, 50, 60)
    merged = fit_link(decisions, codes, times.astype(float), LOSSES["logistic"])
    rows = np.repeat(np.arange(60), times)
    written_out = fit_link(decisions[rows], codes[rows], np.ones(len(rows)), LOSSES["logistic"])
    assert merged == pytest.approx(written_out, rel=1e-6)


@pytest.mark.parametrize("alpha", ["auto", 1e-3])
def test_many_equal_samples_are_as_sure_as_they_are_many(alpha):
    """There are 32 different ones, and no exception among 20,000."""
    X = np.random.default_rng(0).integers(0, 2, (20_000, 5)).astype(float)
    y = X[:, 0].astype(int)
    clf = tb.TauBoostClassifier(calibration="sigmoid", alpha=alpha, random_state=0).fit(X, y)
    assert clf.predict_proba(X)[np.arange(len(y)), y].min() > 0.99


def samples(X, y, weights) -> Samples:
    options = {"fit_intercept": True, "seed": 0, "n_threads": 1}
    return Samples.build(as_csr(X), y, 2, weights, **options)


def test_weights_that_are_not_whole_are_relative():
    X = np.repeat(np.eye(4), 3, axis=0)
    y = np.arange(12) % 2
    whole = samples(X, y, np.full(12, 2.0)).merged()
    assert whole.copies.sum() == 24
    for weights in (np.full(12, 0.25), np.append(np.linspace(0.1, 2.3, 11), 0.0)):
        merged = samples(X, y, weights).merged()
        assert merged.n < 12
        assert merged.copies.sum() == pytest.approx(np.count_nonzero(weights))
        np.testing.assert_allclose(
            merged.copies / merged.copies.sum(), merged.weights / weights.sum()
        )


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_several_classes_are_not_made_worse(load):
    """Few samples of a class are held out: 3 of wine's."""
    X, y = load(return_X_y=True)
    worse = []
    for seed in range(5):
        Xa, Xb, ya, yb = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
        of = {}
        for how in (None, "sigmoid"):
            clf = tb.TauBoostClassifier(calibration=how, random_state=0).fit(Xa, ya)
            of[how] = log_loss(yb, clf.predict_proba(Xb))
        worse.append(of["sigmoid"] - of[None])
    assert np.mean(worse) < 0.01
