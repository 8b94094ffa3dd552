"""Rows of texts as arrays, against SciPy, scikit-learn and the compiled code."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

from odd_texts import fuzzed
from sparse_data import random_csr
from tauboost.texts.counting import (
    document_frequencies,
    idf_of,
    joined,
    kind_of,
    renumbered,
    weighed,
)
from tauboost.texts.features import TextFeatures, learn, learn_counts
from tauboost.texts.options import TextOptions

WEIGHTS = [
    {},
    {"norm": "l1"},
    {"norm": "l2", "sublinear_tf": True},
    {"use_idf": True, "norm": "l2"},
    {"use_idf": True, "smooth_idf": False, "sublinear_tf": True},
]


@pytest.fixture(scope="module")
def counts():
    return random_csr((40, 30), 0.2, np.random.default_rng(0)).astype(bool) * 3


def arrays_of(matrix):
    return matrix.indptr.astype(np.int64), matrix.indices, matrix.data


def matrix_of(arrays, width):
    return sp.csr_array((arrays[2], arrays[1], arrays[0]), shape=(len(arrays[0]) - 1, width))


def test_blocks_one_below_the_other(counts):
    blocks = [arrays_of(counts[a:b]) for a, b in ((0, 10), (10, 10), (10, 11), (11, 40))]
    found = matrix_of(joined(blocks), 30)
    np.testing.assert_array_equal(found.toarray(), counts.toarray())
    assert joined(blocks[:1])[1] is blocks[0][1]
    ones = joined([(*block[:2], None) for block in blocks])
    assert ones[2] is None
    np.testing.assert_array_equal(ones[1], counts.indices)


@pytest.mark.parametrize("kept", [[0, 3, 4, 29], [5], []], ids=len)
def test_some_features(counts, kept):
    kept = np.array(kept, dtype=np.int32)
    for n_features in (30, 2**30):  # by a table of all features, and without one
        found = renumbered(arrays_of(counts), kept, n_features)
        assert found[1].dtype == np.int32
        found = matrix_of(found, len(kept)) if len(kept) else np.empty((40, 0))
        np.testing.assert_array_equal(
            found if len(kept) == 0 else found.toarray(), counts.toarray()[:, kept]
        )
    assert renumbered((*arrays_of(counts)[:2], None), kept, 30)[2] is None


@pytest.mark.parametrize("options", WEIGHTS)
def test_weights_equal_scikit_learns(counts, options):
    transformer = TfidfTransformer(**{"use_idf": False, "norm": None, **options}).fit(counts)
    idf = None
    if options.get("use_idf"):
        with_term = document_frequencies(arrays_of(counts), 30)
        idf = idf_of(with_term, counts.shape[0], options.get("smooth_idf", True))
        np.testing.assert_allclose(idf, transformer.idf_, rtol=1e-14)
    found = matrix_of(weighed(arrays_of(counts), TextOptions(**options), idf, "values"), 30)
    expected = transformer.transform(counts)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-13)


@pytest.mark.parametrize("options", WEIGHTS)
def test_weights_equal_those_of_the_compiled_code(options):
    """What is hashed and pruned is weighed here, and all else there: to the last bit or so."""
    texts = fuzzed(200, 5)
    features, counts = learn_counts(texts, TextOptions(**options), "counts")
    compiled = features.counts(texts, "values")
    here = weighed(counts, features.options, features.idf, "values")
    np.testing.assert_array_equal(here[1], compiled[1])
    np.testing.assert_allclose(here[2], compiled[2], rtol=1e-15)


def test_a_term_in_no_text_has_no_finite_weight_unless_smoothed():
    with_term = np.array([0, 4])
    assert idf_of(with_term, 4, True).tolist() == [np.log(5.0) + 1.0, 1.0]
    assert idf_of(with_term, 4, False).tolist() == [np.inf, 1.0]


def test_ones_need_no_values():
    assert kind_of(TextOptions(binary=True)) == "ones"
    assert kind_of(TextOptions()) == "values"
    assert kind_of(TextOptions(binary=True, use_idf=True)) == "ones"
    assert kind_of(TextOptions(binary=True, norm="l2")) == "values"
    rows = TextFeatures(TextOptions(binary=True, n_features=8), None).rows(["a bc bc", ""])
    assert rows.data is None
    assert rows.shape == (2, 8)


def test_ones_are_as_heavy_as_their_columns():
    texts = ["a bc bc", "bc de", "", "de"]
    features, rows = learn(texts, TextOptions(binary=True, use_idf=True).checked())
    assert rows.data is None
    wanted = TfidfVectorizer(binary=True, norm=None).fit_transform(texts)
    np.testing.assert_allclose(rows.to_scipy().toarray(), wanted.toarray())
    again = features.rows(texts[::-1]).to_scipy().toarray()
    np.testing.assert_array_equal(again, rows.to_scipy().toarray()[::-1])
