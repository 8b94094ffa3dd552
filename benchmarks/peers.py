"""tauboost against the classifiers its users come from: time of a fit, and how good the model is.

A fit is timed from CSR in memory to a fitted model. Every classifier runs in a separate process;
they take turns, with a pause between runs, and medians over the repeats count. One more fit before
these, which is not counted, warms up; a fit that takes long is not repeated. Models are scored on a
fixed split: 70 % to fit on, 30 % to score on.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console

import common
from peers_data import SETS, load, quick_sets, split
from peers_models import DEFAULT, LOGISTIC, PEERS, QUICK, Peer, missing
from peers_summary import Line, measure_of, summary
from peers_worker import NoResultError, Worker, save_split

REST = 0.3  # seconds: threads of numerical libraries spin for up to 0.1 s after their work
QUICK_PEERS = (DEFAULT, QUICK, "LIBLINEAR logistic, C=0.3", LOGISTIC)
LONG = 20.0  # seconds; a fit that takes longer is not repeated
CLOCKS = ("processor_seconds", "predict_seconds")

Row = dict[str, Any]
Workers = dict[str, Worker]


# The comparison.


def compare(data: common.Data, workers: Workers, chosen: argparse.Namespace) -> list[Row]:
    """Fit every classifier on one data set; those without a result have a row that says why."""
    parts = split(data)
    X, y = parts["train"]
    about: Row = {"data": data.name, "n_samples": X.shape[0], "n_features": X.shape[1]}
    about |= {"nnz": X.nnz, "n_classes": len(np.unique(y)), "n_test": len(parts["test"][1])}
    return race_on(parts, about, workers, chosen)


def race_on(
    parts: Mapping[str, Any], about: Row, workers: Workers, chosen: argparse.Namespace
) -> list[Row]:
    """Fit every classifier on one part of a split, and score it on the other."""
    taking_part = [peer for peer in chosen.peers if peer.is_multiclass or about["n_classes"] == 2]
    with tempfile.TemporaryDirectory() as folder:
        save_split(Path(folder), parts)
        failures = start(taking_part, workers, Path(folder), chosen)
        answers, failed = fit_peers([p for p in taking_part if p.name in workers], workers, chosen)
    failures |= failed
    return [
        about | row_of(peer, answers.get(peer.name, []), failures.get(peer.name, ""), chosen)
        for peer in taking_part
    ]


def start(
    peers: Sequence[Peer], workers: Workers, folder: Path, chosen: argparse.Namespace
) -> dict[str, str]:
    """Let every worker read the split, after starting those that are not there; who fails, why."""
    for peer in peers:
        if peer.name not in workers:
            workers[peer.name] = Worker(peer, chosen.threads, chosen.seed, chosen.time_limit)
        workers[peer.name].load(folder)
    return {
        peer.name: why for peer in peers if (why := failure(peer, workers, Worker.is_ready)) != ""
    }


def fit_peers(
    peers: Sequence[Peer], workers: Workers, chosen: argparse.Namespace
) -> tuple[dict[str, list[Row]], dict[str, str]]:
    """Fit in turns: the answers of those that had any, and why the others had none."""
    answers: dict[str, list[Row]] = {peer.name: [] for peer in peers}
    failures: dict[str, str] = {}
    with Console(stderr=True).status("") as status:
        for turn in range(chosen.repeats + 1):
            # Forth and back, so that no one always follows the same one.
            for peer in peers if turn % 2 == 0 else peers[::-1]:
                mine = answers[peer.name]
                if peer.name in failures or (mine and mine[0]["seconds"] > chosen.long):
                    continue
                status.update(f"round {turn} of {chosen.repeats}: {peer.name}")
                time.sleep(chosen.rest)
                why = failure(
                    peer, workers, lambda worker, mine=mine: mine.append(worker.fit(not mine))
                )
                if why:
                    failures[peer.name] = why
    return answers, failures


def failure(peer: Peer, workers: Workers, act: Any) -> str:
    """Let a worker act; if that fails, end the worker and return why."""
    try:
        act(workers[peer.name])
    except NoResultError as why:
        workers.pop(peer.name).close()
        return str(why)
    return ""


def row_of(peer: Peer, answers: Sequence[Row], failure: str, chosen: argparse.Namespace) -> Row:
    """Sum up the fits of a classifier; the first was for warming up, unless it is the only one."""
    row: Row = {"model": peer.name, "family": peer.family, "threads": chosen.threads}
    scores = ("auc", "accuracy", "log_loss", "brier")
    if not answers:
        nothing = dict.fromkeys(
            ("seconds", "fastest", *CLOCKS, *scores, "other_cores_busy"), math.nan
        )
        return row | nothing | {"repeats": 0, "warning": "", "failure": failure}
    counted = answers[1:] or answers
    seconds = [answer["seconds"] for answer in counted]
    busy = sum(answer["busy"] for answer in counted) / sum(seconds)
    row |= {"seconds": median(seconds), "fastest": min(seconds)}
    row |= {clock: median(answer[clock] for answer in counted) for clock in CLOCKS}
    row |= {score: answers[0][score] for score in scores}
    row |= {"other_cores_busy": round(busy, 2), "repeats": len(counted)}
    return row | {"warning": answers[0]["warning"], "failure": failure}


# What is shown.


def show(rows: Sequence[Row], repeats: int) -> None:
    """Print the table of a data set, the best model first."""
    measure = measure_of(rows)
    base = next((row["seconds"] for row in rows if row["model"] == DEFAULT), math.nan)
    styles = {"auc": "{:.4f}", "accuracy": "{:.4f}", "log_loss": "{:.4f}", "brier": "{:.4f}"}
    lines, notes = [], []
    for row in sorted(rows, key=lambda row: (math.isnan(row[measure]), -row[measure])):
        cells = [style.format(row[name]) for name, style in styles.items()]
        ratio = row["seconds"] / base
        cells += [f"{row['seconds']:.4f}", f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"]
        note = row["warning"] or row["failure"]
        lines.append((row["model"] + " *" * bool(note), *(c.replace("nan", "-") for c in cells)))
        notes += [f"* {row['model']}: {note}"] if note else []
    common.print_table(
        f"{title(rows)}; medians of {repeats}",
        ("model", "AUC", "accuracy", "log-loss", "Brier", "seconds", f"x {DEFAULT}"),
        lines,
    )
    print("\n".join([*notes, ""]) if notes else "", end="\n" if notes else "")
    counted = [row["other_cores_busy"] * row["seconds"] for row in rows if row["repeats"]]
    total = sum(row["seconds"] for row in rows if row["repeats"])
    if counted:
        common.remark_on(sum(counted) / total)


def title(rows: Sequence[Row]) -> str:
    """Say what was fitted on."""
    words = "{data}: {n_samples:,} samples, {n_features:,} features, {nnz:,} nonzeros"
    text = words.format(**rows[0])
    return text if rows[0]["n_classes"] == 2 else f"{text}, {rows[0]['n_classes']} classes"


def show_summary(lines: Sequence[Line]) -> list[Row]:
    """Print what it comes to, and return that as rows."""
    common.print_table(
        "Summary",
        ("data", "model", "figure", "is", "wanted", "reached"),
        [line.cells() for line in lines],
        n_words=3,
    )
    return [
        {"data": line.data, "model": line.model, "what": line.what, "figure": line.figure}
        | {"wanted": line.wanted, "reached": line.reached}
        for line in lines
    ]


# The command line.


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    add = options.add_argument
    add("data", nargs="*", help=f"svmlight files, or any of {', '.join(SETS)}; by default these")
    add("--repeats", type=int, default=5, help="timed fits of each classifier")
    add("--time-limit", type=float, default=120.0, help="seconds that a fit may take")
    common.add_long(options, LONG)
    add("--rest", type=float, default=REST, help="seconds of pause before each fit")
    add("--peers", nargs="+", metavar="WORD", help="only classifiers with such a word in the name")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.repeats, chosen.rest = 1, 0.0
    chosen.peers = list(installed(PEERS, QUICK_PEERS, chosen))
    if chosen.repeats < 1:
        options.error("--repeats must be at least 1")
    if not chosen.peers:
        options.error("--peers leaves none; there are " + "; ".join(p.name for p in PEERS))
    return chosen


def installed(
    peers: Sequence[Peer], quick: Sequence[str], chosen: argparse.Namespace
) -> Iterator[Peer]:
    """Yield the classifiers that were asked for and are installed; ``quick`` ones when quick."""
    words = [word.lower() for word in chosen.peers or [""]]
    skipped: dict[str, str] = {}
    for peer in peers:
        is_wanted = any(word in peer.name.lower() for word in words)
        if chosen.quick and chosen.peers is None:
            is_wanted = peer.name in quick
        if is_wanted and (package := missing(peer)):
            skipped[peer.family] = package
        elif is_wanted:
            yield peer
    for family, package in skipped.items():
        print(f"skipped: {family} (not installed: pip install {package})")


def main() -> None:
    """Compare on every data set, and sum up."""
    chosen = arguments()
    origin = common.provenance(chosen.seed)
    workers: Workers = {}
    tables: dict[str, list[Row]] = {}
    try:
        for data in common.chosen_sets(chosen, SETS, partial(load, seed=chosen.seed), quick_sets):
            rows = tables[data.name] = compare(data, workers, chosen)
            show(rows, chosen.repeats)
            common.write_csv(chosen.out / f"peers_{data.name}.csv", rows, origin)
            if any(row["repeats"] for row in rows):
                from peers_plot import draw  # noqa: PLC0415, the workers need no matplotlib

                path = chosen.out / f"peers_{data.name}.png"
                draw(rows, measure_of(rows), title(rows), path)
    finally:
        for worker in workers.values():
            worker.close()
    if tables and (lines := show_summary(summary(tables))):
        common.write_csv(chosen.out / "peers_summary.csv", lines, origin)


if __name__ == "__main__":
    main()
