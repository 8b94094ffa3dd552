"""Default fits of real data are at the optimum: their gap is worked out again with SciPy alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit

import tauboost as tb
from conftest import real_data


def scales_of(X, is_positive):
    """Return s of each column: the root of AdaBoost's first step on it alone."""
    rows = np.array([is_positive.sum(), (~is_positive).sum()])
    one = 0.5 * (1 / rows[0] + 1 / rows[1])
    up, down = X.maximum(0), (-X).maximum(0)
    agree, disagree = (
        np.asarray(a[is_positive].sum(axis=0)).ravel() / rows[0]
        + np.asarray(b[~is_positive].sum(axis=0)).ravel() / rows[1]
        for a, b in ((up, down), (down, up))
    )
    step = np.log((agree + one) / (disagree + one))
    s = np.sqrt(np.where(np.abs(step) < 1e-12, 0.0, np.abs(step)))
    is_used = (agree + disagree) > 0
    usual = np.median(s[is_used])
    return np.where(is_used, np.maximum(s, 0.01 * usual), usual)


@pytest.mark.parametrize("name", ["sms_spam.svm.xz", "a9a.xz", "w8a.xz", "url_uci_slice.svm.xz"])
def test_a_default_fit_is_certified(name):
    X, y = real_data(name)
    clf = tb.TauBoostClassifier().fit(X, y)
    is_positive, sign = y == clf.classes_[1], np.where(y == clf.classes_[1], 1.0, -1.0)
    size = np.abs(X).max(axis=0).toarray().ravel()
    size[size == 0] = 1.0
    Z = X.multiply(1 / size).tocsr()
    s = scales_of(Z, is_positive)
    mu, H = clf.coef_[0] * size / s, X @ clf.coef_[0] + clf.intercept_[0]

    def weights(shift):
        return expit(-sign * (H + shift)) / len(y)

    # The intercept is free: the minorant touches F where both classes weigh the same.
    shift = brentq(lambda b: float(sign @ weights(b)), -2, 2, xtol=1e-15)
    value = np.logaddexp(0, -sign * (H + shift)).mean()
    g = -((sign * weights(shift)) @ Z) * s
    bound = value - g @ mu - g @ g / (2 * clf.alpha_)
    objective = np.logaddexp(0, -sign * H).mean() + clf.alpha_ * mu @ mu / 2
    assert clf.objective_[0] == pytest.approx(objective, rel=1e-9)
    assert 0 <= objective - bound <= 1e-3 * objective
    assert clf.record_.gap <= 1e-3 * objective
    assert clf.record_.gap == pytest.approx(objective - bound, rel=1e-3, abs=1e-12)
