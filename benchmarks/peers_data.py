"""What ``peers.py`` compares classifiers on: public sets, files, and two sets with many classes.

The public sets come from the folder that TAUBOOST_DATA names; "digits" is scikit-learn's, and
"topics" is generated, like short texts about 20 topics.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import train_test_split

from common import Data, w8a
from tauboost.datasets import find_data
from tauboost.io import load_svmlight

__all__ = ["SETS", "load", "quick_sets", "split"]

TFIDF = "_tfidf"
SETS = (
    "imdb_unigram", "imdb_unigram" + TFIDF, "w8a", "a9a", "sms_spam", "url_uci_slice",
    "digits", "topics",
)  # fmt: skip
TEST_SHARE = 0.3


def load(name: str, seed: int) -> Data:
    """Return a set by name, or an svmlight file; with "_tfidf" behind its name, weighted so."""
    if name == "digits":
        return digits()
    if name == "topics":
        return topics(seed)
    if Path(name).is_file():
        return Data(Path(name).name.partition(".")[0], *load_svmlight(name))
    plain = name.removesuffix(TFIDF)
    data = Data(plain, *load_svmlight(find_data(plain)))
    return data if plain == name else tfidf(data)


def quick_sets(seed: int) -> list[Data]:
    """Return tiny sets, one of each kind."""
    small = w8a(seed, quick=True)
    return [replace(small, name="w8a-like"), tfidf(topics(seed, n_samples=400, n_classes=3))]


def tfidf(data: Data) -> Data:
    """Weight words as search engines do: real values, rows of length 1."""
    X = TfidfTransformer(sublinear_tf=True).fit_transform(data.X)
    return Data(data.name + TFIDF, sparse.csr_array(X), data.y)


def digits() -> Data:
    """Return scikit-learn's handwritten digits: 1,797 samples, 64 grey values, 10 classes."""
    X, y = load_digits(return_X_y=True)
    return Data("digits", sparse.csr_array(X / 16.0), y.astype(float))


def topics(seed: int, n_samples: int = 10_000, n_classes: int = 20, n_words: int = 20_000) -> Data:
    """Generate texts of about 60 words, some of which belong to their topic.

    Words follow Zipf's law. Each topic has its likes and dislikes among them; half of the words
    are drawn from the topic, the others from the language as a whole. Values are 0 and 1.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_samples)
    language = 1.0 / (10.0 + np.arange(n_words))
    lengths = rng.geometric(1 / 60, size=n_samples)
    rows = np.repeat(np.arange(n_samples, dtype=np.int32), lengths)  # LIBLINEAR takes no wider ones
    words = _draw(language, len(rows), rng)
    is_of_topic = rng.random(len(rows)) < 0.5
    for topic in range(n_classes):
        liked = language * rng.lognormal(sigma=1.5, size=n_words)
        places = np.flatnonzero(is_of_topic & (y[rows] == topic))
        words[places] = _draw(liked, len(places), rng)
    X = sparse.csr_array((np.ones(len(rows)), (rows, words)), shape=(n_samples, n_words))
    X.sum_duplicates()
    X.data[:] = 1.0
    return Data("topics", X, y.astype(float))


def _draw(weights: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    ends = np.cumsum(weights)
    return np.searchsorted(ends, rng.random(size) * ends[-1]).astype(np.int32)


def split(data: Data) -> dict[str, tuple[sparse.csr_array, np.ndarray]]:
    """Return the fixed split: 70 % to fit on, 30 % to score on, the classes alike in both."""
    X_train, X_test, y_train, y_test = train_test_split(
        data.X, data.y, test_size=TEST_SHARE, stratify=data.y, random_state=0
    )
    return {"train": (X_train, y_train), "test": (X_test, y_test)}
