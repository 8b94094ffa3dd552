"""The formats of tauboost's own: svmlight text as it is read, stores, and model files."""

from __future__ import annotations

import json
import random
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import tauboost as tb

from .mutations import edit_array, edit_bytes, edit_json
from .packed import COMPRESS, edit_packed, stretched
from .sample import Inconsistent, Sample
from .sealed import edit_file

__all__ = ["Model", "Store", "Svmlight", "small_data"]

CORPUS = Path(__file__).parent / "corpus"
MOST_FEATURES = 2**20
WORDS = [b":1 ", b":", b"\n", b"\r\n", b" ", b"#", b"qid:", b"1e308", b"1e-400", b"2147483647:"]
WORDS += [b"nan", b"-inf", b"99999999999999999999:1", b"0:1 ", b"-1:1", b"\0", b"1:1 1:1"]


def small_data(n_classes: int = 2, valued: bool = True) -> tuple[sp.csr_array, np.ndarray]:
    """Return 60 samples with 8 features, each class present."""
    rng = np.random.default_rng(n_classes)
    X = sp.csr_array(sp.random(60, 8, density=0.4, format="csr", random_state=rng))
    X.data[:] = np.where(rng.random(X.nnz) < 0.5, 1.0, rng.normal(size=X.nnz)) if valued else 1.0
    score = X @ rng.normal(size=(8, n_classes)) + 0.5 * rng.normal(size=(60, n_classes))
    return X, score.argmax(axis=1)


def check(is_fine: bool, what: str) -> None:
    """Complain about an accepted file."""
    if not is_fine:
        raise Inconsistent(what)


def check_matrix(X: sp.csr_array, y: np.ndarray) -> None:
    """Check what was read by other means than the code under test."""
    check(X.shape[0] == len(y) == len(X.indptr) - 1, "the lengths differ")
    check(X.indptr[0] == 0 and X.indptr[-1] == len(X.indices) == len(X.data), "pointers")
    check(bool(np.all(np.diff(X.indptr) >= 0)), "pointers fall")
    if len(X.indices):
        check(0 <= X.indices.min() <= X.indices.max() < X.shape[1], "an index is out of range")
    check(bool(np.isfinite(X.data).all() and np.isfinite(y).all()), "a value is not finite")


