"""Explanations of texts: contributions add up, spans are where terms are, print is only print."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from small_texts import fitted, make_texts

TEXTS, _ = make_texts(20, 3, seed=5)
OPTIONS = [
    {},
    {"use_idf": False, "norm": None, "sublinear_tf": False},
    {"binary": True, "use_idf": False, "norm": None, "sublinear_tf": False},
    {"n_features": 128},
    {"n_features": 4096, "min_df": 2},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
    {"token_pattern": "[a-z]+", "stop_words": ["the"]},
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", OPTIONS)
def test_contributions_add_up(n_classes, options):
    clf = fitted(n_classes, **options)
    decisions = clf.decision_function(TEXTS).reshape(len(TEXTS), -1)
    probabilities = clf.predict_proba(TEXTS)
    for text, decision, probability in zip(TEXTS, decisions, probabilities, strict=True):
        found = clf.explain(text)
        expected = [-decision[0], decision[0]] if n_classes == 2 else decision
        np.testing.assert_allclose(found.decisions, expected)
        total = found.intercepts + found.contributions.sum(axis=0)
        np.testing.assert_allclose(total, found.decisions, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(found.probabilities, probability)
        assert "" not in found.terms
        assert all(spans for spans in found.spans)


def test_what_is_said():
    clf = fitted()
    found = clf.explain("A GOOD film, a good plot; not dull!")
    assert found.class_ == "good"  # the second class, as of decision values
    best = found.largest(1)[0]
    assert best.term == "good"
    assert best.contribution > 0
    assert best.spans == ((2, 6), (15, 19))
    assert [found.text[a:b] for a, b in best.spans] == ["GOOD", "good"]
    assert next(iter(found)) == best
    assert len(found) == len(found.terms) == len(list(found))
    assert {term.term for term in found.most_for("bad")} >= {"dull"}
    other = found.speaking_for("bad")
    assert other.largest(1)[0].contribution == -best.contribution
    assert clf.explain("A film", class_="bad").class_ == "bad"


def test_several_classes_speak_for_the_predicted_one():
    clf = fitted(3)
    text = "what an odd, strange and dull film"
    found = clf.explain(text)
    assert found.class_ == clf.predict([text])[0] == "odd"
    assert {term.term for term in found.most_for("odd")} >= {"odd", "strange"}
    assert found.most_for("bad")[0].term == "dull"
    assert "terms that speak most for it" in repr(found)


def test_in_print():
    found = fitted().explain("a good film of the good actor")
    lines = repr(found).splitlines()
    assert lines[0].startswith("good has probability 0.")
    assert lines[1].split() == ["term", "times", "contribution"]
    assert any(line.startswith("good ") and line.split()[1] == "2" for line in lines)
    assert lines[-1].split()[:2] == ["decision", "value"]
    assert str(found) == repr(found)


def test_long_texts_are_cut():
    found = fitted().explain(" ".join(TEXTS))
    assert "more terms" in repr(found)
    assert len(repr(found).splitlines()) < 30


def test_rounding_has_no_order():
    found = fitted().explain("a good film of the good actor")
    tiny = replace(found, contributions=-1e-9 * np.abs(found.contributions))
    kept = tiny.contributions.copy()
    kept[0] = 1.0
    assert f"{len(tiny)} more terms" in repr(tiny)
    assert f"{len(tiny) - 1} more terms" in repr(replace(tiny, contributions=kept))
    assert "-0.0000" not in repr(tiny)
    assert tiny.most_for("good") == []


def test_nothing_known():
    found = fitted().explain("")
    assert len(found) == 0
    assert found.decisions[1] == found.intercepts[1]
    assert "decision value" in repr(found)
    assert "<div" in found.html()


def test_a_terminal_is_not_steered():
    text = "\x1b[2Jgood\x07 film"
    clf = fitted(analyzer="char_wb", ngram_range=(1, 3)).fit([text, "bad one"] * 5, [0, 1] * 5)
    for shown in (repr(clf.explain(text)), repr(clf.top_features())):
        assert "\x1b" not in shown
        assert "\\x1b" in shown
        assert all(c.isprintable() or c == "\n" for c in shown)


@pytest.mark.parametrize("wrong", [None, b"a film", 7, [b"a film"]])
def test_only_texts(wrong):
    with pytest.raises((TypeError, ValueError)):
        fitted().explain(wrong)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"n_features": 2**10}])
def test_many_texts(n_classes, options):
    clf = fitted(n_classes, **options)
    why = clf.explain(TEXTS)
    decisions = clf.decision_function(TEXTS)
    decisions = decisions if n_classes == 2 else decisions.max(axis=1)
    np.testing.assert_array_equal(why.decisions, decisions)
    total = np.asarray(why.contributions.sum(axis=1)).ravel() + why.intercepts
    np.testing.assert_allclose(total, decisions, atol=1e-12)
    assert why.contributions.shape == (len(TEXTS), len(why.terms))
    assert [repr(one) for one in why[:2]] == [
        repr(clf.explain(text, class_))
        for text, class_ in zip(TEXTS[:2], why.classes, strict=False)
    ]
    assert repr(why[-1]) == repr(clf.explain(TEXTS[-1], why.classes[-1]))
    assert "largest contributions" in repr(why)
    with pytest.raises(IndexError, match="of"):
        why[len(TEXTS)]


def test_an_unknown_class():
    with pytest.raises(ValueError, match=r"must be one of .'bad', 'good'., got 'ugly'"):
        fitted().explain("a film", class_="ugly")
    with pytest.raises(ValueError, match="class_ must be one of"):
        fitted().explain("a film").largest(class_="ugly")
