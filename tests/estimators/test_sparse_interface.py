"""Sparse arrays where scikit-learn is set to them, and matrices otherwise: the same in all else."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer

import tauboost as tb

TEXTS = ["the cat sat", "the dog, the dog", "a cat the", "cat cat cat dog"]

needs_the_setting = pytest.mark.skipif(
    "sparse_interface" not in sklearn.get_config(), reason="scikit-learn is older than 1.9"
)


def fitted(n_classes: int) -> tuple[tb.TauBoostClassifier, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = np.arange(120) % n_classes
    return tb.TauBoostClassifier(alpha=0.01, l1_ratio=1.0, random_state=0).fit(X, y), X


def test_matrices_unless_set_otherwise():
    assert isinstance(tb.TextVectorizer().fit_transform(TEXTS), sp.csr_matrix)
    assert isinstance(fitted(2)[0].sparsify().coef_, sp.csr_matrix)


@needs_the_setting
@pytest.mark.parametrize("interface", ["sparray", "spmatrix"])
def test_texts_come_as_they_do_from_scikit_learn(interface):
    with sklearn.config_context(sparse_interface=interface):
        for ours, theirs in (
            (tb.TextVectorizer(use_idf=True), TfidfVectorizer()),
            (tb.TextVectorizer(n_features=100), TfidfVectorizer()),
        ):
            expected = theirs.fit_transform(TEXTS)
            assert type(ours.fit_transform(TEXTS)) is type(expected)
            assert type(ours.transform(TEXTS)) is type(expected)
            clf = tb.TauBoostClassifier().fit(ours.transform(TEXTS * 10), [0, 1, 0, 1] * 10)
            assert clf.score(ours.transform(TEXTS), [0, 1, 0, 1]) >= 0.5


@needs_the_setting
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore::tauboost.FitWarning")
def test_sparse_coefficients_do_all_that_dense_ones_do(n_classes, tmp_path):
    dense, X = fitted(n_classes)
    clf, _ = fitted(n_classes)
    y = np.arange(len(X)) % n_classes
    with sklearn.config_context(sparse_interface="sparray"):
        clf.sparsify()
        assert isinstance(clf.coef_, sp.csr_array)
        np.testing.assert_allclose(clf.predict_proba(X), dense.predict_proba(X))
        np.testing.assert_allclose(clf.predict_proba(sp.csr_array(X)), dense.predict_proba(X))
        assert (clf.explain(X).contributions != dense.explain(X).contributions).nnz == 0
        assert str(clf.top_features(3)) == str(dense.top_features(3))
        assert str(clf.hardest_examples(X, y, k=3)) == str(dense.hardest_examples(X, y, k=3))
        tb.save_model(clf, tmp_path / "m")
        loaded = tb.load_model(tmp_path / "m")
        np.testing.assert_allclose(loaded.predict_proba(X), dense.predict_proba(X))
        np.testing.assert_array_equal(clf.densify().coef_, dense.coef_)