class Svmlight:
    """svmlight text, plain or compressed; mutated before it is compressed, or afterwards."""

    def seeds(self, folder: Path) -> list[Sample]:  # noqa: ARG002
        """Return the corpus of the C++ fuzzer, and lines of all sorts."""
        texts = [path.read_bytes()[2:] for path in sorted(CORPUS.iterdir())]
        X, y = small_data()
        lines = [
            f"{label} " + " ".join(f"{j + 1}:{v:g}" for j, v in zip(a.indices, a.data, strict=True))
            for label, a in zip(y, (X[[k]] for k in range(len(y))), strict=True)
        ]
        texts += ["\n".join(lines[:12]).encode(), "\n".join(lines).encode()]
        return [Sample(kind, {"data.svm": text}) for kind in COMPRESS for text in texts]

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Mutate the text, or what it was compressed to."""
        seed = rng.choice(seeds)
        text = seed.files["data.svm"]
        is_deep = seed.kind == "plain" or rng.random() < 0.3
        for _ in range(rng.randint(1, 4) if is_deep else 0):
            choice = rng.random()
            if choice < 0.02:
                text = stretched(rng, text)
            elif choice < 0.5:
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(WORDS) + text[at:]
            else:
                text = edit_bytes(rng, text, rng.choice(seeds).files["data.svm"])
        content = COMPRESS[seed.kind](text)
        damaged = content if is_deep else edit_packed(rng, seed.kind, content)
        return Sample(seed.kind, {"data.svm": damaged})

    def read(self, kind: str, folder: Path) -> None:  # noqa: ARG002
        """Load it."""
        check_matrix(*tb.load_svmlight(folder / "data.svm"))


class Store:
    """Stores: headers and arrays edited, with their checksums made to fit."""

    def seeds(self, folder: Path) -> list[Sample]:
        """Return stores of ones, of other values and of both, and a tiny one."""
        found = []
        ones, y = small_data(valued=False)
        both, z = small_data(3)
        half = sp.csr_array((both.data * 0.5, both.indices, both.indptr), both.shape)
        for kind, X, labels in (
            ("ones", ones, y),
            ("both", both, z),
            ("values", half, z),
            ("tiny", ones[:6], y[:6]),
        ):
            with tb.StoreWriter(folder / kind) as writer:
                writer.append(X, labels)
            paths = (folder / kind).iterdir()
            found.append(Sample(kind, {path.name: path.read_bytes() for path in paths}))
        return found

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Edit an array or the header; most of the time every checksum fits."""
        seed = rng.choice(seeds)
        files = dict(seed.files)
        if rng.random() < 0.15:
            name = rng.choice(sorted(files))
            files[name] = edit_bytes(rng, files[name])
            return Sample(seed.kind, files)
        document = json.loads(files["store.json"])
        del document["crc32"]
        for _ in range(rng.choice([1, 1, 2, 3])):
            name = rng.choice(sorted(document["arrays"]))
            entry = document["arrays"][name]
            array = np.frombuffer(files[f"{name}.npy"][128:], entry["dtype"])
            array = edit_array(rng, array).reshape(-1).astype(entry["dtype"])
            entry |= {"length": len(array), "crc32": f"{zlib.crc32(array.tobytes()):08x}"}
            text = f"{{'descr': '{entry['dtype']}', 'fortran_order': False, 'shape': "
            text = f"{text}({len(array)},), }}".ljust(117) + "\n"
            head = b"\x93NUMPY\x01\x00v\x00" + text.encode()
            files[f"{name}.npy"] = head + array.tobytes()
        lengths = {name: entry["length"] for name, entry in document["arrays"].items()}
        document["nnz"] = lengths["ones_indices"] + lengths["values_indices"]
        if rng.random() < 0.3:
            document = edit_json(rng, document)
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        if isinstance(document, dict):
            document["crc32"] = f"{zlib.crc32(text.encode()):08x}"
        files["store.json"] = json.dumps(document).encode()
        return Sample(seed.kind, files)

    def read(self, kind: str, folder: Path) -> None:  # noqa: ARG002
        """Open it, read the rows, and run a sweep of two methods, as a fit would."""
        store = tb.open_store(folder)
        y = np.asarray(store.y)
        if store.shape[1] > MOST_FEATURES:  # coefficients of so many take gigabytes, rightly
            store.verify()
            check_matrix(store.to_csr(), y)
            return
        clf = tb.TauBoostClassifier(alpha=1e-3, max_iter=1, n_jobs=-1, random_state=0)
        clf.fit(store, y)
        check(bool(np.isfinite(clf.coef_).all()), "coefficients")
        check(len(clf.predict(store)) == len(y), "predictions")
        check_matrix(store.to_csr(), y)


