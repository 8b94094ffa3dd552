"""Small files that claim much: no command may take long, or much memory, for one of 100 kB.

Models of all kinds and data files are made with numbers at their extremes: features, classes,
lengths of runs, hashes, terms, indices, labels, columns. They are written by the package's own
writers, so checksums and shapes fit; a part of the models is edited blindly after that. Every
command runs in a child of a process that has loaded everything; what the kernel says it took at
most counts.

    python -m attack.forged --cases 2000     # from the folder tests
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from typer.testing import CliRunner

import tauboost as tb
import tauboost.cli.fit
import tauboost.cli.inspect
import tauboost.cli.predict
import tauboost.cli.report
import tauboost.kinds.sparse
import tauboost.kinds.table
import tauboost.kinds.text
import tauboost.reporting.page
from fuzz.sealed import edit_sealed
from model_files import changed
from tauboost.cli.app import app
from tauboost.io.model_file import ModelFile
from tauboost.models import read_model, write_model

MOST_BYTES = 100_000  # of a file
# Megabytes, and seconds of the processor; a fit solves what it is given, however hard that is.
MOST_MEMORY, MOST_SECONDS, MOST_SECONDS_OF_A_FIT = 500, 10.0, 60.0
GUARD, HANG = 24 * 2**30, 600  # addresses, seconds
SIZES = (3, 300, 2**16, 10**6, 2**22, 2**24 - 1, 2**24 + 1, 10**8, 2**27, 2**31 - 3, 2**31, 2**53)
WORDS = ["good", "bad", "film", "fun", "dull", "plot", "cast", "long"]


def rows_of(rng: random.Random, folder: Path) -> Path:
    """Write rows of indices and values, and stay below the size."""
    n_classes = rng.choice([2, 2, 2, 3, 20, 60])
    largest = rng.choice(SIZES)
    lines, size = [], 0
    for k in range(rng.choice([4, 60, 1000, 4000])):
        indices = {
            rng.randrange(1, rng.choice([5, 300, largest + 1])) for _ in range(rng.choice([1, 6]))
        }
        values = rng.choice([["1"], ["0.5", "2"], ["1e-150", "1e150"], ["7", "-3"]])
        entries = " ".join(f"{i}:{rng.choice(values)}" for i in sorted(indices))
        lines.append(f"{k % n_classes} {entries}")
        size += len(lines[-1]) + 1
        if size > MOST_BYTES:
            lines.pop()
            break
    path = folder / "data.svm"
    path.write_text("\n".join(lines) + "\n")
    return path


def table_of(rng: random.Random, folder: Path) -> Path:
    """Write a table: of many columns, of many categories, or long."""
    n_columns = rng.choice([2, 2, 8, 60, 300])
    n_rows = min(4000, MOST_BYTES // (5 * n_columns + 3))
    kinds = [rng.choice(["few", "many", "all", "number", "long"]) for _ in range(n_columns)]
    cells: dict[str, Callable[[int], Any]] = {
        "few": lambda k: f"c{k % 3}",
        "many": lambda k: f"v{rng.randrange(900)}",
        "all": lambda k: f"i{k}",
        "number": lambda k: rng.choice([k % 50, 1e300, -1e300, "", 5e-324]),
        "long": lambda k: "x" * rng.choice([1, 1, 1, 40]),
    }
    n_classes = rng.choice([2, 2, 3, 12])
    names = [f"c{i}" for i in range(n_columns)]
    lines = [",".join([*names, "y"])]
    lines += [
        ",".join([*(str(cells[kind](k)) for kind in kinds), f"l{k % n_classes}"])
        for k in range(n_rows)
    ]
    path = folder / "data.csv"
    path.write_text(within("\n".join(lines)))
    return path


def texts_of(rng: random.Random, folder: Path) -> Path:
    """Write texts: one that is long, many short ones, words of thousands of letters."""
    n = rng.choice([2, 20, 600])
    word = rng.choice(
        [lambda: rng.choice(WORDS), lambda: "w" + str(rng.random()), lambda: "ab" * 2000]
    )
    length = MOST_BYTES // n
    lines = []
    for k in range(n):
        text = ""
        while len(text) < length - 60:
            text += word() + rng.choice([" ", " ", ", ", "  "])
        lines.append(json.dumps({"text": text[: length - 40], "label": k % 2}))
    path = folder / "data.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def within(text: str) -> str:
    """Cut a text at the end of a line."""
    return text if len(text) < MOST_BYTES else text[: text.rindex("\n", 0, MOST_BYTES)]


def sound_models(folder: Path) -> dict[str, Any]:
    """Fit a model of each kind, and return what their files hold."""
    X, y = tb.make_w8a_like(300, random_state=0)
    texts = [" ".join(WORDS[(k * j) % 8] for j in range(6)) for k in range(60)]
    table = pd.DataFrame(
        {"c0": [f"c{k % 3}" for k in range(200)], "c1": [float(k % 50) for k in range(200)]}
    )
    labels = [f"l{int((k % 50 > 20) ^ (k % 3 == 0))}" for k in range(200)]
    y, three = (y > 0).astype(int), np.arange(300) % 3
    options: dict[str, Any] = {"alpha": 0.01}
    fitted = {
        "linear": tb.TauBoostClassifier(**options).fit(X, y),
        "linear of three": tb.TauBoostClassifier(**options).fit(X, three),
        "sparse": tb.TauBoostClassifier(l1_ratio=1.0, **options).fit(X, y).sparsify(),
        "sparse of three": tb.TauBoostClassifier(**options).fit(X, three).sparsify(),
        "table": tb.TableClassifier(**options).fit(table, labels),
        "text": tb.TextClassifier(**options).fit(texts, np.arange(60) % 2),
        "characters": tb.TextClassifier(analyzer="char", ngram_range=(1, 5), **options).fit(
            texts, np.arange(60) % 2
        ),
        "hashes": tb.TextClassifier(n_features=2**12, use_idf=False, **options).fit(
            texts, np.arange(60) % 3
        ),
    }
    found = {}
    for name, clf in fitted.items():
        tb.save_model(clf, folder / "sound")
        found[name] = read_model(folder / "sound")
    return found


def forged(rng: random.Random, data: ModelFile) -> ModelFile:
    """Claim more than there is, so that everything still fits."""
    header, arrays = data.header, data.arrays
    if "options" in header:
        return forged_text(rng, data)
    if "term_columns" in arrays:
        is_forged = rng.random() < 0.2
        return changed(data, params=forged_params(rng, data.params) if is_forged else data.params)
    kind = rng.choice(["features", "features", "classes", "names", "params", "both"])
    n, coef = header["n_features"], arrays["coef"]
    if kind in ("features", "both") and sp.issparse(coef):
        n = rng.choice(SIZES[1:])
        coef = sp.csr_array((coef.data, coef.indices, coef.indptr), shape=(coef.shape[0], n))
    fields: dict[str, Any] = {"coef": coef, "n_features": n}
    if kind in ("classes", "both"):
        k = rng.choice([3, 50, 900, 3000])
        indptr = np.full(k + 1, coef.nnz, dtype=np.int64) if sp.issparse(coef) else None
        if indptr is not None:
            indptr[0] = 0
            first = min(coef.nnz, int(coef.indptr[1]))
            indptr[1:] = first
            parts = (coef.data[:first], coef.indices[:first], indptr)
            fields["coef"] = sp.csr_array(parts, shape=(k, n))
            fields["intercept"] = np.zeros(k)
            fields["classes"] = np.arange(k)
            kept = {
                key: v for key, v in data.fitted.items() if not key.startswith(("record", "tr"))
            }
            fields["fitted"] = kept | {"objective": np.ones(k)}
    if kind == "names" and not sp.issparse(coef):
        names = [f"{'n' * rng.choice([1, 200])}{i}" for i in range(n)]
        fields["feature_names"] = np.array(names, dtype=object)
    if kind == "params":
        fields["params"] = forged_params(rng, data.params)
    return changed(data, **fields)


def forged_text(rng: random.Random, data: ModelFile) -> ModelFile:
    """Claim other runs, and more hashes."""
    options = dict(data.header["options"])
    fields: dict[str, Any] = {}
    if options["n_features"] is not None and rng.random() < 0.7:
        n = data.header["n_features"] if "kept" in data.arrays else 40
        options["n_features"] = rng.choice([2**20, 2**27, 2**31 - 1])
        fields["kept"] = np.sort(np.array(rng.sample(range(options["n_features"]), n), np.int32))
        fields |= {"coef": data.arrays["coef"][:, :n].copy(), "n_features": n}
        fields["features"] = "some hashes"
    else:
        least = rng.choice([1, 1, 5, 81])
        options["ngram_range"] = (least, least + rng.choice([0, 4, 19]))
        options["analyzer"] = rng.choice(["word", "char", "char_wb"])
    return changed(data, options=options, **fields)


def forged_params(rng: random.Random, params: dict[str, Any]) -> dict[str, Any]:
    name = rng.choice(sorted(params))
    junk = rng.choice([2**62, -1, "x" * 10**4, [1] * 10**4, 1e308, None, True, {"a": "b"}])
    return params | {name: junk}


def case(rng: random.Random, sound: dict[str, Any], folder: Path) -> tuple[str, list[str]]:
    """Write the files of one case; return what it is, and a command."""
    name = rng.choice([*sound, "data", "data", "data"])
    model = folder / "m.tb"
    if name == "data":
        path = rng.choice([rows_of, rows_of, table_of, texts_of])(rng, folder)
        command = rng.choice(["fit", "fit", "inspect", "plan", "predict", "report"])
        if command == "fit":
            how = {
                ".svm": [],
                ".csv": ["--label", "y"],
                ".jsonl": ["--text", "text", "--label", "label"],
            }
            return f"fit {path.suffix}", ["fit", str(path), *how[path.suffix], "--out", str(model)]
        if command in ("inspect", "plan") and path.suffix != ".jsonl":
            more = ["--plan"] if command == "plan" else []
            return f"{command} {path.suffix}", ["inspect", str(path), *more]
        name = {".svm": "linear", ".csv": "table", ".jsonl": "text"}[path.suffix]
        write_model(sound[name], model)
    else:
        try:
            write_model(forged(rng, sound[name]), model)
        except (ValueError, TypeError):  # the writer refuses what the reader would
            write_model(sound[name], model)
        if rng.random() < 0.2:
            model.write_bytes(edit_sealed(rng, model.read_bytes()))
        is_text, is_table = "options" in sound[name].header, name == "table"
        path = (texts_of if is_text else table_of if is_table else rows_of)(rng, folder)
        command = rng.choice(["predict", "report", "inspect"])
    if command not in ("predict", "report"):
        return f"inspect of {name}", ["inspect", str(model)]
    out = ["--out", str(folder / "out")]
    out += ["--text", "text"] if path.suffix == ".jsonl" else []
    if command == "report":
        out += {".svm": [], ".csv": ["--label", "y"], ".jsonl": ["--label", "label"]}[path.suffix]
    elif rng.random() < 0.5:
        out += ["--proba"]
    return f"{command} of {name}", [command, str(model), str(path), *out]


def run(
    number: int, seed: int, sound: dict[str, Any], folder: Path
) -> tuple[str, str, float, float]:
    """Run a case in a child; return what it was, how it ended, megabytes and seconds."""
    for file in folder.iterdir():
        file.unlink()
    name, command = case(random.Random(f"{seed} {number}"), sound, folder)
    largest = max(file.stat().st_size for file in folder.iterdir())
    if largest > MOST_BYTES:
        return name, "too large", 0.0, 0.0
    child = os.fork()
    if child == 0:
        code = 3
        try:
            resource.setrlimit(resource.RLIMIT_AS, (GUARD, GUARD))
            signal.alarm(HANG)
            warnings.simplefilter("ignore")
            result = CliRunner().invoke(app, command)
            is_wrong = result.exit_code == 2 and "not enough memory" in result.stderr
            code = 4 if is_wrong else result.exit_code
            if code not in (0, 2):
                (folder / "error").write_text(repr(result.exception))
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    ended = {0: "done", 2: "refused", 4: "no memory"}.get(os.waitstatus_to_exitcode(status), "died")
    return name, ended, used.ru_maxrss / 1000, used.ru_utime + used.ru_stime


def attack(cases: int, seed: int = 0, first: int = 0) -> list[str]:
    """Run so many cases; return those that took too much, or ended as none may."""
    counts: Counter[str] = Counter()
    wrong = []
    worst: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sound = sound_models(folder)
        for number in range(first, first + cases):
            name, ended, memory, seconds = run(number, seed, sound, folder)
            counts[ended] += 1
            before = worst.get(name, (0.0, 0.0))
            worst[name] = (max(before[0], memory), max(before[1], seconds))
            most = MOST_SECONDS_OF_A_FIT if name.startswith("fit") else MOST_SECONDS
            if memory > MOST_MEMORY or seconds > most or ended in ("died", "no memory"):
                wrong.append(f"case {number}, {name}: {ended}, {memory:.0f} MB, {seconds:.1f} s")
                print(wrong[-1], flush=True)
    for name, (memory, seconds) in sorted(worst.items()):
        print(f"{name:28s} at most {memory:4.0f} MB, {seconds:5.1f} s")
    print(", ".join(f"{n} {ended}" for ended, n in counts.most_common()), flush=True)
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    options = parser.parse_args()
    began = time.perf_counter()
    wrong = attack(options.cases, options.seed, options.first)
    print(f"{options.cases} cases in {time.perf_counter() - began:.0f} s, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
