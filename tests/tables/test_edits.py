"""Edits of a term: what changes, what stays, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import isotonic_regression

from table_models import make_model, random_codes
from tauboost.tables.edits import edited, isotonic

numbers = st.floats(-100, 100)


@given(st.lists(st.tuples(numbers, st.floats(0.01, 10)), min_size=1, max_size=40))
def test_isotonic_is_the_nearest_rising_vector(pairs):
    values, weights = map(np.array, zip(*pairs, strict=True))
    found = isotonic(values, weights)
    assert np.all(np.diff(found) >= 0)
    np.testing.assert_allclose(found, isotonic_regression(values, sample_weight=weights), atol=1e-9)
    assert weights @ found == pytest.approx(weights @ values, abs=1e-9)


def test_isotonic_without_weights():
    np.testing.assert_array_equal(isotonic(np.array([1.0, 3.0, 2.0]), np.zeros(3)), [1.0, 2.5, 2.5])
    np.testing.assert_allclose(
        isotonic(np.array([1.0, 99.0, 2.0]), np.array([1.0, 0.0, 1.0])), [1, 2, 2], atol=1e-9
    )
    assert len(isotonic(np.empty(0), np.empty(0))) == 0


@pytest.mark.parametrize("direction", [1, -1])
def test_monotone(direction):
    model = alone(make_model(2))
    term = edited(model, 0, monotone=direction).terms[0]
    assert np.all(np.diff(direction * term.scores[:6, 0]) >= 0)
    np.testing.assert_allclose(term.mean(), 0, atol=1e-15)


def test_flatten_covers_the_bins_that_hold_a_value():
    model = make_model(2)
    term = edited(model, 0, flatten=(25.5, 40)).terms[0]  # bins (25, 31] and (31, 40]
    before, weights = model.terms[0].scores[:, 0], model.terms[0].weights
    mean = weights[2:4] @ before[2:4] / weights[2:4].sum()
    np.testing.assert_allclose(term.scores[2:4, 0], mean, atol=1e-12)
    np.testing.assert_allclose(term.scores[[0, 1, 4, 5, 6], 0], before[[0, 1, 4, 5, 6]], atol=1e-12)
    whole = edited(model, 0, flatten=(None, None)).terms[0]
    np.testing.assert_allclose(whole.scores[:6, 0], 0, atol=1e-12)


def test_flatten_categories():
    model = make_model(3)
    term = edited(model, 1, flatten=["Bergen", "missing"]).terms[1]
    np.testing.assert_allclose(term.scores[1], term.scores[4])
    empty = edited(model, 1, flatten=["missing"]).terms[1]  # no data there
    np.testing.assert_allclose(empty.scores, model.terms[1].scores, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_new_scores_are_what_is_added(n_classes):
    model = make_model(n_classes)
    shape = model.terms[0].scores.shape
    scores = np.arange(np.prod(shape), dtype=float).reshape(shape)
    given_scores = scores[:, 0] if n_classes == 2 else scores
    changed = edited(model, 0, scores=given_scores)
    codes = random_codes(model, 30)
    expected = model.decisions(codes) - model.terms[0].lookup(codes) + scores[codes[0]]
    np.testing.assert_allclose(changed.decisions(codes), expected, atol=1e-12)
    np.testing.assert_allclose(changed.terms[0].mean(), 0, atol=1e-14)


def test_what_the_fit_measured_does_not_hold_any_more():
    model = edited(make_model(2), 3, remove=True)
    assert len(model.terms) == 3
    assert np.isnan(model.objective).all()
    assert np.isnan(model.held_out_loss)
    kept = " The mean decision value is kept, the mean probability is not."
    assert model.message == f"done. Edited: age x city removed.{kept}"
    again = edited(model, 0, flatten=(None, None))
    assert again.message == f"done. Edited: age x city removed. Edited: age flattened.{kept}"


@pytest.mark.parametrize(
    ("place", "edit", "reason"),
    [
        (0, {}, "give one of flatten"),
        (0, {"remove": True, "monotone": 1}, "give one of flatten"),
        (0, {"flatten": (3, 1)}, "low <= high"),
        (0, {"flatten": (1, float("nan"))}, "high must be"),
        (0, {"flatten": 7}, r"must be \(low, high\), got 7"),
        (1, {"flatten": "Oslo"}, "must be a list of them, got 'Oslo'"),
        (1, {"flatten": ["Rome"]}, "city has no category 'Rome'"),
        (1, {"flatten": []}, "city needs at least one category"),
        (0, {"monotone": 2}, "monotone must be 1 or -1, got 2"),
        (0, {"monotone": True}, "monotone must be 1 or -1, got True"),
        (1, {"monotone": 1}, "monotone needs numbers, and city has categories"),
        (3, {"monotone": 1}, "needs a term of one column, and age x city has two"),
        (3, {"flatten": (1, 2)}, "needs a term of one column"),
        (0, {"scores": [1.0]}, r"finite numbers of shape \(7,\)"),
        (0, {"scores": [np.nan] * 7}, "finite numbers"),
        (0, {"scores": ["a"] * 7}, "must be numbers"),
    ],
)
def test_what_is_refused(place, edit, reason):
    with pytest.raises((TypeError, ValueError), match=reason):
        edited(make_model(2), place, **edit)


def test_monotone_needs_two_classes():
    with pytest.raises(ValueError, match="monotone needs two classes"):
        edited(make_model(3), 0, monotone=1)


def alone(model):
    """Return the model without its pair of age."""
    return edited(model, 3, remove=True)


def test_monotone_beside_a_pair_is_refused():
    with pytest.raises(
        ValueError, match=r"in the pair age x city, too.*edit_term\('age x city', rem"
    ):
        edited(make_model(2), 0, monotone=1)


@pytest.mark.parametrize(
    "change", [{"remove": True}, {"flatten": (25.5, 40)}, {"monotone": 1}, {"monotone": -1}]
)
def test_the_mean_decision_value_is_kept(change):
    model = alone(make_model(2))
    changed = edited(model, 0, **change)
    means = [m.intercept + sum(term.mean() for term in m.terms) for m in (model, changed)]
    np.testing.assert_allclose(*means, atol=1e-12)
    assert "mean decision value is kept" in changed.message
