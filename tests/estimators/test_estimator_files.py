"""Estimators to files and back: model files, pickle, ONNX."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import tauboost as tb
from model_files import changed
from tauboost.io.model_file import ModelFileError
from tauboost.models import write_model


def data(n_classes=2, labels=None):
    rng = np.random.default_rng(0)
    X = sp.random(300, 40, 0.2, format="csr", random_state=1)
    y = (X @ rng.normal(size=(40, n_classes)) + 0.1 * rng.normal(size=(300, n_classes))).argmax(1)
    return X, y if labels is None else np.array(labels)[y]


CASES = {
    "two": data(),
    "three": data(3),
    "words": data(2, ["ham", "spam"]),
    "words of three": data(3, ["a", "b", "ü"]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_model_file_predicts_the_same_bits(name, sparse, tmp_path):
    X, y = CASES[name]
    clf = tb.TauBoostClassifier(random_state=0, calibration="sigmoid").fit(X, y)
    if sparse:
        clf.sparsify()
    tb.save_model(clf, tmp_path / "model")
    again = tb.load_model(tmp_path / "model")
    assert again.get_params() == clf.get_params()
    assert np.array_equal(again.predict(X), clf.predict(X))
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert (again.alpha_, again.n_iter_, again.loss_) == (clf.alpha_, clf.n_iter_, clf.loss_)
    assert sp.issparse(again.coef_) == sparse


def test_pickle_works_too():
    X, y = CASES["three"]
    clf = tb.TauBoostClassifier(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))


def test_only_fitted_classifiers_are_saved(tmp_path):
    with pytest.raises(NotFittedError):
        tb.save_model(tb.TauBoostClassifier(), tmp_path / "model")
    with pytest.raises(TypeError, match="takes a TauBoostClassifier"):
        tb.save_model(object(), tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", CASES)
def test_onnx_gives_the_same_labels_and_probabilities(name):
    runtime = pytest.importorskip("onnxruntime")
    X, y = CASES[name]
    clf = tb.TauBoostClassifier(random_state=0).fit(X, y)
    model = tb.to_onnx(clf, dtype=np.float64)
    session = runtime.InferenceSession(model.SerializeToString())
    label, p = session.run(None, {"X": X.toarray()})
    assert np.array_equal(label, clf.predict(X))
    assert np.allclose(p, clf.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("value", [np.array(0.5), np.zeros(0), np.zeros((1, 1)), np.zeros(2)])
def test_a_held_out_loss_of_another_shape_is_refused(tmp_path, value):
    clf = tb.TauBoostClassifier(alpha=0.1, max_iter=1).fit(np.eye(4), [0, 1, 0, 1])
    data = clf._to_file()
    write_model(changed(data, fitted=data.fitted | {"held_out_loss": value}), tmp_path / "m")
    with pytest.raises(ModelFileError, match=r"held_out_loss must have shape \(1,\)"):
        tb.load_model(tmp_path / "m")


@pytest.mark.parametrize("n_features", [50, 2**23, 2**31 - 2])
def test_a_model_of_very_many_features_predicts_in_little_memory(tmp_path, n_features):
    """A small file may claim more features than there is memory for pointers to them."""
    indices, places = np.array([0, 7, 49]), np.array([0, 3])
    coef = sp.csr_array((np.array([1.0, -2.0, 3.0]), indices, places), shape=(1, n_features))
    clf = tb.TauBoostClassifier(alpha=0.1, max_iter=1).fit(np.eye(4), [0, 1, 0, 1])
    data = changed(clf._to_file(), coef=coef, n_features=n_features)
    write_model(data, tmp_path / "m")
    wide = tb.load_model(tmp_path / "m")
    X = sp.csr_array(([5.0, 1.0, 1.0, 2.0], ([0, 0, 1, 2], [7, 8, 49, 30])), shape=(4, n_features))
    expected = np.array([-10.0, 3.0, 0.0, 0.0]) + clf.intercept_
    np.testing.assert_array_equal(wide.decision_function(X), expected)
    np.testing.assert_allclose(wide.predict_proba(X).sum(axis=1), 1.0)
