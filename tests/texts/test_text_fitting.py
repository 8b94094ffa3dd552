"""Texts to a model, without scikit-learn: weights, time, and what cannot be fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from small_texts import make_texts
from tauboost.parameters import TextParameters
from tauboost.sparse.fitting import fit
from tauboost.texts import training as text_fitting
from tauboost.texts.features import learn
from tauboost.texts.options import linear_part, text_options
from tauboost.texts.training import fit_texts

PARAMETERS = TextParameters(alpha=1e-3, max_iter=5, random_state=0)
TEXTS, Y = make_texts(80)


def fitted(texts=TEXTS, y=Y, parameters=PARAMETERS, **options):
    return fit_texts(texts, y, parameters, n_threads=1, **options)


def test_it_is_a_linear_fit_to_what_is_counted():
    model = fitted()
    features, rows = learn(TEXTS, text_options(PARAMETERS, len(TEXTS)))
    linear = fit(rows, Y, linear_part(PARAMETERS), n_threads=1, units=None)
    np.testing.assert_array_equal(model.model.coef, linear.coef)
    assert model.features.terms.names.tolist() == features.terms.names.tolist()
    assert (model.labels(model.decisions(TEXTS)) == Y).mean() > 0.9


def test_threads_change_nothing():
    one, two = fitted(), fit_texts(TEXTS, Y, PARAMETERS, n_threads=2)
    np.testing.assert_array_equal(one.model.coef, two.model.coef)
    np.testing.assert_array_equal(one.decisions(TEXTS, 1), two.decisions(TEXTS, 2))


def test_a_weight_of_0_leaves_a_text_and_its_words_out():
    weights = np.tile([1.0, 0.0, 2.5], 40)[: len(Y)]
    texts = [f"{text} only{k}" for k, text in enumerate(TEXTS)]
    kept = np.flatnonzero(weights)
    model = fitted(texts, Y, sample_weight=weights)
    same = fitted([texts[k] for k in kept], Y[kept], sample_weight=weights[kept])
    assert model.features.terms.find("only1") == -1
    assert model.features.terms.find("only2") >= 0
    np.testing.assert_array_equal(model.model.coef, same.model.coef)


def test_a_weight_of_2_is_the_text_twice_but_for_what_is_counted():
    parameters = replace(PARAMETERS, use_idf=False, min_df=1)
    weights = np.tile([1, 2], len(Y) // 2)
    twice = [text for text, weight in zip(TEXTS, weights, strict=True) for _ in range(weight)]
    model = fitted(parameters=parameters, sample_weight=weights)
    same = fitted(twice, np.repeat(Y, weights), parameters)
    np.testing.assert_allclose(model.model.coef, same.model.coef, rtol=1e-8)


def test_time_that_counting_took_is_gone(monkeypatch):
    seen = []
    monkeypatch.setattr(
        text_fitting, "fit", lambda _, y, parameters, **__: seen.append(parameters.time_limit)
    )
    monkeypatch.setattr(text_fitting.TextModel, "fitted", lambda *_: None)
    fitted(parameters=replace(PARAMETERS, time_limit=1e-9))
    fitted(parameters=replace(PARAMETERS, time_limit=100.0))
    assert seen[0] == 1e-3
    assert 90 < seen[1] < 100


@pytest.mark.parametrize(
    ("texts", "y", "reason"),
    [
        (TEXTS, Y[:-1], "y has 79 labels, and there are 80 texts"),
        (TEXTS, np.zeros(80, int), "one class only"),
        ([""] * 80, Y, "no words"),
        (["..."] * 80, Y, "no words"),
        ([], np.zeros(0, int), "there are no texts"),
    ],
)
def test_what_cannot_be_fitted(texts, y, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        fitted(texts, y)
    assert "\n" not in str(caught.value)


def test_nothing_is_left():
    with pytest.raises(ValueError, match="no words are left: take a lower min_df"):
        fitted(["one", "two", "three"], np.array([0, 1, 1]), replace(PARAMETERS, min_df=2))
    with pytest.raises(ValueError, match="no words are left"):
        fitted(
            ["one", "two", "three"],
            np.array([0, 1, 1]),
            replace(PARAMETERS, min_df=2, n_features=1000),
        )


def test_weights_that_leave_a_class_out():
    with pytest.raises(ValueError, match="leaves no texts of some classes"):
        fitted(sample_weight=np.where(Y == "good", 1.0, 0.0))


def test_all_is_checked_before_any_work(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(text_fitting, "learn", never)
    for changes in ({"alpha": -1}, {"loss": "hinge"}, {"min_df": -1}, {"max_iter": 0}):
        with pytest.raises(ValueError, match=next(iter(changes))):
            fitted(parameters=replace(PARAMETERS, **changes))
