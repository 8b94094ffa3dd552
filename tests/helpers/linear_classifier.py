"""A stand-in for a fitted classifier: the links to model files, and predictions in plain NumPy."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from tauboost.io.model import ModelData

LABELS = {
    "int": [3, -1, 7, 5],
    "uint8": np.arange(4, dtype=np.uint8),
    "float": [0.5, 1.5, -2.5, 4.0],
    "str": ["ham", "späm", "日本", ""],
    "object": np.array(["b", "a", "d", "c"], dtype=object),
}


class Linear(ClassifierMixin, BaseEstimator):
    """A linear classifier that needs no data to be fitted: what a real estimator does, in short."""

    def __init__(self, alpha="auto", random_state=None, callback=None, class_weight=None):
        self.alpha = alpha
        self.random_state = random_state
        self.callback = callback
        self.class_weight = class_weight

    def fit(self, coef, intercept, classes, slope=2.0, offset=0.0):
        self.coef_, self.intercept_ = coef, np.asarray(intercept, dtype=float)
        self.classes_ = np.unique(np.asarray(classes))
        self.slope_, self.offset_ = slope, offset
        self.n_features_in_ = coef.shape[1]
        return self

    def decision_function(self, X):
        H = np.asarray(X @ self.coef_.T) + self.intercept_
        return H[:, 0] if H.shape[1] == 1 else H

    def predict(self, X):
        H = self.decision_function(X)
        return self.classes_[(H > 0).astype(int) if H.ndim == 1 else H.argmax(axis=1)]

    def predict_proba(self, X):
        p = expit(self.slope_ * self.decision_function(X) + self.offset_)
        return np.column_stack([1 - p, p]) if p.ndim == 1 else p / p.sum(axis=1, keepdims=True)

    def _to_model(self):
        fitted = {"slope": self.slope_, "offset": self.offset_}
        params = self.get_params(deep=False)
        return ModelData(
            self.coef_,
            self.intercept_,
            self.classes_,
            None,
            self.n_features_in_,
            params,
            fitted,
            kind="Linear",
        )

    @classmethod
    def _from_model(cls, data):
        clf = cls(**data.params)
        fitted = data.fitted
        return clf.fit(data.coef, data.intercept, data.classes, fitted["slope"], fitted["offset"])


def fitted(n_classes=2, labels=LABELS["int"], *, n_features=6, sparse=False, **options):
    rng = np.random.default_rng(n_classes)
    rows = 1 if n_classes == 2 else n_classes
    coef = rng.normal(size=(rows, n_features)) * (rng.random((rows, n_features)) < 0.6)
    coef = sp.csr_array(coef) if sparse else coef
    return Linear().fit(coef, rng.normal(size=rows), labels[:n_classes], **options)


def samples(n_features=6, count=40):
    return np.random.default_rng(0).normal(size=(count, n_features))
