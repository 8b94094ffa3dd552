"""Every fit ends at the optimum, which plain NumPy can check, or says that it does not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

import tauboost as tb
from first_steps import expected_scales, in_units, table, units
from fits import fit_watched
from tauboost.sparse import refit as approach
from tauboost.sparse import search as alpha_path

# Both ways to begin: sweeps in lanes where there are many columns, else ``solve`` at once.
SHAPES = ["tiny", "one column", "kinds", "long", "wide", "texts", "collinear", "scales"]


def generated(shape, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    if shape == "kinds":
        return table(seed, 120, n_classes)
    m, n = {
        "tiny": (30, 3),
        "one column": (60, 1),
        "long": (3000, 8),
        "wide": (90, 3000),
        "texts": (400, 3000),
    }.get(shape, (200, 12))
    if shape in ("wide", "texts"):
        X = (rng.random((m, n)) < np.minimum(0.5, 8 / np.arange(1, n + 1))).astype(float)
    else:
        X = rng.normal(size=(m, n))
    if shape == "collinear":
        X = X[:, :1] + 0.01 * X
    if shape == "scales":
        X *= 10 ** rng.uniform(-6, 6, n)
    H = (X / (X.std(axis=0) if shape == "scales" else 1.0)) @ rng.normal(size=n)
    H = 2 * (H - H.mean()) / H.std() + rng.logistic(size=m)
    ends = np.quantile(H, np.arange(1, n_classes) / n_classes)
    return (sp.csr_array(X) if shape in ("wide", "texts") else X), np.digitize(H, ends)


def certified(clf, X, y, sample_weight=None):
    """Return the objective and a lower bound of the optimum for each task, in NumPy."""
    X = X.toarray() if sp.issparse(X) else X
    c = np.ones(len(y)) if sample_weight is None else sample_weight
    Z, sizes = in_units(X, c), units(X, c)[1]
    classes = clf.classes_
    found = []
    for k in [1] if len(classes) == 2 else range(len(classes)):
        is_positive = y == classes[k]
        s = expected_scales(Z, is_positive, c)
        row = clf.coef_[0 if len(classes) == 2 else k]
        mu = (row.toarray()[0] if sp.issparse(row) else row) * sizes / s
        H = clf.decision_function(X).reshape(len(y), -1)[:, 0 if len(classes) == 2 else k]
        sign = np.where(is_positive, 1, -1)

        def at(shift, H=H, sign=sign):
            r = -sign * (H + shift)
            w = c / c.sum() * expit(r)
            return c / c.sum() @ np.logaddexp(0, r), -sign * w

        # The intercept is free: the minorant touches F where it is at its best.
        low, high = -1.0, 1.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if at(middle)[1].sum() < 0 else (low, middle)
        value, slopes = at(low)
        g = (Z * s).T @ slopes
        bound = value - g @ mu - g @ g / (2 * clf.alpha_)
        found.append((at(0.0)[0] + clf.alpha_ * mu @ mu / 2, bound))
    return np.array(found).T


def check(clf, X, y, tol=1e-3, sample_weight=None):
    objective, bound = certified(clf, X, y, sample_weight)
    np.testing.assert_allclose(clf.objective_, objective, rtol=1e-6)
    gaps = objective - bound
    assert clf.message_.count("Converged: certified gap") == 1
    assert np.all(gaps <= tol * objective * (1 + 1e-6) + 1e-12)
    # What the fit has proved is no less than what was proved here, of the worst task.
    worst = clf.record_.gap
    assert worst <= tol * objective.max()
    assert worst >= 0


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_default_fit_is_proved_to_be_at_the_optimum(shape, n_classes):
    X, y = generated(shape, n_classes)
    check(tb.TauBoostClassifier().fit(X, y), X, y)


@pytest.mark.parametrize("shape", ["kinds", "wide", "texts"])
@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("alpha", [1e-1, 1e-3])
def test_it_is_at_any_tolerance_and_alpha(shape, tol, alpha):
    X, y = generated(shape)
    check(tb.TauBoostClassifier(tol=tol, alpha=alpha).fit(X, y), X, y, tol)


def test_it_is_with_weights():
    X, y = generated("texts")
    weights = np.random.default_rng(0).integers(1, 5, len(y)).astype(float)
    check(tb.TauBoostClassifier().fit(X, y, weights), X, y, sample_weight=weights)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("shape", ["kinds", "texts"])
def test_the_gap_is_no_less_than_the_distance(shape, n_classes):
    X, y = generated(shape, n_classes)
    clf = tb.TauBoostClassifier().fit(X, y)
    best = tb.TauBoostClassifier(alpha=clf.alpha_, tol=1e-10).fit(X, y)
    distance = (clf.objective_ - best.objective_).max()
    assert -1e-9 <= distance <= clf.record_.gap + 1e-12


def test_sweeps_in_lanes_may_prove_it_themselves(monkeypatch):
    """Of two classes and many columns: ``solve`` has nothing left to do."""
    X, y = generated("texts")
    proved = []
    run = approach.Approach.run
    monkeypatch.setattr(
        approach.Approach, "run", lambda self: proved.append(run(self)) or proved[-1]
    )
    clf = tb.TauBoostClassifier(alpha=0.01).fit(X, y)
    assert proved[0].gap == clf.record_.gap
    assert proved[0].n_sweeps == clf.n_iter_
    assert proved[0].objective == pytest.approx(clf.objective_[0], rel=1e-12)


@pytest.mark.parametrize("shape", ["texts", "collinear"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"max_iter": 2}, {"time_limit": 1e-9}])
@pytest.mark.parametrize("alpha", [1e-5, "auto"])
def test_a_fit_that_is_cut_short_says_so(shape, n_classes, limit, alpha):
    X, y = generated(shape, n_classes)
    clf = tb.TauBoostClassifier(alpha=alpha, tol=1e-9, **limit).fit(X, y)
    objective, bound = certified(clf, X, y)
    np.testing.assert_allclose(clf.objective_, objective, rtol=1e-6)
    is_there = np.all(objective - bound <= 1e-9 * objective)
    assert ("Not converged to tol=1e-09: certified gap" in clf.message_) == (not is_there)
    assert ("Out of " in clf.message_) == (not is_there)
    assert is_there or "Converged:" not in clf.message_
    if "max_iter" in limit:
        assert clf.n_iter_ <= limit["max_iter"]
        assert all(row["n_sweeps"] <= limit["max_iter"] for row in clf.selection_)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_the_exponential_loss_has_an_absolute_gap(l1_ratio):
    X, y = generated("kinds")
    clf = tb.TauBoostClassifier(loss="exponential", l1_ratio=l1_ratio).fit(X, y)
    assert clf.record_.gap <= 1e-3
    assert clf.message_.endswith(f"Converged: certified gap {clf.record_.gap:.2g}, tol=0.001.")
    best = tb.TauBoostClassifier(
        loss="exponential", l1_ratio=l1_ratio, alpha=clf.alpha_, tol=1e-10
    ).fit(X, y)
    assert -1e-9 <= clf.objective_[0] - best.objective_[0] <= clf.record_.gap


def test_without_a_penalty_the_edge_is_what_counts():
    X, y = generated("long")
    clf = tb.TauBoostClassifier(alpha=0, tol=1e-6).fit(X, y)
    assert clf.record_.gap is None
    assert "Converged: largest excess edge" in clf.message_
    assert "No gap is certified: there is no penalty." in clf.message_
    c, sign = np.full(len(y), 1 / len(y)), np.where(y == 1, 1, -1)
    slopes = c * expit(-sign * clf.decision_function(X)) * sign
    assert np.abs(in_units(X, c).T @ slopes).max() <= 1e-6
    assert abs(slopes.sum()) <= 1e-6


@pytest.mark.parametrize("alpha", [1e-4, 1e-6])
def test_where_there_is_no_optimum_it_says_so_at_once(alpha):
    """Without l2 the logarithm of the exponential loss falls faster than l1 rises."""
    X = np.random.default_rng(1).normal(size=(60, 30))
    y = (X[:, 0] > 0).astype(int)
    clf = tb.TauBoostClassifier(alpha=alpha, loss="exponential", l1_ratio=1.0, tol=1e-6).fit(X, y)
    assert "The data are separable" in clf.message_
    assert clf.n_iter_ < 100
    assert clf.record_.gap is None
    np.testing.assert_array_equal(clf.predict(X), y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_another_order_of_sweeps_is_the_same_model(n_classes, monkeypatch):
    """Short texts, where a model of few sweeps depends on their order most."""
    rng = np.random.default_rng(3)
    X = sp.csr_array((rng.random((900, 3000)) < np.minimum(0.3, 2 / np.arange(1, 3001))) * 1.0)
    H = X @ rng.normal(size=3000)
    ends = np.quantile(H, np.arange(1, n_classes) / n_classes)
    y = np.digitize(H + 0.5 * rng.logistic(size=900), ends)
    found = []
    for seed in (0, 1):
        monkeypatch.setattr(alpha_path, "SEED", seed)
        found.append(tb.TauBoostClassifier().fit(X[:600], y[:600]).predict_proba(X[600:]))
    one, two = found
    np.testing.assert_allclose(one, two, atol=0.02)
    sure = np.sort(one, axis=1)[:, -1] - np.sort(one, axis=1)[:, -2] > 0.04
    np.testing.assert_array_equal(one.argmax(axis=1)[sure], two.argmax(axis=1)[sure])


@pytest.mark.parametrize("shape", ["tiny", "kinds", "texts"])
def test_a_seed_changes_no_bit(shape):
    X, y = generated(shape)
    one, two = (tb.TauBoostClassifier(random_state=seed).fit(X, y) for seed in (0, 1))
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    for attribute in ("selection_", "message_", "alpha_", "n_iter_"):
        assert getattr(one, attribute) == getattr(two, attribute)
    same = one.coef_ != two.coef_
    assert same.sum() == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_path_is_not_that_of_rounding(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(55, n))
    y = (X[:, 0] + rng.normal(size=55) > 0).astype(int)
    scaled = X * 10 ** rng.uniform(-6, 6, n)
    one, two = (tb.TauBoostClassifier().fit(rows, y) for rows in (X, scaled))
    assert one.alpha_ == pytest.approx(two.alpha_, rel=1e-6)
    for of_one, of_two in zip(one.selection_, two.selection_, strict=True):
        assert of_one["held_out_loss"] == pytest.approx(of_two["held_out_loss"], abs=1e-6)


def test_events_of_a_fit_tell_sweeps_and_an_objective_that_falls():
    X, y = generated("texts")
    events = []
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-6)
    fit_watched(clf, X, y, report=lambda event: events.append(event) or False)
    fits = [event for event in events if event.phase == "fit"]
    assert [event.sweep for event in fits] == sorted(event.sweep for event in fits)
    objectives = [event.objective for event in fits]
    assert np.all(np.diff(objectives) <= 1e-9)
    assert objectives[-1] >= clf.objective_[0] - 1e-9
