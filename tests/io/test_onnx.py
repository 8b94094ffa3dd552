"""to_onnx: onnxruntime computes what predict and predict_proba return."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from linear_classifier import LABELS, fitted, of_coefficients, samples
from tauboost.estimators import to_onnx

ort = pytest.importorskip("onnxruntime")


def run(model, X):
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert [output.name for output in session.get_outputs()] == ["label", "probabilities"]
    dtype = {"tensor(float)": np.float32, "tensor(double)": np.float64}[
        session.get_inputs()[0].type
    ]
    return session.run(None, {"X": X.astype(dtype)})


@pytest.mark.parametrize("dtype", ["float32", np.float64])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(("sparse", "loss"), [(False, "exponential"), (True, "logistic")])
def test_onnx_predicts_the_same(dtype, labels, n_classes, sparse, loss):
    clf = fitted(n_classes, labels, sparse=sparse, loss=loss)
    X = samples().astype(np.float32)
    label, probabilities = run(to_onnx(clf, dtype=dtype), X)
    tolerance = 1e-6 if np.dtype(dtype) == np.float32 else 1e-14
    np.testing.assert_array_equal(label, clf.predict(X))
    np.testing.assert_allclose(probabilities, clf.predict_proba(X), rtol=0, atol=tolerance)
    assert probabilities.dtype == dtype


def test_onnx_of_booleans():
    clf = fitted(2, np.array([False, True]))
    np.testing.assert_array_equal(run(to_onnx(clf), samples())[0], clf.predict(samples()))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", [0.0, 1e4])
def test_onnx_probabilities_never_become_nan(n_classes, scale):
    """Far from every class each probability underflows; their ratio must not."""
    clf = fitted(n_classes)
    clf.coef_, clf.intercept_ = clf.coef_ * 0, np.full(clf.intercept_.shape, -scale)
    label, probabilities = run(to_onnx(clf), samples())
    assert np.all(np.isfinite(probabilities))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(label, np.full(40, clf.classes_[0]))


@pytest.mark.parametrize("rows", [0, 1])
def test_onnx_takes_any_number_of_rows(rows):
    label, probabilities = run(to_onnx(fitted(3)), samples(count=rows))
    assert label.shape == (rows,)
    assert probabilities.shape == (rows, 3)


def test_onnx_leaves_out_unused_columns():
    n = 1_000_000
    coef = sp.csr_array((np.ones(3), [5, 70_000, n - 1], [0, 3]), shape=(1, n))
    clf = of_coefficients(coef, [0.5], [0, 1])
    model = to_onnx(clf)
    assert model.ByteSize() < 2_000
    X = np.zeros((2, n), dtype=np.float32)
    X[1, -1] = -3
    np.testing.assert_array_equal(run(model, X)[0], clf.predict(X))


def test_onnx_file(path):
    model = to_onnx(fitted(3), path)
    assert path.read_bytes() == model.SerializeToString()
    assert ort.InferenceSession(path).get_inputs()[0].shape == ["N", 6]


def test_what_onnx_cannot_hold(path, monkeypatch):
    with pytest.raises(ValueError, match="dtype must be float32 or float64, got 'int8'"):
        to_onnx(fitted(), dtype="int8")
    clf = fitted()
    clf.coef_ = clf.coef_ * 1e300
    with pytest.raises(ValueError, match="coef has values too large for float32"):
        to_onnx(clf)
    monkeypatch.setattr("tauboost.io.onnx.MAX_BYTES", 100)
    with pytest.raises(ValueError, match="an ONNX file holds at most 100: fit with an l1 penalty"):
        to_onnx(fitted(4, n_features=50), path)
    assert not path.exists()


def test_onnx_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(
        ImportError, match=r"ONNX export needs onnx: pip install 'tauboost\[onnx\]'"
    ):
        to_onnx(fitted())
