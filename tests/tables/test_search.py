"""What the search on a table chooses: an alpha within its range, and pairs only where they help."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

import tauboost as tb


def xor_table(n=3000, seed=0):
    """Return two columns that matter only together, two that do not matter, and labels."""
    X = np.random.default_rng(seed).normal(size=(n, 4))
    return X, (X[:, 1] * X[:, 3] > 0)


@pytest.mark.filterwarnings("ignore:the model is no better:tauboost.FitWarning")
def test_a_pair_is_found_where_two_columns_matter_together():
    X, y = xor_table()
    clf = tb.TableClassifier(random_state=0).fit(X, y)
    pairs = [term.columns for term in clf.model_.terms if len(term.columns) == 2]
    assert pairs[0] == (1, 3)
    assert clf.score(*xor_table(seed=1)) > 0.9
    assert tb.TableClassifier(interactions=0).fit(X, y).score(*xor_table(seed=1)) < 0.6


def test_pairs_do_no_harm_where_columns_matter_alone():
    def sums(n, seed):
        X, _ = xor_table(n, seed)
        return X, X[:, 0] + X[:, 1] + np.random.default_rng(seed + 1).logistic(size=n) > 0

    new, labels = sums(20_000, 99)
    n_pairs = []
    for seed in range(4):
        X, y = sums(3000, seed)
        losses = []
        for wanted in (0, "auto"):
            clf = tb.TableClassifier(interactions=wanted, random_state=0).fit(X, y)
            losses.append(log_loss(labels, clf.predict_proba(new)))
        n_pairs.append(sum(len(term.columns) == 2 for term in clf.model_.terms))
        assert losses[1] < losses[0] + 0.003
        assert np.all(np.isfinite(clf.objective_))  # though pairs were tried
    assert min(n_pairs) == 0


@pytest.mark.parametrize("wanted", [1, [(1, 3)], [("x3", "x1"), (1, 3)]])
def test_pairs_can_be_asked_for(wanted):
    X, y = xor_table()
    clf = tb.TableClassifier(interactions=wanted, random_state=0).fit(X, y)
    assert [term.columns for term in clf.model_.terms if len(term.columns) == 2] == [(1, 3)]


@pytest.mark.filterwarnings("ignore:the model is no better:tauboost.FitWarning")
def test_the_selection_is_told():
    X, y = xor_table(500)
    clf = tb.TableClassifier(interactions=0, random_state=0).fit(X, y)
    best = min(clf.selection_, key=lambda row: row["held_out_loss"])
    assert clf.held_out_loss_ == best["held_out_loss"]
    assert abs(np.log10(clf.alpha_ / best["alpha"])) <= 0.26


def pairs_of(clf):
    return [term.columns for term in clf.model_.terms if len(term.columns) == 2]


@pytest.mark.parametrize("alpha", [1e-4, 1e6])
def test_a_given_alpha_searches_nothing(alpha):
    X, y = xor_table()
    clf = tb.TableClassifier(alpha=alpha, random_state=0).fit(X, y)
    assert pairs_of(clf) == []
    assert clf.selection_ == []
    assert np.isnan(clf.held_out_loss_)
    asked = tb.TableClassifier(alpha=1e-3, interactions=1, random_state=0).fit(X, y)
    assert pairs_of(asked) == [(1, 3)]


@pytest.mark.parametrize("constant", [7.0, np.nan])
def test_constant_columns_are_in_no_pair(constant):
    X, y = xor_table()
    X = np.column_stack([X, np.full((len(X), 2), constant)])
    X[:9, 4], weights = 1.0, np.ones(len(X))
    weights[:9] = 0.0  # as good as not there
    for wanted, found in ((3, 3), ([(0, 4), (4, 5), (1, 3)], 1)):
        clf = tb.TableClassifier(interactions=wanted, random_state=0).fit(X, y, weights)
        assert len(pairs_of(clf)) == found
        assert not {4, 5} & {k for pair in pairs_of(clf) for k in pair}


@pytest.mark.filterwarnings("ignore:the model is no better:tauboost.FitWarning")
def test_constant_columns_do_not_change_how_many_pairs_are_tried():
    X = np.random.default_rng(0).normal(size=(4000, 6))
    y = np.square(X.sum(axis=1)) - np.square(X).sum(axis=1) > 0  # all 15 products
    plain = tb.TableClassifier(random_state=0).fit(X, y)
    wider = tb.TableClassifier(random_state=0).fit(np.column_stack([X, np.ones((4000, 3))]), y)
    assert len(pairs_of(plain)) == len(pairs_of(wider)) == 12
