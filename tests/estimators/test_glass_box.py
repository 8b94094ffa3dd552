"""A glass box as a whole: explanations add up, edits stay consistent, all for any estimator."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import tauboost as tb
from extras import needs
from table_models import GlassBox, glass_box, make_table
from tauboost.estimators.persistence import ESTIMATORS
from tauboost.models import write_model
from tauboost.search.saved_params import PARAMETERS
from tauboost.tables.model import TableModel

TABLE = make_table()


def added_up(explanation):
    total = explanation.intercepts.copy()
    for column in explanation.contributions.T:
        total += column
    return total


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_explanations_add_up_exactly(loss):
    clf = glass_box(loss=loss)
    explanation = clf.explain(TABLE)
    np.testing.assert_array_equal(explanation.decisions, clf.decision_function(TABLE))
    np.testing.assert_array_equal(added_up(explanation), explanation.decisions)
    np.testing.assert_array_equal(explanation.probabilities, clf.predict_proba(TABLE)[:, 1])
    assert set(explanation.classes) == {"yes"}


def test_for_the_first_class_signs_turn():
    clf = glass_box()
    for_no, for_yes = clf.explain(TABLE, "no"), clf.explain(TABLE, "yes")
    np.testing.assert_array_equal(for_no.contributions, -for_yes.contributions)
    np.testing.assert_array_equal(added_up(for_no), -clf.decision_function(TABLE))
    np.testing.assert_array_equal(for_no.probabilities, clf.predict_proba(TABLE)[:, 0])


def test_several_classes_are_explained_by_the_predicted_one():
    clf = glass_box(3)
    explanation = clf.explain(TABLE)
    decisions = clf.decision_function(TABLE)
    np.testing.assert_array_equal(added_up(explanation), decisions.max(axis=1))
    np.testing.assert_array_equal(explanation.classes, clf.classes_[decisions.argmax(axis=1)])
    chosen = clf.explain(TABLE, "maybe")
    np.testing.assert_array_equal(added_up(chosen), decisions[:, 1])
    np.testing.assert_array_equal(chosen.probabilities, clf.predict_proba(TABLE)[:, 1])


def test_unknown_classes():
    with pytest.raises(ValueError, match=r"class_ must be one of \['no', 'yes'\], got 'ja'"):
        glass_box().explain(TABLE, "ja")
    with pytest.raises(ValueError, match="positive must be one of"):
        glass_box().to_scorecard(positive=1)


def test_not_fitted():
    for call in (lambda c: c.explain(TABLE), lambda c: c.to_scorecard(), lambda c: c.terms_):
        with pytest.raises(NotFittedError):
            call(GlassBox())


def test_importances():
    clf = glass_box()
    np.testing.assert_array_equal(clf.importances_, clf.terms_.importances)


@pytest.mark.parametrize(
    "edit",
    [
        {"name": "age", "flatten": (20, 35)},
        {"name": "city", "flatten": ["Oslo", "other"]},
        {"name": "hours", "monotone": -1},
        {"name": "age x city", "remove": True},
        {"name": "city x age", "scores": np.ones((4, 4))},
        {"name": "hours", "scores": [1.0, 2.0, 3.0, 4.0]},
    ],
)
def test_an_edited_model_is_consistent(edit):
    clf = glass_box()
    before = clf.decision_function(TABLE)
    other = clf.edit_term(**edit)
    np.testing.assert_array_equal(clf.decision_function(TABLE), before)
    explanation = other.explain(TABLE)
    np.testing.assert_array_equal(added_up(explanation), other.decision_function(TABLE))
    for term in other.terms_:
        assert (term.weights * term.scores).sum() == pytest.approx(0, abs=1e-14)
    assert explanation.terms == other.terms_.names
    assert "Edited" in other.model_.message


def test_edits_of_no_term():
    with pytest.raises(KeyError, match="no term 'pay'"):
        glass_box().edit_term("pay", remove=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("has_names", [True, False])
def test_files(n_classes, has_names, tmp_path, monkeypatch):
    monkeypatch.setitem(ESTIMATORS, "GlassBox", GlassBox)
    monkeypatch.setattr(TableModel, "kinds", ("GlassBox",))
    monkeypatch.setitem(PARAMETERS, "GlassBox", set())
    clf = glass_box(n_classes).edit_term("age", flatten=(0, 30))
    if has_names:
        clf.feature_names_in_ = np.array(["age", "city", "hours"], dtype=object)
    tb.save_model(clf, tmp_path / "model")
    again = tb.load_model(tmp_path / "model")
    assert type(again) is GlassBox
    np.testing.assert_array_equal(again.predict_proba(TABLE), clf.predict_proba(TABLE))
    assert repr(again.terms_) == repr(clf.terms_)
    assert again.n_features_in_ == 3
    assert hasattr(again, "feature_names_in_") == has_names


@needs("onnx")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_onnx_has_an_input_for_each_column(n_classes, monkeypatch):
    monkeypatch.setitem(ESTIMATORS, "GlassBox", GlassBox)
    clf = glass_box(n_classes).edit_term("age", flatten=(0, 30))
    assert len(tb.to_onnx(clf).graph.input) == 3


def test_a_file_of_another_kind_than_it_says(tmp_path):
    write_model(glass_box().model_.to_arrays({}, kind="TauBoostClassifier"), tmp_path / "model")
    with pytest.raises(ValueError, match="it holds a TauBoostClassifier, which this version"):
        tb.load_model(tmp_path / "model")
    write_model(glass_box().model_.to_arrays({"depth": 3}, kind="GlassBox"), tmp_path / "model")
    with pytest.raises(ValueError, match="it holds a GlassBox"):
        tb.load_model(tmp_path / "model")
