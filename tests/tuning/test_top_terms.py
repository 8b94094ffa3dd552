"""The terms that speak most for each class: in order, for it and not against it."""

from __future__ import annotations

import pytest

from small_texts import WORDS, fitted
from tauboost.tuning.top_terms import top_terms


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_class_has_its_words(n_classes):
    model = fitted(n_classes)._model
    found = top_terms(model, 3)
    assert len(found) == n_classes
    for label, terms in zip(model.classes, found, strict=True):
        assert len(terms) == 3
        assert {term.term.upper() for term in terms} <= {word.upper() for word in WORDS[label]}
        weights = [term.weight for term in terms]
        assert weights == sorted(weights, reverse=True)
        assert min(weights) > 0
        assert [model.features.terms[term.column] for term in terms] == [t.term for t in terms]


def test_hashes_are_named_by_their_numbers():
    model = fitted(n_features=4096, min_df=2)._model
    (term,) = top_terms(model, 1)[0]
    assert term.term == f"hash {model.features.kept[term.column]}"
