"""TextClassifier: scikit-learn's conventions on texts, and what it promises beyond them."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import (
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)

import tauboost as tb
from extras import arrow_case
from small_texts import fitted, make_texts
from tauboost.parameters import LinearParameters
from tauboost.sparse.fitting import fit
from tauboost.validation import as_csr

TEXTS, Y = make_texts()


def quick(**options):
    return tb.TextClassifier(alpha=1e-3, max_iter=5, n_jobs=1, random_state=0, **options)


@pytest.mark.parametrize(
    "check",
    [
        check_parameters_default_constructible,
        check_no_attributes_set_in_init,
        check_set_params,
    ],
)
def test_scikit_learn_checks_that_need_no_numbers(check):
    check("TextClassifier", tb.TextClassifier())


def test_tags():
    tags = tb.TextClassifier().__sklearn_tags__()
    assert is_classifier(tb.TextClassifier())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array


def test_it_tunes_itself_and_learns():
    clf = tb.TextClassifier(random_state=0).fit(*make_texts(400))
    texts, y = make_texts(200, seed=1)
    assert clf.score(texts, y) > 0.85
    assert clf.alpha_ > 0
    assert len(clf.selection_) > 8
    assert 0 < clf.held_out_loss_ < 1


@pytest.mark.parametrize(
    "weights",
    [
        {"binary": True, "norm": None},
        {"binary": True, "norm": None, "use_idf": False},
        {"binary": False, "norm": "l2", "sublinear_tf": True},
        {"binary": False, "norm": None},
    ],
)
def test_it_is_the_classifier_behind_scikit_learns_vectorizer(weights):
    """Same features, same fit: nothing is lost on the way."""
    rows = TfidfVectorizer(ngram_range=(1, 2), **weights).fit(TEXTS)
    parameters = LinearParameters(alpha=1e-3, max_iter=5, random_state=0)
    arrays = as_csr(rows.transform(TEXTS))
    linear = fit(arrays, np.asarray(Y), parameters, n_threads=1, units=None)
    clf = quick(**weights).fit(TEXTS, Y)
    assert clf.features_.terms.names.tolist() == rows.get_feature_names_out().tolist()
    np.testing.assert_allclose(clf.coef_, linear.coef, rtol=1e-7, atol=1e-9)
    probabilities = linear.probabilities(linear.decisions(arrays, 1))
    np.testing.assert_allclose(clf.predict_proba(TEXTS), probabilities, rtol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_answers_agree(n_classes):
    clf = fitted(n_classes)
    decisions, probabilities = clf.decision_function(TEXTS), clf.predict_proba(TEXTS)
    assert decisions.shape == ((120,) if n_classes == 2 else (120, 3))
    assert probabilities.shape == (120, n_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(clf.predict_log_proba(TEXTS), np.log(probabilities))
    best = decisions.argmax(axis=1) if n_classes == 3 else (decisions > 0).astype(int)
    np.testing.assert_array_equal(clf.predict(TEXTS), clf.classes_[best])


@pytest.mark.parametrize(
    "labels", [np.array([0, 1]), np.array([False, True]), np.array(["no", "yes"], dtype=object)]
)
def test_labels_of_every_kind(labels):
    y = labels[(Y == "good").astype(int)]
    clf = quick().fit(TEXTS, y.tolist())
    assert set(clf.predict(TEXTS).tolist()) <= set(labels.tolist())


@pytest.mark.parametrize(
    "make",
    [
        tuple,
        np.array,
        lambda texts: np.array(texts, dtype=object),
        pd.Series,
        lambda texts: pd.Series(texts, dtype="string"),
        pl.Series,
        arrow_case(lambda pa: pa.array),
        arrow_case(lambda pa: lambda texts: pa.chunked_array([texts[:50], texts[50:]])),
        iter,
    ],
)
def test_texts_of_every_kind(make):
    clf = quick().fit(make(TEXTS), Y)
    np.testing.assert_array_equal(
        clf.decision_function(make(TEXTS)), fitted().decision_function(TEXTS)
    )


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ("a single text", "texts must be a list of strings, got one string"),
        (b"bytes", "got one bytes object"),
        ([*TEXTS[1:], b"bytes"], "row 119 is b'bytes': decode it"),
        ([None, *TEXTS[1:]], "row 0 is None: it is missing"),
        ([TEXTS[0], float("nan"), *TEXTS[2:]], "row 1 is nan: it is missing"),
        (pd.Series([*TEXTS[1:], 3.5], dtype=object), "row 119 is 3.5: make it one by str"),
        (pd.DataFrame({"text": TEXTS}), "one column of strings"),
        ([[text] for text in TEXTS], "row 0 is"),
        (np.zeros((120, 2)), "one column of strings"),
        ({"text": TEXTS}, "texts must be a list of strings"),
        (7, "texts must be a list of strings"),
    ],
)
def test_what_is_no_text(texts, reason):
    clf = quick()
    with pytest.raises((TypeError, ValueError), match=reason) as caught:
        clf.fit(texts, Y)
    assert "\n" not in str(caught.value)
    assert vars(clf) == vars(quick())
    with pytest.raises((TypeError, ValueError), match=reason):
        fitted().predict(texts)


@pytest.mark.parametrize(
    ("texts", "y", "reason"),
    [
        (TEXTS, None, "requires y to be passed"),
        (TEXTS, Y[:-1], "y has 119 labels, but X has 120 samples"),
        (TEXTS, ["good"] * 120, "one class only"),
        (TEXTS, [*Y[:-1].tolist(), None], "y contains None"),
        (TEXTS, np.linspace(0, 1, 120), "Unknown label type"),
        ([""] * 120, Y, "no words"),
        ([], [], "0|no texts"),
    ],
)
def test_what_cannot_be_fitted(texts, y, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        quick().fit(texts, y)
    assert "\n" not in str(caught.value)


def test_a_failed_fit_changes_nothing():
    clf = fitted()
    before = clf.decision_function(TEXTS)
    with pytest.raises(ValueError, match="no words"):
        clf.fit([""] * 4, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="alpha"):
        clf.set_params(alpha=-1).fit(TEXTS, Y)
    np.testing.assert_array_equal(clf.decision_function(TEXTS), before)


def test_empty_texts_are_texts():
    clf = quick().fit(["", *TEXTS[1:]], Y)
    assert clf.decision_function(["", " "]).tolist() == [clf.intercept_[0]] * 2


def test_two_texts_are_enough():
    clf = tb.TextClassifier(random_state=0).fit(["good film", "bad film"], ["pos", "neg"])
    assert clf.predict(["good", "bad"]).tolist() == ["pos", "neg"]


def test_not_fitted():
    for method in ("predict", "explain", "top_features", "shrink"):
        with pytest.raises(NotFittedError, match="TextClassifier"):
            getattr(tb.TextClassifier(), method)(5 if method in ("shrink", "top_features") else "a")


def test_copies():
    clf = fitted(3)
    expected = clf.decision_function(TEXTS)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(clf)).decision_function(TEXTS), expected
    )
    again = clone(clf).fit(*make_texts(120, 3))
    np.testing.assert_array_equal(again.decision_function(TEXTS), expected)


def test_in_scikit_learns_hands():
    assert cross_val_score(quick(), np.array(TEXTS), Y, cv=3).mean() > 0.7
    search = GridSearchCV(quick(), {"ngram_range": [(1, 1), (1, 2)]}, cv=2).fit(TEXTS, Y)
    assert search.best_params_["ngram_range"] in ((1, 1), (1, 2))


@pytest.mark.parametrize(
    "options",
    [
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        {"analyzer": "char", "ngram_range": (1, 2)},
        {"analyzer": lambda text: re.findall("[a-z]+", text)},
        {"token_pattern": r"\w+"},
        {"token_pattern": "[a-z]+"},
        {"stop_words": "english"},
        {"n_features": 256},
        {"n_features": 256, "min_df": 2, "sublinear_tf": False},
        {"binary": True, "use_idf": False, "sublinear_tf": False, "norm": None},
        {"max_features": 60, "lowercase": False},
        {"loss": "exponential", "l1_ratio": 0.5},
        {"class_weight": "balanced", "calibration": "sigmoid", "alpha": "auto"},
        {"early_stopping": True, "validation_fraction": 0.3},
    ],
)
def test_options(options):
    clf = fitted(**options)
    assert clf.score(TEXTS, Y) > 0.7
    assert np.isfinite(clf.coef_).all()


def test_weights():
    weights = (Y == "good") * 9.0 + 1.0
    heavy = quick().fit(TEXTS, Y, sample_weight=weights)
    assert heavy.predict_proba(TEXTS)[:, 1].mean() > fitted().predict_proba(TEXTS)[:, 1].mean()
    with pytest.raises(ValueError, match="sample_weight"):
        quick().fit(TEXTS, Y, sample_weight=-weights)


def test_progress_is_shown(capsys):
    fitted(verbose=1)
    assert "tauboost fitting: sweep" in capsys.readouterr().err


def test_margins_and_hard_texts():
    clf = fitted()
    wrong = clf.predict(TEXTS) != Y
    np.testing.assert_array_equal(clf.margins(TEXTS, Y) < 0, wrong)
    labels = np.where(np.arange(120) == 17, np.where(Y == "good", "bad", "good"), Y)
    assert 17 in clf.hardest_examples(TEXTS, labels, 3).indices


@pytest.mark.parametrize(
    "kind", [tb.TauBoostClassifier, tb.TableClassifier, tb.TauBoostClassifierCV]
)
@pytest.mark.parametrize(
    "make", [list, np.array, pd.Series, pl.Series, arrow_case(lambda pa: pa.array)]
)
def test_texts_given_to_other_classifiers(kind, make):
    with pytest.raises((TypeError, ValueError), match="TextClassifier") as caught:
        kind().fit(make(TEXTS), Y)
    assert "\n" not in str(caught.value)
