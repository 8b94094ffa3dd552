"""Fit a model of each kind and print the bits: two installations are equal if they print the same.

    python tests/packing/bits.py                         # one line of JSON
    python tests/packing/bits.py --forked                # in a child of fork(), too
    python tests/packing/bits.py --first torch,sklearn   # others are loaded before tauboost
    python tests/packing/bits.py --then torch,sklearn    # or behind it

It needs what an installation without extras has, and nothing of this repository. Every fit runs on
two threads, and errors of the compiled module must arrive as Python's, thrown by either thread.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import io
import json
import multiprocessing
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

SECONDS = 300
WORDS = {"good": ["superb", "schön", "καλός"], "bad": ["dull", "müde", "плохо"]}
SMALL_TALK = ["film", "Straße", "naïve", "ΟΔΟΣ", "北京", "😀 smile", "it was", "seen at home"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--first", default="", help="modules to load before tauboost")
    parser.add_argument("--then", default="", help="modules to load behind it")
    parser.add_argument("--forked", action="store_true", help="fit in a child of fork()")
    options = parser.parse_args()
    use(options.first)
    importlib.import_module("tauboost")
    use(options.then)
    found = all_bits()
    if options.forked and in_a_child(all_bits) != found:
        raise SystemExit("a child of fork() has other bits")
    sys.stdout.write(json.dumps(found) + "\n")


def in_a_child(task: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Run a task in a forked process; one of a pool would not use threads."""
    fork = multiprocessing.get_context("fork")
    answers = fork.SimpleQueue()
    child = fork.Process(target=lambda: answers.put(task()))
    child.start()
    child.join(SECONDS)
    if child.exitcode != 0:
        child.kill()
        raise SystemExit(f"the child ended with {child.exitcode}")
    found: dict[str, str] = answers.get()
    return found


def use(names: str) -> None:
    """Load other libraries, and have their threads at work once."""
    for name in filter(None, names.split(",")):
        importlib.import_module(name)
        if name == "torch":
            torch = sys.modules[name]
            torch.set_num_threads(2)
            assert (torch.ones(600, 600) @ torch.ones(600, 600)).sum() == 600**3
        if name == "sklearn":
            from sklearn.ensemble import HistGradientBoostingClassifier

            X = [[k % 7, k % 11] for k in range(500)]
            HistGradientBoostingClassifier(max_iter=3).fit(X, [k % 2 for k in range(500)])


def all_bits() -> dict[str, str]:
    """Return a hash of each model's file and answers, and what the errors say."""
    import tauboost as tb

    rng = random.Random(0)
    X, y = tb.make_w8a_like(3000, random_state=0)
    options = {"random_state": 0, "n_jobs": 2}
    return {
        "sparse": bits(tb.TauBoostClassifier(**options), X, y),
        "table": bits(tb.TableClassifier(**options), *table(rng)),
        "texts": bits(tb.TextClassifier(**options), *texts(rng)),
        "errors": errors(),
    }


def bits(clf, X, y) -> str:
    import tauboost as tb

    clf.fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tb"
        tb.save_model(clf, path)
        content = path.read_bytes()
        assert (tb.load_model(path).predict(X) == clf.predict(X)).all()
    return hashlib.sha256(content + clf.predict_proba(X).tobytes()).hexdigest()[:16]


def table(rng: random.Random, n: int = 1500):
    """Return numbers with holes in them, and three classes."""
    import numpy as np

    X = np.array([[rng.gauss(0, 1) for _ in range(6)] for _ in range(n)])
    y = np.digitize(X[:, 0] + np.sin(3 * X[:, 1]) * X[:, 2], [-0.5, 0.5])
    X[rng.sample(range(n), 200), 3] = np.nan
    return X, y


def texts(rng: random.Random, n: int = 1200) -> tuple[list[str], list[str]]:
    """Return texts of every width a Python string has, and their labels."""
    labels = [rng.choice(list(WORDS)) for _ in range(n)]
    return [
        " ".join([*rng.choices(SMALL_TALK, k=6), *rng.choices(WORDS[label], k=rng.randint(0, 2))])
        for label in labels
    ], labels


def errors() -> str:
    """Return what is said of text that is wrong in the part of either thread."""
    import tauboost as tb

    said = []
    for wrong in (5, 150_000):
        lines = [b"+1 1:1 3:0.5"] * 160_000
        lines[wrong] = b"-1 2:x"
        try:
            tb.load_svmlight(io.BytesIO(b"\n".join(lines)))
        except ValueError as error:
            said.append(str(error))
    assert len(said) == 2, said
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
