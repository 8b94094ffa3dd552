"""tauboost against what people classify texts with: from strings to predictions.

Ways to a model are compared on the corpus's own split: every one in a separate process, in turns,
all threads; the median of the repeats counts. A fit that takes longer than forty seconds is not
repeated. Then vectorizers are held against each other and against the reading of the bytes, the
command line is timed from a file to a model, and a model is made small. --ways, --vectorizers,
--files and --budget choose some of these; --scale, a gigabyte of texts, is done only if asked for.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import common
from peers import REST, Workers, installed, race_on
from texts_data import SETS, Corpus, load, quick_corpus
from texts_models import OURS, OURS_ALONE, PAIRS, PEERS, QUICK_PEERS
from texts_scale import SINGLE, scale

Row = dict[str, Any]
LONG = 40.0  # seconds; a fit that takes longer is not repeated
COLUMNS = {"accuracy": "{:.4f}", "auc": "{:.4f}", "processor_seconds": "{:.2f}"}
COLUMNS |= {"seconds": "{:.2f}", "predict_seconds": "{:.2f}"}
HEADS = ("model", "accuracy", "AUC", "processor s", "wall s", "prediction s", "x tauboost")


def compare(corpus: Corpus, workers: Workers, chosen: argparse.Namespace) -> list[Row]:
    """Fit every model on a corpus; those without a result have a row that says why."""
    parts = {"train": corpus.train, "test": corpus.test}
    about: Row = {"data": corpus.name, "n_samples": len(corpus.train[0])}
    about |= {"n_classes": len(np.unique(corpus.train[1])), "n_test": len(corpus.test[0])}
    return race_on(parts, about, workers, chosen)


# What is shown.


def title(rows: Sequence[Row]) -> str:
    """Say what was fitted on."""
    return "{data}: {n_samples:,} texts to fit on, {n_test:,} to score on".format(**rows[0])


def markdown(rows: Sequence[Row]) -> str:
    """Return the results, the best accuracy first; the ratio is to the wall time of tauboost."""
    ours = figure(rows, OURS, "seconds")
    lines = [f"| {' | '.join(HEADS)} |", "|---" * len(HEADS) + "|"]
    notes = []
    for row in sorted(rows, key=lambda row: (math.isnan(row["accuracy"]), -row["accuracy"])):
        name = f"**{row['model']}**" if row["family"] == "tauboost" else row["model"]
        cells = [name, *(style.format(row[name]) for name, style in COLUMNS.items())]
        cells.append(f"{row['seconds'] / ours:.1f}")
        lines.append(f"| {' | '.join(cells)} |")
        note = row["failure"] or row["warning"]
        notes += [f"{row['model']}: {note}"] if note else []
    table = "\n".join(lines).replace(" nan ", " - ")
    return "\n\n".join([f"### {title(rows)}", table, *notes, ""])


def figure(rows: Sequence[Row], model: str, column: str) -> float:
    """Return a figure of a model; not a number where it has none."""
    return next((row[column] for row in rows if row["model"] == model), math.nan)


def summary(rows: Sequence[Row]) -> common.Facts:
    """Hold our figures against what is wanted, and against the peers'."""
    about = {name: rows[0][name] for name in ("data", "n_samples", "n_test")}
    facts = common.Facts(about, title(rows))
    facts.add("accuracy", 100 * figure(rows, OURS, "accuracy"), "%", "at least 90.6, aim 91.0")
    facts.add("AUC", figure(rows, OURS, "auc"), "", "at least 0.964, aim 0.968")
    spent = figure(rows, OURS_ALONE, "processor_seconds")
    facts.add("strings to model, processor", spent, "seconds", "below 1.2, aim 0.8")
    theirs = figure(rows, PAIRS, "predict_seconds")
    for ours, goal in ((OURS_ALONE, "at least 15"), (OURS, "")):
        ratio = theirs / figure(rows, ours, "predict_seconds")
        facts.add(f"prediction: time of {PAIRS} / {ours}", ratio, "times", goal)
    others = [row for row in rows if row["family"] != "tauboost" and row["repeats"]]
    best = max((row["accuracy"] for row in others), default=math.nan)
    facts.add("accuracy - the best peer's", 100 * (figure(rows, OURS, "accuracy") - best), "points")
    fastest = min((row["seconds"] for row in others), default=math.nan)
    ratio = fastest / figure(rows, OURS, "seconds")
    facts.add("time of the fastest peer / ours", ratio, "times")
    return facts


# The command line.


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    add = options.add_argument
    add("data", nargs="*", help=f"NAME_train.jsonl files, or any of {', '.join(SETS)}")
    add("--repeats", type=int, default=5, help="timed runs of each")
    add("--time-limit", type=float, default=1800.0, help="seconds that a fit may take")
    add("--rest", type=float, default=REST, help="seconds of pause before each fit")
    add("--peers", nargs="+", metavar="WORD", help="only models with such a word in the name")
    add("--ways", action="store_true", help="Compare ways from strings to predictions.")
    for name, measure in (SINGLE | {"scale": scale}).items():
        add(f"--{name}", action="store_true", help=(measure.__doc__ or "").splitlines()[0])
    common.add_long(options, LONG)
    chosen = options.parse_args()
    if chosen.repeats < 1:
        options.error("--repeats must be at least 1")
    if chosen.quick:
        chosen.repeats, chosen.rest = 1, 0.0
    chosen.single = [name for name in SINGLE if getattr(chosen, name)]
    if not (chosen.ways or chosen.single or chosen.scale):
        chosen.ways, chosen.single = True, list(SINGLE)
    if chosen.ways:
        chosen.peers = list(installed(PEERS, QUICK_PEERS, chosen))
        if not chosen.peers:
            options.error("--peers leaves none; there are " + "; ".join(p.name for p in PEERS))
    return chosen


def ways(corpus: Corpus, chosen: argparse.Namespace, origin: Row) -> None:
    """Compare ways from strings to predictions: a table, a picture, and what it comes to."""
    workers: Workers = {}
    try:
        rows = compare(corpus, workers, chosen)
    finally:
        for worker in workers.values():
            worker.close()
    print(markdown(rows))
    common.write_csv(chosen.out / f"texts_{corpus.name}.csv", rows, origin)
    report(summary(rows), corpus, "summary", chosen, origin)
    if any(row["repeats"] for row in rows):
        from peers_plot import draw  # noqa: PLC0415, the workers need no matplotlib

        draw(rows, "accuracy", title(rows), chosen.out / f"texts_{corpus.name}.png")


def report(
    facts: common.Facts, corpus: Corpus | None, name: str, chosen: argparse.Namespace, origin: Row
) -> None:
    """Print single figures, and write them."""
    facts.show()
    end = name if corpus is None else f"{corpus.name}_{name}"
    common.write_csv(chosen.out / f"texts_{end}.csv", facts.rows, origin)


def main() -> None:
    """Measure what was asked for, on every corpus."""
    chosen = arguments()
    origin = common.provenance(chosen.seed)
    chosen.out.mkdir(parents=True, exist_ok=True)
    corpora = common.chosen_sets(chosen, SETS, load, lambda seed: [quick_corpus(seed)])
    for corpus in corpora if chosen.ways or chosen.single else ():
        if chosen.ways:
            ways(corpus, chosen, origin)
        for name in chosen.single:
            report(SINGLE[name](corpus, chosen), corpus, name, chosen, origin)
    if chosen.scale:
        report(scale(chosen), None, "scale", chosen, origin)


if __name__ == "__main__":
    main()
