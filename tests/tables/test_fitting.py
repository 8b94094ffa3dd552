"""What a fitted table model promises: bits, weights, orders, transforms, monotone terms."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from mixed_table import mixed_table

OPTIONS = {"random_state": 0}


@pytest.fixture(scope="module")
def fitted():
    table, y = mixed_table(1500)
    return table, y, tb.TableClassifier(**OPTIONS).fit(table, y)


def test_the_bits_do_not_depend_on_the_threads(fitted):
    table, y, clf = fitted
    expected = clf.decision_function(table)
    for n_jobs in (1, 2, 3, 4, 8):
        other = tb.TableClassifier(n_jobs=n_jobs, **OPTIONS).fit(table, y)
        assert np.array_equal(other.decision_function(table), expected)


def test_rows_in_another_order_give_the_same_model(fitted):
    table, y, clf = fitted
    order = np.random.default_rng(0).permutation(len(y))
    other = tb.TableClassifier(**OPTIONS).fit(table.iloc[order], y[order])
    assert np.array_equal(other.decision_function(table), clf.decision_function(table))


def test_a_weight_of_two_is_two_copies():
    table, y = mixed_table(600)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = tb.TableClassifier(**OPTIONS).fit(table, y, weights)
    copied = tb.TableClassifier(**OPTIONS).fit(table.iloc[rows], y[rows])
    assert np.array_equal(weighted.decision_function(table), copied.decision_function(table))


def test_increasing_transforms_change_nothing(fitted):
    table, y, clf = fitted
    other = table.copy()
    other["x0"] = 1000.0 * table["x0"] - 7.0
    other["x2"] = np.exp(table["x2"])
    other["few"] = table["few"] ** 3
    again = tb.TableClassifier(**OPTIONS).fit(other, y)
    assert np.array_equal(again.predict_proba(other), clf.predict_proba(table))


@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_terms_are_monotone(sign):
    table, y = mixed_table(1500)
    clf = tb.TableClassifier(monotonic_cst={"x2": sign, "few": sign}, **OPTIONS).fit(table, y)
    for term in clf.model_.terms:
        names = [clf.columns_[k].name for k in term.columns]
        if names in (["x2"], ["few"]):
            n_ordered = clf.columns_[term.columns[0]].n_ordered
            assert np.all(sign * np.diff(term.scores[:n_ordered, 0]) >= 0)
        assert len(names) == 1 or not {"x2", "few"} & set(names)


def test_several_classes():
    table, _ = mixed_table(1500)
    y = np.array(["low", "mid", "top"])[np.digitize(table["x0"], [-0.5, 0.5])]
    clf = tb.TableClassifier(**OPTIONS).fit(table, y)
    assert clf.score(table, y) > 0.97
    assert clf.predict_proba(table).shape == (1500, 3)
    np.testing.assert_allclose(clf.predict_proba(table).sum(axis=1), 1.0)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, "auto"])
def test_every_loss_and_ratio(loss, l1_ratio):
    table, y = mixed_table(500)
    clf = tb.TableClassifier(loss=loss, l1_ratio=l1_ratio, interactions=0, **OPTIONS)
    assert clf.fit(table, y).score(table, y) > 0.65


def test_terms_are_centred_and_unseen_values_are_average(fitted):
    table, _, clf = fitted
    for term in clf.model_.terms:
        assert np.abs(term.mean()).max() < 1e-12
    unseen = table.iloc[:1].assign(town="Rome")
    at = clf.explain(unseen)
    assert at.contributions[0, list(clf.terms_.names).index("town")] == 0.0


def test_few_rows_are_enough():
    clf = tb.TableClassifier().fit([[0.0], [1.0]], ["a", "b"])
    assert clf.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


def test_a_limit_of_time_ends_the_fit():
    table, y = mixed_table(500)
    clf = tb.TableClassifier(time_limit=1e-6, tol=0.0, max_iter=10**6).fit(table, y)
    assert "Out of time" in clf.message_


@pytest.mark.parametrize("moved", [lambda x: x.astype(np.float32), lambda x: x * 3 / 3])
def test_predictions_do_not_depend_on_rounding(moved):
    random = np.random.default_rng(0)
    rate, noise = random.choice([0.1, 0.2, 0.3, 0.4], 2000), random.normal(size=2000)
    y = np.isin(rate, [0.1, 0.3])
    clf = tb.TableClassifier(**OPTIONS).fit(np.stack([rate, noise], axis=1), y)
    assert clf.score(np.stack([moved(rate), noise], axis=1), y) == 1
    assert clf.columns_[0].bin_names()[:3] == ["<= 0.15", "0.15 < x <= 0.25", "0.25 < x <= 0.35"]
