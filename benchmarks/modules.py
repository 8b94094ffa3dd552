"""How many modules of the package one use of it crosses: what somebody has to read to follow it.

Counted are modules with a function that is called, in any thread, not those that are merely loaded:
every use runs twice, and the second run is watched.

    python benchmarks/modules.py            # the counts
    python benchmarks/modules.py report     # the modules of one use, with the functions called
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import tauboost as tb
from tauboost.cli.app import app
from tauboost.io.svmlight import SvmlightWriter

SOURCE = str(Path(tb.__file__).parent)
IS_FUNCTION = 1  # a flag of code: neither a module's body nor a class's
WORDS = ["good", "bad", "film", "plot", "dull", "fun", "cast"]


def crossed(use: Callable[[], object]) -> dict[str, set[str]]:
    """Return the modules that a use crosses, each with the functions that are called."""
    found: dict[str, set[str]] = defaultdict(set)

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & IS_FUNCTION and code.co_filename.startswith(SOURCE):
            name = code.co_filename.removeprefix(SOURCE).strip("/").removesuffix(".py")
            found[name.replace("/", ".")].add(code.co_qualname)

    with contextlib.redirect_stdout(io.StringIO()):
        use()
        threading.setprofile(watch)
        sys.setprofile(watch)
        try:
            use()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return dict(found)


def command(*words: object) -> None:
    """Run a command as people do."""
    with contextlib.suppress(SystemExit):
        app([str(word) for word in words], standalone_mode=False)


def uses(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the uses by name; their data are made here."""
    rng = np.random.default_rng(0)
    X, y = tb.make_w8a_like(1000, random_state=0)
    problem = tb.Problem(X, y)
    numbers = rng.normal(size=(1000, 4))
    labels = (numbers[:, 0] > rng.normal(size=1000)).astype(int)
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(400)]
    liked = [("no", "yes")["good" in text] for text in texts]
    rows = [",".join(f"{value:.3f}" for value in row) for row in numbers]
    lines = [f"{row},{label}" for row, label in zip(rows, labels, strict=True)]
    (folder / "x.csv").write_text("\n".join(["a,b,c,d,y", *lines, ""]))
    with SvmlightWriter(folder / "x.svm", overwrite=True) as writer:
        writer.append_arrays(X.indptr, X.indices, None, y)
    model, table, page = folder / "m.tauboost", folder / "x.csv", folder / "r.html"
    fit = ("fit", table, "--label", "y", "--out", model)
    return {
        "solve": lambda: tb.solve(problem),
        "sparse fit": lambda: tb.TauBoostClassifier().fit(X, y),
        "table fit": lambda: tb.TableClassifier().fit(numbers, labels),
        "text fit": lambda: tb.TextClassifier().fit(texts, liked),
        "fit x.csv": lambda: command(*fit),
        "report": lambda: command("report", model, table, "--out", page),
        "fit x.svm": lambda: command("fit", folder / "x.svm"),
    }


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("use", nargs="?", help="print the modules of this use")
    chosen = parser.parse_args().use
    with tempfile.TemporaryDirectory() as name:
        for use, run in uses(Path(name)).items():
            found = crossed(run)
            if chosen is None:
                print(f"{use:12} {len(found):3}")
            elif chosen == use:
                for module, functions in sorted(found.items()):
                    print(f"{module:36} {', '.join(sorted(functions))}")


if __name__ == "__main__":
    main()
