"""Which alpha is chosen: the path it is searched on, and that nothing else has a say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from first_steps import samples_of, table
from tauboost.search.options import Options
from tauboost.search.search import Candidate, Selection, vertex
from tauboost.sparse import search as space
from tauboost.sparse.search import candidates

STEP = np.sqrt(10)  # of the grid


def generated(kind, seed=0):
    """Return small sets of the shapes that people have."""
    rng = np.random.default_rng(seed)
    m, n = {"wide": (150, 600), "long": (1500, 12), "texts": (250, 900)}.get(kind, (300, 25))
    if kind in ("wide", "texts"):
        X = (rng.random((m, n)) < np.minimum(0.5, 3 / np.arange(1, n + 1))).astype(float)
        weights = rng.normal(size=n) * 2
    else:
        X = rng.normal(size=(m, n)) @ (np.eye(n) + 0.4 * rng.normal(size=(n, n)))
        weights = rng.normal(size=n) / n
    H = X @ weights
    H = 2 * (H - H.mean()) / H.std() + rng.logistic(size=m)
    return sp.csr_array(X), (H > 0).astype(int) if kind != "classes" else np.digitize(H, [-1, 1])


finite = st.floats(0.01, 10.0)


@given(st.lists(finite, min_size=1, max_size=9, unique=True), st.randoms(use_true_random=False))
def test_the_vertex_lies_beside_the_best_point(losses, random):
    alphas = 10.0 ** np.arange(0, -len(losses) / 2, -0.5)[: len(losses)]
    order = list(range(len(losses)))
    random.shuffle(order)
    found = vertex(alphas[order], np.array(losses)[order])
    k = int(np.argmin(losses))
    if k in (0, len(losses) - 1):
        assert found == pytest.approx(alphas[k])
    else:  # no farther than half of the way to a neighbour
        assert alphas[k] / STEP**0.5 * 0.99 <= found <= alphas[k] * STEP**0.5 * 1.01
        toward = losses[k - 1] - losses[k + 1]  # the better neighbour is the nearer one
        assert (found / alphas[k] - 1) * toward <= 0.01 * abs(toward)


@given(st.floats(-3.4, -1.6), finite, st.floats(-5, 5))
def test_the_vertex_of_a_parabola_is_exact(at, bend, level):
    x = np.arange(0, -6, -0.5)
    found = vertex(10.0**x, level + bend * (x - at) ** 2)
    assert found == pytest.approx(10.0**at, rel=6e-3), "three digits"


def test_losses_that_are_equal_or_infinite_have_a_vertex():
    alphas = np.array([1.0, 0.1, 0.01])
    assert vertex(alphas, np.ones(3)) == pytest.approx(0.01)
    assert vertex(alphas, np.array([np.inf, 1.0, np.inf])) == pytest.approx(0.1)
    assert vertex(alphas, np.array([2.0, 1.0, np.inf])) == pytest.approx(0.1)
    assert vertex(alphas[:1], np.ones(1)) == 1.0


def test_alpha_is_placed_between_the_points_of_its_own_path():
    def row(alpha, loss, ratio=0.0):
        named = {"loss": "logistic", "l1_ratio": ratio, "n_sweeps": 1}
        return named | {"alpha": alpha, "held_out_loss": loss}

    table_ = [row(1.0, 3.0), row(0.1, 1.0), row(0.01, 2.0), row(0.05, 0.0, 1.0)]
    alphas, losses = Selection(Candidate("logistic", 0.1, 0.0), table=table_).tried()
    np.testing.assert_array_equal(alphas, [1.0, 0.1, 0.01])
    np.testing.assert_array_equal(losses, [3.0, 1.0, 2.0])


@pytest.mark.parametrize("kind", ["wide", "long", "dense", "classes"])
def test_the_path_goes_from_strong_to_weak_and_ends_after_it_has_risen(kind):
    clf = tb.TauBoostClassifier().fit(*generated(kind))
    alphas, losses = (
        np.array([row[name] for row in clf.selection_]) for name in ("alpha", "held_out_loss")
    )
    np.testing.assert_allclose(alphas[:-1] / alphas[1:], STEP)
    assert len(alphas) >= space.ALWAYS
    least = np.minimum.accumulate(losses)
    is_worse = losses > (1 + space.WORSE) * least
    improves = np.append(True, losses[1:] < least[:-1] * (1 - space.LEAST_IMPROVEMENT))
    for k in range(space.ALWAYS, len(losses)):  # it went on past the one before k
        assert not is_worse[k - 1]
        assert improves[k - 2 : k].any()
    is_all = len(alphas) == len(space.DECADES)
    assert is_all or is_worse[-1] or not improves[-2:].any()
    assert clf.alpha_ == pytest.approx(vertex(alphas, losses))
    assert clf.held_out_loss_ == losses.min()


def test_where_the_strongest_wins_stronger_ones_are_tried():
    """Labels that nothing tells apart: no coefficient is best."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20))
    with pytest.warns(UserWarning, match=r"no better|nearly constant"):
        clf = tb.TauBoostClassifier().fit(X, np.arange(400) % 2)
    alphas = np.array([row["alpha"] for row in clf.selection_])
    losses = np.array([row["held_out_loss"] for row in clf.selection_])
    k = int(np.flatnonzero(alphas > alphas[0])[0])
    assert losses[:k].argmin() == 0
    np.testing.assert_allclose(alphas[k] / alphas[0], STEP)
    assert np.all(np.diff(alphas[k:]) > 0)
    improves = np.diff(losses[k:]) < 0
    assert improves[:-1].all()


