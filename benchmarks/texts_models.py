"""The ways from strings to predictions that ``texts.py`` compares.

tauboost, scikit-learn's vectorizers with its linear classifiers, fastText and Vowpal Wabbit. The
last two read files, of words between spaces; writing them counts as part of the fit.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from peers_models import Peer

__all__ = ["OURS", "OURS_ALONE", "PAIRS", "PEERS", "QUICK_PEERS"]

OURS, OURS_ALONE = "tauboost", "tauboost, one thread"
PAIRS = "tf-idf of pairs + LogisticRegression"
N_HASHES = 2**20
WORD = re.compile(r"\b\w\w+\b")

Texts = Sequence[str]
Labels = NDArray[Any]


def tfidf(model: str, n_jobs: int, random_state: int, **options: Any) -> Pipeline:
    """Return a classifier on TfidfVectorizer, which may have words alone."""
    words = {"ngram_range": (1, 1)} if options.pop("words", False) else {"ngram_range": (1, 2)}
    features = TfidfVectorizer(min_df=2, sublinear_tf=True, **words)
    return make_pipeline(features, linear(model, n_jobs, random_state, **options))


def hashed(model: str, n_jobs: int, random_state: int, **options: Any) -> Pipeline:
    """Return a classifier on HashingVectorizer, words and pairs."""
    features = HashingVectorizer(ngram_range=(1, 2), n_features=N_HASHES)
    return make_pipeline(features, linear(model, n_jobs, random_state, **options))


def linear(model: str, n_jobs: int, random_state: int, **options: Any) -> Any:
    """Return one of scikit-learn's linear classifiers."""
    if model == "logistic":
        return LogisticRegression(max_iter=1000, **options)
    if model == "svm":
        return LinearSVC(random_state=random_state, **options)
    return SGDClassifier(loss="log_loss", n_jobs=n_jobs, random_state=random_state, **options)


class FromFiles:
    """Common to libraries that read files: texts as lines of words, classes by number."""

    def fit(self, texts: Texts, y: Labels) -> Self:
        """Write a file, and fit to it."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        with tempfile.TemporaryDirectory() as folder:
            self._fit(texts, codes, Path(folder))
        return self

    def _fit(self, texts: Texts, codes: NDArray[np.intp], folder: Path) -> None:
        raise NotImplementedError

    def predict_proba(self, texts: Texts) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        raise NotImplementedError

    def predict(self, texts: Texts) -> Labels:
        """Return the classes."""
        return np.asarray(self.classes_[self.predict_proba(texts).argmax(axis=1)])


def plain(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as the words that scikit-learn would find, in lower case, between spaces."""
    for text in texts:
        yield " ".join(WORD.findall(text.lower()))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a file of lines."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


class FastText(FromFiles):
    """fastText with words and pairs; with several threads it is not reproducible."""

    def __init__(self, epoch: int, n_jobs: int, random_state: int) -> None:
        self.options = {"epoch": epoch, "thread": n_jobs, "seed": random_state}

    def _fit(self, texts: Texts, codes: NDArray[np.intp], folder: Path) -> None:
        import fasttext  # noqa: PLC0415

        lines = zip(codes, plain(texts), strict=True)
        write_lines(folder / "texts", (f"__label__{code} {text}" for code, text in lines))
        self.model_ = fasttext.train_supervised(
            str(folder / "texts"), wordNgrams=2, verbose=0, **self.options
        )

    def predict_proba(self, texts: Texts) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        p = np.zeros((len(texts), len(self.classes_)))
        # Line by line, below its Python layer: that one fails with NumPy 2, and all lines at once
        # give every class the same number.
        for row, line in zip(p, plain(texts), strict=True):
            for value, name in self.model_.f.predict(f"{line}\n", -1, 0.0, "strict"):
                row[int(name.removeprefix("__label__"))] = value
        return p


class VowpalWabbit(FromFiles):
    """Vowpal Wabbit, logistic loss, words and pairs in 2**22 columns; two classes, one thread."""

    def __init__(self, passes: int, random_state: int) -> None:
        self.passes, self.seed = passes, random_state

    def _fit(self, texts: Texts, codes: NDArray[np.intp], folder: Path) -> None:
        lines = zip(codes, plain(texts), strict=True)
        write_lines(folder / "texts", (f"{2 * code - 1} | {text}" for code, text in lines))
        self._run(
            f"-d {folder}/texts -f {folder}/model -b 22 --ngram 2 --loss_function logistic "
            f"--passes {self.passes} --cache_file {folder}/cache --kill_cache --holdout_off "
            f"--random_seed {self.seed}"
        )
        self.model_ = (folder / "model").read_bytes()

    def predict_proba(self, texts: Texts) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "model").write_bytes(self.model_)
            write_lines(Path(folder, "texts"), (f"| {text}" for text in plain(texts)))
            self._run(f"-i {folder}/model -t -d {folder}/texts -r {folder}/decisions")
            lines = Path(folder, "decisions").read_text(encoding="ascii").splitlines()
        p = expit(np.array([float(line) for line in lines]))
        return np.stack([1.0 - p, p], axis=1)

    @staticmethod
    def _run(options: str) -> None:
        from vowpalwabbit import Workspace  # noqa: PLC0415

        Workspace(f"{options} --quiet").finish()


_JOBS: dict[str, Any] = {"threads": "n_jobs"}
PEERS = [
    Peer(OURS, "tauboost", "tauboost", "TextClassifier", **_JOBS),
    Peer(OURS_ALONE, "tauboost", "tauboost", "TextClassifier", {"n_jobs": 1}),
    Peer("tauboost, hashed", "tauboost", "tauboost", "TextClassifier", {"n_features": N_HASHES},
         **_JOBS),
    Peer("tf-idf of words + LogisticRegression", "lbfgs", __name__, "tfidf",
         {"model": "logistic", "words": True}, **_JOBS),
    Peer(PAIRS, "lbfgs", __name__, "tfidf", {"model": "logistic"}, **_JOBS),
    Peer(f"{PAIRS}, C=10", "lbfgs", __name__, "tfidf", {"model": "logistic", "C": 10.0}, **_JOBS),
    Peer("tf-idf of pairs + LinearSVC", "LIBLINEAR", __name__, "tfidf", {"model": "svm"}, **_JOBS),
    Peer("tf-idf of pairs + SGD", "SGD", __name__, "tfidf", {"model": "sgd", "alpha": 1e-5},
         **_JOBS),
    Peer("hashed pairs + SGD", "SGD", __name__, "hashed", {"model": "sgd", "alpha": 1e-5}, **_JOBS),
    Peer("fastText, 5 epochs", "fastText", __name__, "FastText", {"epoch": 5}, **_JOBS),
    Peer("fastText, 25 epochs", "fastText", __name__, "FastText", {"epoch": 25}, **_JOBS),
    Peer("Vowpal Wabbit", "Vowpal Wabbit", __name__, "VowpalWabbit", {"passes": 1},
         is_multiclass=False),
    Peer("Vowpal Wabbit, 5 passes", "Vowpal Wabbit", __name__, "VowpalWabbit", {"passes": 5},
         is_multiclass=False),
]  # fmt: skip
QUICK_PEERS = (OURS, OURS_ALONE, PAIRS)
