"""Files, ONNX and edits of a fitted TableClassifier, on mixed columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tauboost as tb


def mixed_table(n_samples: int, seed: int) -> pd.DataFrame:
    """Return numbers and strings, with missing values."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_samples).astype(float),
            "city": rng.choice(["Oslo", "Bergen", "Rome"], n_samples).astype(object),
            "pay": rng.lognormal(size=n_samples),
        }
    )
    for name in table:
        table.loc[rng.random(n_samples) < 0.1, name] = np.nan
    return table


def labels_of(table: pd.DataFrame, n_classes: int) -> np.ndarray:
    score = (table.age.fillna(40) - 48) / 20 + (table.city == "Oslo") + np.log(table.pay.fillna(1))
    return np.array(["a", "b", "c"])[np.digitize(score, [-0.5, 0.5][: n_classes - 1])]


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request):
    table = mixed_table(600, 0)
    clf = tb.TableClassifier(interactions=2, random_state=0)
    return clf.fit(table, labels_of(table, request.param))


@pytest.fixture(scope="module")
def rows():
    table = mixed_table(200, 1)
    table.loc[::9, "city"] = "Lima"  # never seen
    return table


def test_a_loaded_classifier_predicts_the_same_bits(fitted, rows, tmp_path):
    tb.save_model(fitted, tmp_path / "model")
    again = tb.load_model(tmp_path / "model")
    assert isinstance(again, tb.TableClassifier)
    assert again.get_params() == fitted.get_params()
    assert again.feature_names_in_.tolist() == ["age", "city", "pay"]
    np.testing.assert_array_equal(again.predict_proba(rows), fitted.predict_proba(rows))
    assert repr(again.terms_) == repr(fitted.terms_)
    assert repr(again.explain(rows)) == repr(fitted.explain(rows))


def test_onnx_gives_the_same_labels_and_probabilities(fitted, rows, tmp_path):
    ort = pytest.importorskip("onnxruntime")
    tb.to_onnx(fitted, tmp_path / "model.onnx")
    session = ort.InferenceSession(tmp_path / "model.onnx")
    feed = {
        "age": rows[["age"]].to_numpy(),
        "city": rows[["city"]].fillna("").to_numpy(dtype=object),
        "pay": rows[["pay"]].to_numpy(),
    }
    labels, probabilities = session.run(None, feed)
    np.testing.assert_array_equal(labels, fitted.predict(rows))
    np.testing.assert_allclose(probabilities, fitted.predict_proba(rows), atol=1e-14)


def test_explanations_add_up_exactly(fitted, rows):
    explanation = fitted.explain(rows)
    total = explanation.intercepts.copy()
    for column in explanation.contributions.T:
        total += column
    decisions = fitted.decision_function(rows)
    expected = decisions if decisions.ndim == 1 else decisions.max(axis=1)
    np.testing.assert_array_equal(total, expected)


def test_an_edit_survives_a_file(fitted, rows, tmp_path):
    before = fitted.predict_proba(rows)
    edited = fitted.edit_term("pay", remove=True)
    np.testing.assert_array_equal(fitted.predict_proba(rows), before)
    assert "pay" not in edited.terms_
    assert "Edited: pay removed." in edited.message_
    tb.save_model(edited, tmp_path / "model")
    again = tb.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(rows), edited.predict_proba(rows))


def test_categories_of_one_score_and_a_monotone_column(fitted, rows):
    flat = fitted.edit_term("city", flatten=["Oslo", "Rome"]).terms_["city"]
    first, second = (flat.scores[flat.bins.index(name)] for name in ("Oslo", "Rome"))
    np.testing.assert_allclose(first, second)
    if len(fitted.classes_) == 2:
        rising = fitted.edit_term("age", monotone=1).terms_["age"]
        assert np.all(np.diff(rising.scores[: len(rising.edges) + 1]) >= 0)
        points = fitted.to_scorecard().score(rows)
        assert np.corrcoef(points, fitted.decision_function(rows))[0, 1] < -0.98
