"""A classifier with a model made by hand, for what needs no fit."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tauboost import TauBoostClassifier
from tauboost.sparse.model import Model

LABELS = {
    "int": [3, -1, 7, 5],
    "uint8": np.arange(4, dtype=np.uint8),
    "float": [0.5, 1.5, -2.5, 4.0],
    "str": ["ham", "späm", "日本", ""],
    "object": np.array(["b", "a", "d", "c"], dtype=object),
}


def of_coefficients(coef, intercept, classes, loss="exponential"):
    """Return a classifier of these coefficients."""
    clf = TauBoostClassifier(loss=loss)
    intercept = np.asarray(intercept, dtype=float)
    clf.model_ = Model(
        classes=np.unique(np.asarray(classes)),
        coef=coef,
        intercept=intercept,
        loss=loss,
        alpha=0.1,
        l1_ratio=0.0,
        n_iter=3,
        objective=np.zeros(len(intercept)),
        held_out_loss=np.nan,
        message="done",
    )
    clf.n_features_in_ = coef.shape[1]
    return clf


def fitted(n_classes=2, labels=LABELS["int"], *, n_features=6, sparse=False, **options):
    rng = np.random.default_rng(n_classes)
    rows = 1 if n_classes == 2 else n_classes
    coef = rng.normal(size=(rows, n_features)) * (rng.random((rows, n_features)) < 0.6)
    coef = sp.csr_array(coef) if sparse else coef
    return of_coefficients(coef, rng.normal(size=rows), labels[:n_classes], **options)


def samples(n_features=6, count=40):
    return np.random.default_rng(0).normal(size=(count, n_features))
