"""save_model and load_model: estimators to files and back."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from fuzz.sealed import put_together, take_apart
from linear_classifier import LABELS, fitted, samples
from model_files import changed
from tauboost import TauBoostClassifier
from tauboost.estimators import load_model, save_model, to_onnx
from tauboost.io.model_file import ModelFileError
from tauboost.models import write_model


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_loaded_model_predicts_the_same(n_classes, labels, sparse, path):
    clf = fitted(n_classes, labels, sparse=sparse)
    clf.set_params(alpha=0.25, tol=0.5)
    assert save_model(clf, path) is None
    again = load_model(str(path))
    X = samples()
    assert type(again) is TauBoostClassifier
    assert again.get_params() == clf.get_params()
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    assert again.predict(X).dtype == clf.predict(X).dtype
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))


def test_a_generator_is_stored_as_none_and_a_function_is_refused(path):
    clf = fitted().set_params(random_state=np.random.RandomState(3))
    save_model(clf, path)
    assert load_model(path).random_state is None
    content = path.read_bytes()
    with pytest.raises(TypeError, match="class_weight holds <built-in function print>"):
        save_model(clf.set_params(class_weight=print), path)
    assert path.read_bytes() == content


class Child(TauBoostClassifier):
    pass


@pytest.mark.parametrize("function", [save_model, to_onnx])
def test_what_is_not_a_fitted_classifier(function, path):
    with pytest.raises(NotFittedError, match="TauBoostClassifier"):
        function(TauBoostClassifier(), path)
    for other in (Child(), "model", None, TauBoostClassifier):
        with pytest.raises(
            TypeError, match=f"{function.__name__} takes a TauBoostClassifier.*, got"
        ):
            function(other, path)
    assert not path.exists()


def test_files_that_hold_something_else(path):
    data = fitted()._to_file()
    write_model(changed(data, kind="Unknown"), path)
    with pytest.raises(
        ModelFileError, match="holds a Unknown, which this version of tauboost does"
    ):
        load_model(path)
    write_model(changed(data, fitted={}), path)
    with pytest.raises(ModelFileError, match="model cannot be loaded: it lacks 'loss'"):
        load_model(path)
    with pytest.raises(FileNotFoundError, match="absent"):
        load_model(path.with_name("absent"))


def test_a_name_in_a_file_imports_nothing(path):
    save_model(fitted(), path)
    fields, header, data = take_apart(path.read_bytes())
    for kind in ("this", "os", "system", "object", "BaseEstimator"):
        path.write_bytes(put_together(fields, header | {"kind": kind}, data))
        with pytest.raises(ModelFileError, match="which this version of tauboost does not know"):
            load_model(path)
    assert "this" not in sys.modules
