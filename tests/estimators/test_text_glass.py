"""What a fitted text classifier shows of itself, and smaller copies of it."""

from __future__ import annotations

import numpy as np
import pytest

from small_texts import WORDS, fitted, make_texts

TEXTS, Y = make_texts(200, seed=3)


def test_top_features_of_two_classes():
    clf = fitted()
    top = clf.top_features(4)
    assert top.classes.tolist() == ["bad"] * 4 + ["good"] * 4
    assert set(top.names[:4]) <= set(WORDS["bad"])
    assert set(top.names[4:]) <= set(WORDS["good"])
    assert (top.weights > 0).all()
    assert (np.diff(top.weights[:4]) <= 0).all()
    np.testing.assert_array_equal(np.abs(clf.coef_[0, top.indices]), top.weights)
    assert "for class" in repr(top)
    assert clf.top_features(4, "good").names.tolist() == top.names[4:].tolist()


def test_top_features_of_several_classes():
    top = fitted(3).top_features(2)
    assert top.classes.tolist() == ["bad", "bad", "good", "good", "odd", "odd"]
    for name, label in zip(top.names, top.classes, strict=True):
        assert set(name.lower().split()) & {word.lower() for word in WORDS[label]}


def test_no_more_than_speak_for_a_class():
    clf = fitted()
    n_for = np.count_nonzero(clf.coef_ > 0)
    assert len(clf.top_features(10**6, "good")) == n_for


def test_hashes_have_no_names():
    top = fitted(n_features=64).top_features(1)
    assert top.names.tolist() == [f"hash {i}" for i in top.indices]


@pytest.mark.parametrize(("k", "class_"), [(0, None), (2.5, None), (2, "ugly")])
def test_bad_questions(k, class_):
    with pytest.raises((TypeError, ValueError), match=r"k must|class_ must"):
        fitted().top_features(k, class_)


def test_a_smaller_copy():
    clf = fitted(n=400)
    before = clf.decision_function(TEXTS)
    small = clf.shrink(5_000, TEXTS, Y)
    lost = small.shrinkage_
    assert lost.n_bytes <= 5_000
    assert lost.n_texts == 200
    assert lost.changed == np.mean(small.predict(TEXTS) != clf.predict(TEXTS))
    assert (lost.score, lost.score_before) == (small.score(TEXTS, Y), clf.score(TEXTS, Y))
    np.testing.assert_array_equal(clf.decision_function(TEXTS), before)
    assert not hasattr(clf, "shrinkage_")
    assert not hasattr(small.fit(TEXTS, Y), "shrinkage_")


def test_a_smaller_copy_without_texts_or_labels():
    clf = fitted()
    assert clf.shrink(4_000).shrinkage_.changed is None
    assert clf.shrink(4_000, iter(TEXTS)).shrinkage_.score is None
    with pytest.raises(ValueError, match="y has 3 labels"):
        clf.shrink(4_000, TEXTS, Y[:3])