def lists_of(samples, **parameters):
    found = candidates(samples, Options(**parameters))
    return np.array([strength.alpha for of_kind in found for strength in of_kind])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.7, "auto"])
@pytest.mark.parametrize("loss", ["logistic", "auto"])
def test_candidates_depend_on_the_data_alone(n_classes, l1_ratio, loss):
    X, codes = table(1, 80, n_classes)
    rng = np.random.default_rng(2)
    how = {"loss": loss, "l1_ratio": l1_ratio}
    plain = lists_of(samples_of(X, codes), **how)
    order, columns = rng.permutation(80), rng.permutation(X.shape[1])
    units = rng.choice([-1, 1], X.shape[1]) * 10 ** rng.uniform(-6, 6, X.shape[1])
    others = [
        samples_of(X, codes, seed=7, n_threads=3),
        samples_of(X[order], codes[order]),
        samples_of(X[:, columns], codes),
        samples_of(X * units, codes),
        samples_of(X, codes, np.full(80, 0.3)),
    ]
    for samples in others:
        np.testing.assert_allclose(lists_of(samples, **how), plain, rtol=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_an_l1_path_begins_where_little_is_left(loss):
    X, codes = table(3, 80)
    first = lists_of(samples_of(X, codes), loss=loss, l1_ratio=1.0)[0]
    none, some = (
        tb.TauBoostClassifier(alpha=alpha, l1_ratio=1.0, loss=loss, tol=1e-8).fit(X, codes)
        for alpha in (first * STEP * 1.001, first)
    )
    assert not none.coef_.any()
    assert some.coef_.any()


@pytest.mark.parametrize("kind", ["wide", "long", "dense", "texts", "classes"])
def test_nearly_solved_fits_choose_as_solved_ones_do(kind, monkeypatch):
    """Within one step of the grid, or where the valley is so wide that it does not matter."""
    near = tb.TauBoostClassifier().fit(*generated(kind))
    for name in ("NEARLY", "NEARLY_OF_MANY", "NEARLY_BY_SWEEPS"):
        monkeypatch.setattr(space, name, 1e-7)
    tight = tb.TauBoostClassifier().fit(*generated(kind))
    if kind != "long":
        assert abs(np.log(near.alpha_ / tight.alpha_)) <= np.log(STEP) * 1.001
    alphas, losses = (
        [row[name] for row in tight.selection_[::-1]] for name in ("alpha", "held_out_loss")
    )
    there = np.interp(np.log(near.alpha_), np.log(alphas), losses)
    assert there <= tight.held_out_loss_ * 1.003


@pytest.mark.parametrize("options", [{}, {"l1_ratio": 1.0}, {"loss": "exponential"}])
def test_a_seed_threads_and_units_choose_nothing(options):
    X, y = generated("dense")
    rng = np.random.default_rng(1)
    plain = tb.TauBoostClassifier(random_state=0, n_jobs=1, **options).fit(X, y)
    other = tb.TauBoostClassifier(random_state=1, n_jobs=3, **options).fit(X, y)
    assert other.selection_ == plain.selection_
    scaled = tb.TauBoostClassifier(**options).fit(X * 10 ** rng.uniform(-6, 6, X.shape[1]), y)
    assert scaled.alpha_ == pytest.approx(plain.alpha_, rel=1e-6)
    for one, two in zip(scaled.selection_, plain.selection_, strict=True):
        assert one["held_out_loss"] == pytest.approx(two["held_out_loss"], rel=1e-6)


def test_every_loss_and_ratio_is_searched_and_the_best_one_taken():
    X, y = generated("dense")
    clf = tb.TauBoostClassifier(loss="auto", l1_ratio="auto").fit(X, y)
    found = {(row["loss"], row["l1_ratio"]) for row in clf.selection_}
    assert found == {(loss, q) for loss in ("logistic", "exponential") for q in (0.0, 0.5, 1.0)}
    best = min(clf.selection_, key=lambda row: row["held_out_loss"])
    assert (clf.loss_, clf.l1_ratio_) == (best["loss"], best["l1_ratio"])
    assert clf.held_out_loss_ == best["held_out_loss"]
    alone = tb.TauBoostClassifier(loss=clf.loss_, l1_ratio=clf.l1_ratio_).fit(X, y)
    assert alone.alpha_ == clf.alpha_
    np.testing.assert_allclose(alone.coef_, clf.coef_, atol=1e-8)
