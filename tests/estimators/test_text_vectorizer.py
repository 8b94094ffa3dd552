"""TextVectorizer: everything equal to scikit-learn's three vectorizers, and its conventions."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import tauboost as tb
from odd_texts import edges, fuzzed, oracle, same_matrix

SMALL = ["the cat sat", "The Dog, the dog", "a cat the", "cat cat cat dog"]
WORDS = [
    {},
    {"ngram_range": (1, 2), "min_df": 2},
    {"ngram_range": (2, 3)},
    {"ngram_range": (1, 4), "min_df": 2, "max_df": 0.5},
    {"ngram_range": (4, 4), "min_df": 3},
    {"lowercase": False, "binary": True},
    {"token_pattern": r"\w+", "ngram_range": (1, 2)},
    {"token_pattern": r"(?u)\b\w+\b", "stop_words": "english", "lowercase": False},
    {"stop_words": ["the", "of", "ab", "Word", "İ", "\ud800", ""], "ngram_range": (1, 3)},
    {"stop_words": ["the"], "min_df": 0.0},
    {"min_df": 0.01, "max_df": 0.2},
    {"max_df": 3},
    {"max_features": 50},
    {"max_features": 7, "ngram_range": (1, 2), "binary": True},
    {"dtype": np.float32},
    {"dtype": np.int32, "max_features": 20},
]
RUNS = [
    {"analyzer": "char_wb", "ngram_range": (1, 1)},
    {"analyzer": "char_wb", "ngram_range": (2, 4), "min_df": 2},
    {"analyzer": "char_wb", "ngram_range": (3, 6), "lowercase": False, "max_features": 100},
    {"analyzer": "char_wb", "ngram_range": (17, 18)},
]
WEIGHTS = [
    {"use_idf": True},
    {"use_idf": True, "smooth_idf": False, "norm": "l1"},
    {"use_idf": True, "sublinear_tf": True, "norm": None, "ngram_range": (1, 2), "min_df": 2},
    {"sublinear_tf": True},
    {"norm": "l2", "binary": True},
    {"use_idf": True, "max_features": 40, "binary": True},
    {"use_idf": True, "dtype": np.float32},
    {"use_idf": True, "analyzer": "char_wb", "ngram_range": (2, 3)},
]
HASHES = [
    {"n_features": 2**18},
    {"n_features": 7, "norm": None, "ngram_range": (1, 3)},
    {"n_features": 1000, "alternate_sign": False, "norm": "l1", "lowercase": False},
    {"n_features": 64, "binary": True, "stop_words": ["the", "ab"], "token_pattern": r"\w+"},
    {"n_features": 2**31 - 2, "analyzer": "char_wb", "ngram_range": (2, 5)},
    {"n_features": 16, "norm": None, "dtype": np.float32},
]


@cache
def odd_texts():
    return edges() + fuzzed(1500, 0)


def texts_for(options, texts):
    """Half a pair of UTF-16 has no hash in scikit-learn."""
    if "n_features" in options and "analyzer" in options:
        return [text.encode(errors="ignore").decode() for text in texts]
    return texts


def compare(options, texts, n_jobs=1):
    texts = texts_for(options, texts)
    ours, theirs = tb.TextVectorizer(n_jobs=n_jobs, **options), oracle(options)
    same_matrix(ours.fit_transform(texts), theirs.fit_transform(texts))
    others = [*texts[1::2], "none of these: zzzyx", ""]
    same_matrix(ours.transform(others), theirs.transform(others))
    same_matrix(ours.transform(iter(others)), theirs.transform(others))
    if "n_features" not in options:
        names = theirs.get_feature_names_out().tolist()
        assert ours.get_feature_names_out().tolist() == names
        assert ours.vocabulary_ == theirs.vocabulary_
    if options.get("use_idf"):
        tolerance = 1e-6 if options.get("dtype") is np.float32 else 1e-12
        np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=tolerance)


@pytest.mark.filterwarnings("ignore:the words that count")  # odd texts have few
@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
@pytest.mark.parametrize("options", WORDS + RUNS + WEIGHTS + HASHES)
def test_equals_scikit_learn(options):
    compare(options, odd_texts())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the words that count")  # odd texts have few
@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
@pytest.mark.parametrize("options", WORDS + RUNS + WEIGHTS + HASHES)
def test_equals_scikit_learn_on_very_many_texts(options):
    compare(options, fuzzed(100_000, 1), n_jobs=2)


@pytest.mark.parametrize("limit", range(1, 14))
@pytest.mark.parametrize("weights", [{}, {"use_idf": True}])
def test_ties_of_max_features_break_as_in_scikit_learn(limit, weights):
    texts = ["b a c d e f g h i j k l m n"] * 2 + ["b c"]
    compare({"max_features": limit, "token_pattern": r"\w+", **weights}, texts)


@pytest.mark.parametrize("seed", range(5))
def test_many_ties(seed):
    words = [f"w{k}" for k in np.random.default_rng(seed).integers(0, 800, 3000)]
    texts = [" ".join(words[k : k + 10]) for k in range(0, len(words), 10)]
    for limit in (1, 100, 333):
        compare({"max_features": limit}, texts)
        compare({"max_features": limit, "use_idf": True}, texts)


@pytest.mark.parametrize(
    "vocabulary",
    [
        ["dog", "cat", "bird", "the dog", "dog the cat sat down", ""],
        {"the": 2, "dog the": 0, "Dog": 1},
        {"cat", "the", "a b"},
    ],
    ids=["list", "dict", "set"],
)
@pytest.mark.parametrize("weights", [{}, {"use_idf": True}, {"norm": "l1"}])
@pytest.mark.filterwarnings("ignore:Upper case characters found in vocabulary")
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_known_vocabulary(vocabulary, weights):
    options = {"vocabulary": vocabulary, "ngram_range": (1, 3), **weights}
    compare(options, SMALL)
    compare(options, odd_texts())


def test_a_known_vocabulary_needs_no_fit():
    vectorizer = tb.TextVectorizer(vocabulary=["dog", "cat"])
    assert vectorizer.transform(SMALL).toarray().tolist() == [[0, 1], [2, 0], [0, 1], [1, 3]]
    assert vectorizer.get_feature_names_out().tolist() == ["dog", "cat"]
    assert vectorizer.vocabulary_ == {"dog": 0, "cat": 1}
    vectorizer.set_params(binary=True)  # nothing was learned that could be out of date
    assert vectorizer.transform(SMALL).toarray().max() == 1
    with pytest.raises(NotFittedError):
        tb.TextVectorizer(vocabulary=["dog"], use_idf=True).transform(SMALL)


def test_hashes_need_no_fit_unless_something_is_learned():
    same_matrix(
        tb.TextVectorizer(n_features=32).transform(SMALL),
        HashingVectorizer(n_features=32).transform(SMALL),
    )
    for learned in ({"use_idf": True}, {"min_df": 2}, {"max_df": 1}):
        with pytest.raises(NotFittedError):
            tb.TextVectorizer(n_features=32, **learned).transform(SMALL)


@pytest.mark.parametrize("bounds", [{"min_df": 2}, {"max_df": 2}, {"min_df": 1.0}, {"max_df": 1}])
def test_hashes_that_are_rare_or_frequent_are_left_out(bounds):
    vectorizer = tb.TextVectorizer(n_features=2**20, norm=None, alternate_sign=False, **bounds)
    texts = [f"{text} all" for text in SMALL]
    found = vectorizer.fit_transform(texts)
    assert found.shape == (4, 2**20)
    counted = CountVectorizer(**bounds).fit_transform(texts)
    totals = found.sum(axis=0).A1
    assert sorted(totals[totals > 0]) == sorted(counted.sum(axis=0).A1)
    same_matrix(vectorizer.transform(texts), found)


def test_hashes_have_idf():
    vectorizer = tb.TextVectorizer(n_features=2**20, alternate_sign=False, use_idf=True)
    found, expected = vectorizer.fit_transform(SMALL), TfidfVectorizer().fit_transform(SMALL)
    np.testing.assert_allclose(np.sort(found.data), np.sort(expected.data), rtol=1e-12)


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
@pytest.mark.parametrize(
    "options",
    [
        {"ngram_range": (1, 3), "min_df": 2},
        {"use_idf": True, "max_features": 300, "stop_words": ["the"]},
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        {"n_features": 1024, "min_df": 2, "use_idf": True},
    ],
)
def test_same_bits_for_any_number_of_threads(options, n_jobs):
    texts = fuzzed(800, 3) * 8 + ["word " * 60_000] + fuzzed(800, 4) * 4  # several blocks
    one, several = (
        tb.TextVectorizer(n_jobs=1, **options),
        tb.TextVectorizer(n_jobs=n_jobs, **options),
    )
    for expected, found in (
        (one.fit_transform(texts), several.fit_transform(texts)),
        (one.transform(texts[::3]), several.transform(texts[::3])),
        (one.transform(texts), several.fit_transform(text for text in texts)),  # a stream
    ):
        for name in ("indptr", "indices", "data"):
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


def test_pickle_and_clone():
    vectorizer = tb.TextVectorizer(ngram_range=(1, 2), use_idf=True, stop_words=["the"]).fit(SMALL)
    expected, size = vectorizer.transform(SMALL), len(pickle.dumps(vectorizer))
    assert len(vectorizer.vocabulary_) == len(vectorizer.get_feature_names_out())
    copy = pickle.dumps(vectorizer)
    assert len(copy) == size  # names are made again when they are asked for
    again = pickle.loads(copy)
    same_matrix(again.transform(SMALL), expected)
    assert again.vocabulary_ == vectorizer.vocabulary_
    unfitted = clone(vectorizer)
    assert unfitted.get_params() == vectorizer.get_params()
    with pytest.raises(NotFittedError):
        unfitted.transform(SMALL)
    with pytest.raises(NotFittedError):
        unfitted.get_feature_names_out()
    assert not hasattr(unfitted, "vocabulary_")
    assert not hasattr(unfitted, "idf_")


def test_inverse_transform():
    ours, theirs = tb.TextVectorizer(), CountVectorizer()
    X, expected = ours.fit_transform(SMALL), theirs.fit_transform(SMALL)
    for given in (X, X.toarray(), sp.csc_array(X), X.toarray().tolist()):
        found = ours.inverse_transform(given)
        for row, names in zip(found, theirs.inverse_transform(expected), strict=True):
            assert sorted(row) == sorted(names)
    with pytest.raises(ValueError, match="X has 9 columns, and there are 4 features"):
        ours.inverse_transform(np.ones((1, 9)))
    with pytest.raises(AttributeError, match="hashed features have no names: inverse_transform"):
        tb.TextVectorizer(n_features=4).inverse_transform(np.ones((1, 4)))
    assert not hasattr(tb.TextVectorizer(n_features=4).fit(SMALL), "vocabulary_")


def test_in_a_pipeline_and_a_search():
    texts, y = SMALL * 10, [0, 1, 0, 1] * 10
    model = make_pipeline(tb.TextVectorizer(), LogisticRegression()).fit(texts, y)
    assert model.score(texts, y) == 1.0
    grid = {
        "textvectorizer__ngram_range": [(1, 1), [1, 2]],
        "textvectorizer__use_idf": [False, True],
    }
    search = GridSearchCV(model, grid, cv=2).fit(np.array(texts), y)
    assert search.best_score_ == 1.0


@pytest.mark.parametrize(
    "name",
    [
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_get_params_invariance",
        "check_mixin_order",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    ],
)
def test_conventions_of_scikit_learn(name):
    """The checks that need no numbers as input, of those that this version has."""
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip("not in this version of scikit-learn")
    check("TextVectorizer", tb.TextVectorizer())