class Model:
    """Model files of every kind that can be saved."""

    def seeds(self, folder: Path) -> list[Sample]:
        """Return fitted ones: two classes and three, dense and sparse, texts, named features."""
        X, y = small_data()
        X3, y3 = small_data(3)
        one = tb.TauBoostClassifier(alpha=1e-3, max_iter=2, n_jobs=1, random_state=0)
        auto = {"n_jobs": 1, "max_iter": 3, "random_state": 0}
        words = np.array(["ham", "späm", "日"])
        named = tb.TauBoostClassifier(**one.get_params()).fit(X3, words[y3])
        named.feature_names_in_ = np.array([*"abcdef", "", "long name"], dtype=object)
        fitted = {
            "binary": one.fit(X, y),
            "sparse": tb.TauBoostClassifier(**one.get_params()).fit(X, y == 1).sparsify(),
            "tuned": tb.TauBoostClassifier(**auto, class_weight={0: 2.0, 1: 1.0}).fit(X, y),
            "calibrated": tb.TauBoostClassifier(**auto, calibration="sigmoid").fit(X, y),
            "three": tb.TauBoostClassifier(**one.get_params()).fit(X3, y3),
            "named": named,
            "cv": tb.TauBoostClassifierCV(n_alphas=3, cv=2, n_jobs=1, max_iter=3).fit(X, y),
        }
        mixed = [
            [*row, words[k % 3] if k % 5 else None] for k, row in enumerate(X3.toarray()[:, :3])
        ]
        tables = {"alpha": 1e-3, "max_iter": 3, "n_jobs": 1, "random_state": 0}
        fitted |= {
            "table": tb.TableClassifier(**tables, interactions=[(0, 3)]).fit(mixed, y3 > 0),
            "table of three": tb.TableClassifier(**tables, interactions=2).fit(mixed, words[y3]),
        }
        fitted |= self.text_models()
        found = []
        for kind, clf in fitted.items():
            tb.save_model(clf, folder / kind)
            found.append(Sample(kind, {"model": (folder / kind).read_bytes()}))
        return found

    def text_models(self) -> dict[str, Any]:
        """Return classifiers of texts: words, characters, hashes, and a smaller one."""
        options = {"alpha": 1e-3, "max_iter": 2, "n_jobs": 1, "random_state": 0}
        texts = ["a good film, good", "the bad Film", "İt was späm \ud800", "日本 good", ""] * 3
        labels = ["ham", "späm", "späm", "日", "ham"] * 3
        words = tb.TextClassifier(**options, stop_words=["the"])
        runs = tb.TextClassifier(**options, analyzer="char_wb", ngram_range=(1, 3), use_idf=False)
        hashes = tb.TextClassifier(**options, n_features=256, min_df=2)
        return {
            "words": words.fit(texts, labels),
            "few words": words.fit(texts, labels).shrink(4_000),
            "characters": runs.fit(texts, [label == "ham" for label in labels]),
            "hashes": hashes.fit(texts, labels),
        }

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Edit the file."""
        seed, donor = rng.choice(seeds), rng.choice(seeds)
        content = edit_file(rng, seed.files["model"], donor.files["model"])
        return Sample(seed.kind, {"model": content})

    def read(self, kind: str, folder: Path) -> None:  # noqa: ARG002
        """Load it and predict."""
        clf = tb.load_model(folder / "model")
        clf.n_jobs = -1
        if isinstance(clf, tb.TableClassifier):
            self.use_table(clf, folder)
            return
        if isinstance(clf, tb.TextClassifier):
            self.use_texts(clf, folder)
            return
        if clf.n_features_in_ > 1000:
            X = sp.csr_array((2, clf.n_features_in_))
        else:
            X = np.eye(2, clf.n_features_in_)
        if hasattr(clf, "feature_names_in_"):
            del clf.feature_names_in_
        check(len(clf.predict(X)) == 2, "predictions")
        check(clf.predict_proba(X).shape == (2, len(clf.classes_)), "probabilities")
        repr(clf)
        float(clf.held_out_loss_)
        tb.save_model(clf, folder / "again")

    def use_table(self, clf: Any, folder: Path) -> None:
        """Predict rows in which everything is missing, and look at the terms."""
        rows = np.full((2, clf.n_features_in_), None, dtype=object)
        if hasattr(clf, "feature_names_in_"):
            del clf.feature_names_in_
        clf.columns_ = tuple(replace(c, name=f"x{k}") for k, c in enumerate(clf.columns_))
        check(clf.predict_proba(rows).shape == (2, len(clf.classes_)), "probabilities")
        check(len(clf.explain(rows)) == 2, "explanations")
        repr(clf.explain(rows))
        for term in clf.terms_:
            repr(term)
        tb.save_model(clf, folder / "again")

    def use_texts(self, clf: Any, folder: Path) -> None:
        """Predict and explain texts, and look at the terms."""
        texts = ["", "A good film and a BAD one", "\ud800\0 日本 İt", "word " * 300]
        check(clf.predict_proba(texts).shape == (4, len(clf.classes_)), "probabilities")
        for text in texts:
            explanation = clf.explain(text)
            repr(explanation)
            explanation.html().encode()
        repr(clf.top_features())
        tb.save_model(clf, folder / "again")
