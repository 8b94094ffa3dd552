"""A text model as plain data: decisions, labels, probabilities, to data and back."""

from __future__ import annotations

import numpy as np
import pytest

from small_texts import fitted, make_texts
from tauboost.estimators import save_model
from tauboost.texts.model import TextModel

TEXTS, _ = make_texts(30, 3, seed=1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_are_those_of_the_rows(n_classes):
    model = fitted(n_classes).model_
    rows = model.features.rows(TEXTS).to_scipy()
    expected = rows @ model.model.coef.T + model.intercept
    np.testing.assert_allclose(model.decisions(TEXTS), expected, rtol=1e-12, atol=1e-12)
    assert model.n_tasks == (1 if n_classes == 2 else 3)
    assert set(model.labels(expected)) <= set(model.classes)
    np.testing.assert_allclose(model.probabilities(expected).sum(axis=1), 1.0)


def test_a_stream_is_read_in_parts():
    model = fitted().model_
    np.testing.assert_array_equal(model.decisions(iter(TEXTS * 400)), model.decisions(TEXTS * 400))
    assert model.decisions(iter([])).shape == (0, 1)


def test_texts_without_a_known_word():
    model = fitted().model_
    np.testing.assert_array_equal(model.decisions(["", "?", "xyzzy"]), [model.intercept] * 3)


@pytest.mark.parametrize("options", [{}, {"n_features": 64}, {"stop_words": {"the"}}])
def test_to_data_and_back(options):
    clf = fitted(**options)
    data = clf.model_.to_arrays(clf.get_params())
    again = TextModel.from_arrays(data)
    np.testing.assert_array_equal(again.decisions(TEXTS), clf.model_.decisions(TEXTS))
    assert again.features.options == clf.features_.options
    assert again.model.message == clf.message_


def test_a_function_is_in_no_file(tmp_path):
    clf = fitted(analyzer=str.split)
    with pytest.raises((TypeError, ValueError), match="for analyzer"):
        save_model(clf, tmp_path / "model")
