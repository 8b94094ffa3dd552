"""The terms that speak most for a class, by name or by the number of their hash."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tauboost.design.terms import Terms
from tauboost.design.text_options import TextOptions
from tauboost.design.texts import TextFeatures
from tauboost.tuning.model import Model
from tauboost.tuning.text_model import TextModel
from tauboost.tuning.top_terms import _largest, top_terms


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
