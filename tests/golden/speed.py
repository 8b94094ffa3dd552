"""How long a dozen things take, beside what they took: for a look, never for a verdict."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sklearn.datasets import dump_svmlight_file

import tauboost as tb

from . import data

REPEATS = 7


def _operations(folder: Path) -> dict[str, Callable[[], Any]]:
    X, y = tb.make_w8a_like(10_000, random_state=0)
    frame, labels = data.table(m=5000)
    words, opinions = data.texts(m=5000)
    dump_svmlight_file(X, y, str(folder / "a.svm"), zero_based=False)
    problem = tb.Problem(X, y)
    sparse = tb.TauBoostClassifier(random_state=0).fit(X, y)
    table = tb.TableClassifier(random_state=0).fit(frame, labels)
    text = tb.TextClassifier(random_state=0).fit(words, opinions)
    python = [sys.executable]
    return {
        "solve exact": lambda: tb.solve(problem, max_epochs=50, tol=0, random_state=0),
        "solve exact, l1": lambda: tb.solve(problem, alpha=1e-3, max_epochs=50, tol=0),
        "fit sparse": lambda: tb.TauBoostClassifier(random_state=0).fit(X, y),
        "fit table": lambda: tb.TableClassifier(random_state=0).fit(frame, labels),
        "fit texts": lambda: tb.TextClassifier(random_state=0).fit(words, opinions),
        "predict a sparse row": lambda: sparse.predict_proba(X[:1]),
        "predict a row of a table": lambda: table.predict_proba(frame[:1]),
        "predict a text": lambda: text.predict_proba(words[:1]),
        "read svmlight": lambda: tb.load_svmlight(folder / "a.svm"),
        "vectorize texts": lambda: tb.TextVectorizer(ngram_range=(1, 2)).fit_transform(words),
        "import tauboost": lambda: subprocess.run([*python, "-c", "import tauboost"], check=True),
        "tauboost --help": lambda: subprocess.run(
            [*python, "-m", "tauboost", "--help"], check=True, stdout=subprocess.DEVNULL
        ),
    }


def measure() -> dict[str, float]:
    """Return medians of seconds by operation."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, run in _operations(Path(folder)).items():
            times = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                run()
                times.append(time.perf_counter() - start)
            found[name] = statistics.median(times)
    return found


def table(old: Mapping[str, float], new: Mapping[str, float]) -> list[str]:
    """Return lines: seconds then, seconds now, and their ratio."""
    return [
        f"{name:26}{old[name] * 1e3:10.3f} ms {took * 1e3:10.3f} ms {took / old[name]:7.2f}"
        for name, took in new.items()
        if name in old
    ]
