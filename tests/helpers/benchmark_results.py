"""Made-up results of a run of all benchmarks: every file that the page is made from, tiny."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]
COMMIT = "1234567"
NAN = "nan"
GAPS = [10.0**-k for k in range(1, 9)]


def fit(model: str, family: str, score: float | str, seconds: float | str, **more: Any) -> Row:
    """A row of a race."""
    row = {"model": model, "family": family, "threads": 2, "seconds": seconds, "auc": score}
    row |= {"accuracy": score, "processor_seconds": seconds, "predict_seconds": 0.5}
    return row | {"failure": "", "n_classes": 2} | more


def race(data: str, *rows: Row) -> list[Row]:
    """Rows of a race on a data set."""
    return [{"data": data} | row for row in rows]


def facts(values: dict[str, float], unit: str = "seconds", **about: Any) -> list[Row]:
    """Single figures."""
    return [about | {"what": what, "value": value, "unit": unit} for what, value in values.items()]


STOPPED = {"failure": "the fit took more than 150 s"}
SPARSE = [
    fit("tauboost", "tauboost", 0.9623, 0.18),
    fit("tauboost, quick fit", "tauboost", 0.956, 0.05),
    fit("LIBLINEAR logistic, C=0.03", "LIBLINEAR", 0.9586, 2.0),
    fit("LIBLINEAR SVM, C=3", "LIBLINEAR", 0.93, 1.5),
    fit("Snap ML", "Snap ML", 0.94, 0.09),
]
TABLE = [
    fit("tauboost", "tauboost", 0.8524, 0.13),
    fit("LightGBM", "LightGBM", 0.8525, 0.11),
    fit("EBM", "EBM", NAN, NAN, **STOPPED),
]
TEXTS = [
    fit("tauboost", "tauboost", 0.9096, 1.5),
    fit("tf-idf of pairs + SGD", "SGD", 0.9055, 20.2, auc=0.9671),
]
VECTORIZERS = {
    "limit: copy the bytes of all texts": 0.0037,
    "limit: read them once": 0.0025,
    "words: scikit-learn": 4.6,
    "words: tauboost, 1 thread": 0.168,
    "words: tauboost, 2 threads": 0.135,
    "words and pairs: peak memory, scikit-learn": 442.0,
    "words and pairs: peak memory, tauboost, 1 thread": 262.0,
    "words and pairs: peak memory, tauboost, 2 threads": 286.0,
}


def to_gaps(peer: str, ratio: float) -> list[Row]:
    """Seconds of exact and of a peer to gaps; the last is not reached by the peer."""
    rows = [
        {"method": "exact", "gap": gap, "seconds": 0.1, "ratio_to_exact": 1.0} for gap in GAPS
    ] + [
        {"method": peer, "gap": gap, "seconds": 0.1 * ratio, "ratio_to_exact": ratio}
        for gap in GAPS
    ]
    rows[-1] |= {"seconds": "inf", "ratio_to_exact": "inf"}
    return rows


def tau_runs() -> list[Row]:
    """Runs to one objective for several tau, half as many iterations as predicted at most."""
    about = {"data": "w8a", "method": "pcdm", "threads": 2, "epochs": 1.0, "seconds": 1.0}
    return [
        about | {"tau": tau, "beta": tau / saved, "iterations": 1000 / measured}
        for tau, saved, measured in ((1, 1.0, 1.0), (16, 2.0, 2.2))
    ]


def kernels() -> list[Row]:
    """Times of two kernels."""
    about = {"data": "w8a", "ns_per_nonzero": 0.5, "ratio_to_pure_gather": 1.0}
    return [about | {"kernel": "pure gather", "threads": n} for n in (1, 2)]


SWEEP = {"data": "imdb_unigram", "loss": "logistic", "alpha": 3e-4, "l1_ratio": 0.0, "threads": 1}
SWEEP |= {"ns_per_nonzero": 3.04, "ratio_to_pure_gather": 4.4}
SCALING = {"data": "url-like", "nnz": 50e6, "threads": 2, "seconds": 0.7}
GAP = {"data": "w8a", "loss": "logistic", "psi": "l1 0.001", "status": "converged", "gap": 1e-9}
PLAN = {"data": "w8a", "what": "default fit", "ratio": 1.2, "is_goal": True}
ADABOOST = {"data": "adult", "model": "AdaBoost", "auc": 0.9149, "seconds": 1.2}
READING = {"data": "imdb_unigram", "bytes": 57.5e6, "reader": "load_svmlight", "threads": 2}
FILES: dict[str, dict[str, list[Row]]] = {
    "peers": {
        "peers_a9a.csv": race("a9a", *SPARSE),
        "peers_imdb_unigram.csv": race("imdb_unigram", *SPARSE),
        "peers_summary.csv": race("imdb_unigram", {"what": "AUC - best peer's"}),
    },
    "tables": {"tables.csv": race("telco", *TABLE) + race("adult", *TABLE)},
    "tables-large": {
        "tables_million.csv": facts({"fit, 2 threads": 4.7}, n_samples=1e6, n_features=30),
        "tables_genes.csv": facts({"fit": 3.4}, n_samples=500, n_features=10_000),
    },
    "texts": {
        "texts_imdb.csv": race("imdb", *TEXTS),
        "texts_imdb_summary.csv": facts({"accuracy": 90.96}, "%"),
    },
    "texts-single": {
        "texts_imdb_vectorizers.csv": facts(VECTORIZERS),
        "texts_imdb_files.csv": facts({"file to model": 2.3}),
        "texts_imdb_budget.csv": facts({"accuracy, small model": 90.94}, "%"),
    },
    "paper": {"figure1.csv": [{"method": "exact"}], "figure3.csv": tau_runs()},
    "gap-w8a": {"solvers_w8a_exponential.csv": to_gaps("lbfgs", 9.0)},
    "gap-exponential": {"solvers_imdb_unigram_exponential_l2_0.001.csv": to_gaps("lbfgs", 9.0)},
    "gap-logistic": {"solvers_imdb_unigram_logistic_l2_0.0003.csv": to_gaps("newton-cg", 0.5)},
    "threads": {"solvers_scaling.csv": [SCALING | {"ratio_to_one_thread": 1.8}]},
    "sweep": {"solvers_sweep_imdb_unigram.csv": [SWEEP]},
    "certified": {"gaps.csv": [GAP | {"epochs": 14.0, "seconds": 0.173, "ratio": 1.56}]},
    "plan": {"plan.csv": [PLAN, PLAN | {"what": "building", "is_goal": False}]},
    "adaboost": {"parallel_adaboost.csv": [ADABOOST]},
    "kernels": {
        "kernels.csv": kernels(),
        "async_updates.csv": [SCALING | {"ratio_to_one_thread": 1.64}],
    },
    "reading": {
        "reading.csv": [READING | {"megabytes_per_second": 1745, "ratio_to_scikit_learn": 82.0}]
    },
    "file-to-model": {
        "file_to_model.csv": [{"what": "file to model: tauboost", "seconds": 0.19, "ratio": 22.0}]
    },
}
PICTURES = ("peers_imdb_unigram", "tables", "texts_imdb", "figure1", "figure3", "plan")
MACHINE: Row = {"processor": "A processor", "cores": 2, "memory_gb": 8.1, "system": "Linux 6.1"}
MACHINE |= {"python": "3.11.7", "compiler": "c++ 12.2.0", "packages": {"numpy": "2.4.6"}}
MACHINE |= {"commit": COMMIT, "date": "2026-11-18 03:00 UTC"}


def write_results(folder: Path) -> Path:
    """Write all of it."""
    folder.mkdir(exist_ok=True)
    parts = {}
    for part, files in FILES.items():
        for name, rows in files.items():
            write_rows(folder / name, rows, COMMIT)
        parts[part] = {"commit": COMMIT, "options": ["--repeats", "3"], "code": 0, "why": ""}
        parts[part] |= {"files": list(files), "seconds": 60.0, "other_cores_busy": 0.05}
    parts["plan"]["other_cores_busy"] = 0.4
    for name in (*PICTURES, "solvers_w8a_exponential"):
        (folder / f"{name}.png").write_bytes(name.encode())
    record = {"quick": False, "machine": MACHINE, "parts": parts}
    (folder / "machine.json").write_text(json.dumps(record))
    return folder


def write_rows(path: Path, rows: list[Row], commit: str) -> None:
    """Write rows of one file."""
    complete = [row | {"commit": commit} for row in rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(complete[0]))
        writer.writeheader()
        writer.writerows(complete)
