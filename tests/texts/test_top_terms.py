"""The terms that speak most for a class, by name or by the number of their hash."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from small_texts import WORDS, fitted
from tauboost.sparse.model import Model
from tauboost.texts.features import TextFeatures
from tauboost.texts.model import TextModel, _largest
from tauboost.texts.model import top_terms as all_of_them
from tauboost.texts.options import TextOptions
from tauboost.texts.vocabulary import Terms


def top_terms(model, k):
    return [[(t.term, t.weight) for t in terms] for terms in all_of_them(model, k)]


def make_model(coef, n_classes=2):
    coef = np.atleast_2d(np.array(coef, dtype=float))
    classes = np.array(["a", "b", "c"][:n_classes], dtype=object)
    intercept = np.zeros(len(coef))
    linear = Model(classes, coef, intercept, "logistic", 0.1, 0.0, 1, intercept, np.nan, "done")
    terms = Terms.of([f"t{k}" for k in range(coef.shape[1])])
    return TextModel(TextFeatures(TextOptions(), terms), linear)


def test_two_classes_share_the_weights():
    found = top_terms(make_model([0.5, -2.0, 0.0, 1.5, -0.1]), 2)
    assert found == [[("t1", 2.0), ("t4", 0.1)], [("t3", 1.5), ("t0", 0.5)]]


def test_each_of_several_classes_has_its_own():
    found = top_terms(make_model([[1, 0], [-1, 2], [0, 0]], 3), 5)
    assert found == [[("t0", 1.0)], [("t1", 2.0)], []]


def test_hashes_have_numbers():
    model = make_model([1.0, 2.0, -1.0])
    options = TextOptions(n_features=100)
    hashed = replace(model, features=TextFeatures(options, None, None, np.array([5, 7, 9], "i4")))
    assert top_terms(hashed, 1) == [[("hash 9", 1.0)], [("hash 7", 2.0)]]
    plain = replace(model, features=TextFeatures(replace(options, n_features=3), None))
    assert top_terms(plain, 1) == [[("hash 2", 1.0)], [("hash 1", 2.0)]]


@pytest.mark.parametrize("k", [1, 3, 5, 9, 10, 50])
def test_the_largest_come_in_order_and_the_first_of_equal_ones(k):
    values = np.array([3, 1, 3, 2, 2, 2, 0, 3, -1, 2.0])
    assert _largest(values, k).tolist() == np.argsort(-values, kind="stable")[:k].tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_class_has_its_words(n_classes):
    model = fitted(n_classes).model_
    found = all_of_them(model, 3)
    assert len(found) == n_classes
    for label, terms in zip(model.classes, found, strict=True):
        assert len(terms) == 3
        own = {word.lower() for word in WORDS[label]}
        assert all(own & set(term.term.lower().split()) for term in terms)
        weights = [term.weight for term in terms]
        assert weights == sorted(weights, reverse=True)
        assert min(weights) > 0
        assert [model.features.terms[term.column] for term in terms] == [t.term for t in terms]


def test_hashes_of_a_fit_are_named_by_their_numbers():
    model = fitted(n_features=4096, min_df=2).model_
    (term,) = all_of_them(model, 1)[0]
    assert term.term == f"hash {model.features.kept[term.column]}"
