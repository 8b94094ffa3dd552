"""Terms for people: what they hold, lookup, order, and how they print."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tauboost as tb
from table_models import glass_box, make_model
from tauboost.tables.terms import Term, Terms, make_terms


@pytest.fixture
def terms() -> Terms:
    return make_terms(make_model(2))


def with_scores(scores) -> Term:
    """Return the term of age with these scores."""
    model = make_model(2)
    age = replace(model.terms[0], scores=np.array(scores)[:, None])
    return make_terms(replace(model, terms=(age,)))[0]


def test_what_a_term_holds(terms):
    model = make_model(2)
    assert terms.names == ["age", "city", "hours", "age x city"]
    assert [term.kind for term in terms] == ["numeric", "category", "numeric", "pair"]
    for term, data in zip(terms, model.terms, strict=True):
        np.testing.assert_array_equal(term.scores, data.scores[..., 0])
        np.testing.assert_array_equal(term.weights, data.weights)
        assert term.importance == pytest.approx((data.weights * abs(term.scores)).sum())
    np.testing.assert_array_equal(terms["age"].edges, model.columns[0].edges)
    assert terms["city"].bins == ["Oslo", "Bergen", "Tromsø", "other", "missing"]
    with pytest.raises(AttributeError, match="age x city has two axes"):
        terms["age x city"].edges


def test_lookup(terms):
    assert terms["city x age"] is terms["age x city"] is terms[3] is terms[-1]
    assert terms[1:3].names == ["city", "hours"]
    assert "age" in terms
    assert "pay" not in terms
    assert terms[0] in terms
    with pytest.raises(KeyError, match="no term 'pay'; the terms are"):
        terms["pay"]
    with pytest.raises(IndexError):
        terms[9]


def test_order_by_importance(terms):
    found = terms.by_importance().importances
    assert found.tolist() == sorted(terms.importances, reverse=True)


def test_equal_neighbours_are_one_step():
    term = with_scores([0.42, 0.42, 0.42, -0.1, -0.1, 0.3, 0.0])
    steps = term.steps()
    assert [step.label for step in steps] == [
        "age <= 31",
        "31 < age <= 64.5",
        "age > 64.5",
        "missing",
    ]
    assert [step.score for step in steps] == [0.42, -0.1, 0.3, 0.0]
    assert sum(step.weight for step in steps) == pytest.approx(1)
    text = repr(term)
    assert "age: numeric, importance" in text
    assert "age <= 31                +0.420" in text
    assert "missing" not in text  # no data there


def test_a_column_that_does_not_matter_is_one_step():
    assert [step.label for step in with_scores(np.zeros(7)).steps()] == ["any age", "missing"]


def test_categories_come_by_falling_score(terms):
    scores = [step.score for step in terms["city"].steps()]
    assert scores == sorted(scores, reverse=True)


def test_pairs_come_by_what_matters(terms):
    steps = terms["age x city"].steps()
    sizes = [abs(step.score) * step.weight for step in steps]
    assert sizes == sorted(sizes, reverse=True)
    assert steps[0].labels[1].startswith("city = ")
    assert "age" in steps[0].labels[0]
    assert len(steps) == 16
    assert " city" in repr(terms["age x city"])


def test_several_classes():
    terms = make_terms(make_model(3))
    assert terms["age"].scores.shape == (7, 3)
    assert terms["age x city"].scores.shape == (4, 4, 3)
    assert terms["age"].steps()[0].score.shape == (3,)
    assert "for no  for maybe  for yes" in repr(terms["age"])


def test_terms_print_as_a_table(terms):
    lines = repr(terms).splitlines()
    assert lines[0].split() == ["term", "kind", "steps", "importance"]
    assert len(lines) == 6
    assert lines[2].endswith("#" * 20)
    assert "term" in repr(make_terms(make_model(2, n_terms=0)))


def test_long_tables_are_cut():
    wide = Terms([make_terms(make_model(2))[0]] * 30)
    assert repr(wide).endswith("... 6 more")


def test_only_a_fitted_model_has_terms():
    clf = glass_box()
    assert isinstance(clf.terms_, Terms)
    del clf.model_
    assert not hasattr(clf, "terms_")


def test_no_two_terms_have_one_name():
    names = ["a", "b", "c", "a x b", "b x c", "'a' x 'b'"]
    X = np.random.default_rng(0).normal(size=(300, len(names)))
    wanted = [("a", "b"), ("a", "b x c"), ("a x b", "c")]
    clf = tb.TableClassifier(alpha=1e-3, interactions=wanted, random_state=0)
    clf.fit(pd.DataFrame(X, columns=names), X[:, 0] * X[:, 1] > 0)
    pairs = ["('a' x 'b')", "'a' x 'b x c'", "'c' x 'a x b'"]
    assert sorted(clf.terms_.names) == sorted([*names, *pairs])
    for term in clf.terms_:
        assert clf.terms_[term.name].name == term.name
    assert clf.terms_["'b x c' x 'a'"].name == "'a' x 'b x c'"
    with pytest.raises(KeyError, match="there is no term"):
        clf.terms_["b x a"]
    edited = clf.edit_term("('a' x 'b')", remove=True)
    assert "a x b" in edited.terms_
    assert "('a' x 'b')" not in edited.terms_


def test_labels_that_look_alike_are_quoted():
    X = np.random.default_rng(0).normal(size=(90, 1))
    y = np.array(["neg", "neg ", "pos"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    clf = tb.TableClassifier(alpha=1e-3, random_state=0).fit(X, y)
    assert "for neg  for 'neg '  for pos" in repr(clf.terms_[0])
    text = repr(clf.explain(X))
    assert "  'neg '  " in text
    assert "row 0: 'neg ' has probability" in repr(clf.explain(X[:1], class_="neg "))
    two = tb.TableClassifier(alpha=1e-3, random_state=0).fit(X, np.where(y == "pos", "", "neg "))
    assert "score for 'neg '" in repr(two.terms_[0])
    assert "more points speak for ''" in repr(two.to_scorecard())
    linear = tb.TauBoostClassifier(alpha=1e-3).fit(X, y)
    assert " 'neg' " not in repr(linear.hardest_examples(X, y, 90))
    assert " 'neg ' " in repr(linear.hardest_examples(X, y, 90))
