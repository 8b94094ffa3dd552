"""The Dask classifier ends at the certified optimum for all rows: that of one machine."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import numpy as np

import tauboost as tb
import tauboost.dask as td
from conftest import real_data
from spam_like import spam_like
from tauboost.dask import labels as labelled
from tauboost.dask.sparse import RemoteRows
from tauboost.sparse.factors import class_sums, scales
from tauboost.sparse.fitting import weighted_samples
from tauboost.validation import as_csr

# Nearer to the optimum than any gap can tell.
TIGHT = {"alpha": 1e-2, "tol": 0.0, "max_iter": 12, "random_state": 0}
WEIGHTS = {
    "none": lambda n: None,
    "counts": lambda n: np.random.default_rng(1).integers(0, 3, n).astype(float),
    "relative": lambda n: np.random.default_rng(1).random(n) * (np.arange(n) % 9 > 0),
    "huge": lambda n: 1e300 * (1 + np.arange(n) % 3),
}


def parts(X, y, weights=None, n=3):
    columns = (X, y) if weights is None else (X, y, weights)
    return [tuple(column[k::n] for column in columns) for k in range(n)]


def sizes(X):
    """The units of columns that are not centered."""
    size = abs(X).max(axis=0).toarray().ravel()
    return np.where(size > 0, size, 1.0)


def local_scales(X, y, weights):
    samples = weighted_samples(
        as_csr(X),
        np.unique(y),
        y.astype(np.intp),
        weights,
        class_weight=None,
        fit_intercept=True,
        seed=0,
        n_threads=1,
        penalty_factors="auto",
    ).merged()
    found = scales(class_sums(samples, samples.copies), samples.is_binary)
    return found[:, samples.design.place]


def assert_same_model(there, local, X, atol=1e-6):
    np.testing.assert_allclose(
        there.coef_ * sizes(X), local.coef_ * sizes(X), rtol=0, atol=atol, strict=True
    )
    np.testing.assert_allclose(there.intercept_, local.intercept_, rtol=0, atol=atol)
    np.testing.assert_allclose(there.objective_, local.objective_, rtol=1e-9)


def assert_certified(clf):
    share = 1.0 if clf.loss_ == "exponential" else clf.objective_.max()
    assert 0 <= clf.record_.gap <= clf.tol * share
    assert "Converged: certified gap" in clf.message_
    assert f"tol={clf.tol:g}" in clf.message_


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("kind", "n_classes"), [("words", 2), ("amounts", 2), ("signed", 2), ("amounts", 3)]
)
def test_the_unit_of_the_penalty_is_that_of_one_machine(client, kind, n_classes, weights):
    X, y = spam_like(n_classes=n_classes, kind=kind)
    w = WEIGHTS[weights](len(y))
    loaded = labelled.LabelledParts(client, parts(X, y, w), None, None)
    loaded.find_units(True)
    found = loaded.find_scales()
    is_used = (abs(X).T @ (np.ones(len(y)) if w is None else w)) > 0
    expected = local_scales(X, y, w)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found[:, is_used], expected[:, is_used], rtol=1e-9)
    assert np.ptp(found) > 0.1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": "counts", "kind": "amounts"},
        {"weights": "relative", "kind": "signed"},
        {"weights": "counts", "kind": "amounts", "n_classes": 3},
        {"loss": "exponential"},
        {"l1_ratio": 0.5},
        {"l1_ratio": 1.0},
        {"penalty_factors": None},
        {"penalty_factors": "given"},
        {"fit_intercept": False, "kind": "amounts"},
    ],
    ids=str,
)
def test_with_a_given_alpha_the_model_is_that_of_one_machine(client, options):
    made = {name: options[name] for name in ("kind", "n_classes") if name in options}
    X, y = spam_like(n_words=60, **made)
    weights = WEIGHTS[options.get("weights", "none")](len(y))
    options = {k: v for k, v in options.items() if k not in {*made, "weights"}}
    if options.get("penalty_factors") == "given":
        options["penalty_factors"] = np.linspace(0.5, 2.0, X.shape[1])
    local = tb.TauBoostClassifier(**TIGHT | options).fit(X, y, weights)
    clf = td.TauBoostClassifier(client=client, **TIGHT | options).fit(parts(X, y, weights))
    assert_same_model(clf, local, X)
    assert clf.n_iter_ == 12


@pytest.mark.parametrize("tol", [1e-3, 1e-9])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gap_says_how_far_apart_two_models_can_be(client, n_classes, tol):
    """psi is strongly convex: alpha / 2 |(lam - optimum) / s|^2 is at most the gap."""
    X, y = spam_like(n_classes=n_classes, kind="amounts")
    options = {"alpha": 1e-3, "random_state": 0, "tol": tol}
    local = tb.TauBoostClassifier(**options).fit(X, y)
    clf = td.TauBoostClassifier(client=client, **options).fit(parts(X, y))
    assert_certified(clf)
    reach = sum(np.sqrt(2 * found.record_.gap / options["alpha"]) for found in (local, clf))
    between = (clf.coef_ - local.coef_) * sizes(X) / local_scales(X, y, None)
    assert np.all(np.linalg.norm(between, axis=1) <= reach)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": "counts", "kind": "amounts"},
        {"n_classes": 3, "weights": "relative"},
        {"tol": 1e-9},
        {"loss": "exponential"},
        {"l1_ratio": 1.0},
        {"penalty_factors": None},
    ],
    ids=str,
)
def test_what_was_chosen_on_all_rows_is_certified_without_a_sweep(client, monkeypatch, options):
    made = {name: options[name] for name in ("kind", "n_classes") if name in options}
    X, y = spam_like(1200, **made)
    weights = WEIGHTS[options.get("weights", "none")](len(y))
    options = {k: v for k, v in options.items() if k not in {*made, "weights"}}
    local = tb.TauBoostClassifier(random_state=0, **options).fit(X, y, weights)
    monkeypatch.setattr(RemoteRows, "exact_sweep", None)  # a sweep would fail
    clf = td.TauBoostClassifier(client=client, random_state=0, **options)
    clf.fit(parts(X, y, weights))
    assert_same_model(clf, local, X)
    assert_certified(clf)
    assert clf.n_iter_ == local.n_iter_
    assert (clf.alpha_, clf.held_out_loss_) == pytest.approx((local.alpha_, local.held_out_loss_))
    n_rows = len(y) if weights is None else np.count_nonzero(weights)
    here, there = (found.message_.partition(" Converged")[0] for found in (local, clf))
    assert there == here.replace("held-out samples", f"{n_rows} rows")


@pytest.mark.parametrize("options", [{}, {"l1_ratio": 1.0}, {"loss": "exponential"}], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_was_chosen_on_some_rows_is_solved_on_all(client, monkeypatch, n_classes, options):
    X, y = spam_like(2000, n_classes=n_classes)
    monkeypatch.setattr(labelled, "MOST_ROWS", 700)
    clf = td.TauBoostClassifier(client=client, random_state=0, **options).fit(parts(X, y))
    assert 600 < int(clf.message_.split()[2]) < 900
    assert_certified(clf)
    strength = 0.35 if clf.l1_ratio_ < 0.5 else 0.35**0.5
    alphas = [row["alpha"] * strength for row in clf.selection_]
    assert min(alphas) < clf.alpha_ < max(alphas)
    tight = options | {"alpha": clf.alpha_, "tol": 1e-9}
    best = tb.TauBoostClassifier(random_state=0, **tight).fit(X, y).objective_
    assert np.all(clf.objective_ - best <= clf.tol * (1.0 if "loss" in options else best))


def test_the_seed_does_not_matter(client, monkeypatch):
    X, y = spam_like(2000, kind="amounts")
    monkeypatch.setattr(labelled, "MOST_ROWS", 700)
    first, second = (
        td.TauBoostClassifier(client=client, random_state=k, tol=1e-11).fit(parts(X, y))
        for k in (1, 2)
    )
    assert first.alpha_ == second.alpha_
    assert first.held_out_loss_ == second.held_out_loss_
    assert_same_model(first, second, X)


def test_a_start_that_is_good_enough_takes_no_sweep(client, monkeypatch):
    X, y = spam_like(2000)
    monkeypatch.setattr(labelled, "MOST_ROWS", 1500)
    clf = td.TauBoostClassifier(client=client, tol=0.5).fit(parts(X, y))
    assert clf.n_iter_ == 0
    assert_certified(clf)


@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"time_limit": 1e-3}], ids=str)
def test_a_fit_that_is_cut_short_says_how_far_it_is(client, limit):
    X, y = spam_like(kind="amounts")
    options = {"alpha": 1e-4, "tol": 1e-9} | limit
    clf = td.TauBoostClassifier(client=client, **options).fit(parts(X, y))
    assert clf.n_iter_ <= 1
    assert clf.record_.gap > 1e-9
    assert "Not converged to tol=1e-09: certified gap" in clf.message_


def test_without_a_bound_the_tolerance_is_on_edges(client):
    X, y = spam_like()
    factors = np.ones(X.shape[1])
    factors[[1, 2]] = 0.0  # these are frequent
    options = {"alpha": 1e-2, "penalty_factors": factors, "tol": 1e-8, "random_state": 0}
    clf = td.TauBoostClassifier(client=client, **options).fit(parts(X, y))
    assert_same_model(clf, tb.TauBoostClassifier(**options).fit(X, y), X)
    assert clf.record_.gap is None
    assert "Converged: largest excess edge" in clf.message_


def test_too_few_rows_to_choose_by(client):
    X, y = spam_like(18)
    clf = td.TauBoostClassifier(client=client).fit(parts(X, y))
    assert clf.message_.startswith("Too few rows to choose alpha by: a usual one was taken. Conv")


def test_a_checkpoint_knows_the_factors_but_not_the_parts(client, tmp_path):
    """Sums over other parts differ in the last bits."""
    X, y = spam_like(n_words=60, kind="amounts")
    options = TIGHT | {"client": client, "checkpoint": tmp_path / "c"}
    td.TauBoostClassifier(**options | {"max_iter": 2}).fit(parts(X, y, n=2))
    clf = td.TauBoostClassifier(**options).fit(parts(X, y, n=3))
    assert_same_model(clf, tb.TauBoostClassifier(**TIGHT).fit(X, y), X)
    with pytest.raises(ValueError, match="another solve: its penalty_factors"):
        td.TauBoostClassifier(**options, penalty_factors=None).fit(parts(X, y))


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ("some", "penalty_factors must be 'auto', None or a number for each feature, got 'some'"),
        (np.ones(3), "penalty_factors"),
        (-np.ones(250), "penalty_factors must be 0 or more"),
    ],
    ids=["word", "short", "negative"],
)
def test_refuses_bad_factors(client, factors, message):
    X, y = spam_like()
    with pytest.raises(ValueError, match=message):
        td.TauBoostClassifier(client=client, penalty_factors=factors).fit(parts(X, y))


@pytest.mark.parametrize("name", ["sms_spam.svm.xz", "w8a.xz"])
def test_real_data(client, name):
    X, y = real_data(name)
    local = tb.TauBoostClassifier(random_state=0).fit(X, y)
    clf = td.TauBoostClassifier(client=client, random_state=0).fit(parts(X, y))
    assert_same_model(clf, local, X)
    assert_certified(clf)
