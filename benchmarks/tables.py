"""tauboost against what people fit tables with: AUC, log-loss and the time of a fit.

Any CSV file, or the public tables. 70 % of the rows to fit on, 30 % to score on, the same for all;
every classifier in a separate process, in turns, all threads; the median of the repeats counts.
A fit that takes longer than ten seconds is not repeated. --sweep, --million, --genes and --greedy
measure single figures instead.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

import common
from peers import REST, Workers, installed, race_on, show_summary
from peers_summary import Line
from tables_data import LABEL, SETS, Table, load, quick_tables, split
from tables_models import ADABOOST, EBM, EBM_MAINS, OURS, OURS_MAINS, PEERS, QUICK_PEERS
from tables_scale import SCALES

Row = dict[str, Any]
LONG = 10.0  # seconds; a fit that takes longer is not repeated
EVERY = "all"
WORST = 1.25  # AUC differs little on tables: who misses more to 1 stands at the lower edge


def compare(table: Table, workers: Workers, chosen: argparse.Namespace) -> list[Row]:
    """Fit every classifier on one table; those without a result have a row that says why."""
    parts = split(table)
    X, y = parts["train"]
    about: Row = {"data": table.name, "n_samples": len(y), "n_features": X.shape[1]}
    about |= {"n_classes": len(np.unique(y)), "n_test": len(parts["test"][1])}
    return race_on(parts, about, workers, chosen)


# What is shown.


def title(rows: Sequence[Row]) -> str:
    """Say what was fitted on."""
    return "{data}: {n_samples:,} rows x {n_features} columns".format(**rows[0])


def markdown(rows: Sequence[Row]) -> str:
    """Return a table's results, the best AUC first; the ratio is to the time of tauboost."""
    ours = seconds_of(rows, OURS)
    lines = ["| model | AUC | log-loss | seconds | x tauboost |", "|---|---|---|---|---|"]
    notes = []
    for row in sorted(rows, key=lambda row: (math.isnan(row["auc"]), -row["auc"])):
        name = f"**{row['model']}**" if row["family"] == "tauboost" else row["model"]
        ratio = row["seconds"] / ours
        shown = f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"
        cells = (name, f"{row['auc']:.4f}", f"{row['log_loss']:.4f}", f"{row['seconds']:.3f}")
        lines.append(f"| {' | '.join((*cells, shown))} |".replace("nan", "-"))
        note = row["failure"] or row["warning"]
        notes += [f"{row['model']}: {note}"] if note else []
    return "\n\n".join([f"### {title(rows)}", "\n".join(lines), *notes, ""])


def seconds_of(rows: Sequence[Row], model: str) -> float:
    """Return the seconds of a classifier; not a number where it has none."""
    return next((row["seconds"] for row in rows if row["model"] == model), math.nan)


def totals(tables: Mapping[str, Sequence[Row]]) -> Iterator[Line]:
    """Compare AUC on each table and on average, and times in total, with what is wanted."""
    for ours, theirs in ((OURS_MAINS, EBM_MAINS), (OURS, EBM)):
        gains = {name: difference(rows, ours, theirs) for name, rows in tables.items()}
        for name, gain in gains.items():
            yield Line(name, ours, f"AUC - that of {theirs}", gain, -0.003, "{:+.4f}")
        average = sum(gains.values()) / len(gains)
        yield Line(EVERY, ours, f"AUC - that of {theirs}, average", average, -0.001, "{:+.4f}")
    for name, rows in tables.items():
        gain = difference(rows, OURS_MAINS, ADABOOST)
        yield Line(name, OURS_MAINS, "AUC - that of AdaBoost", gain, 0.0, "{:+.4f}")
    for ours, theirs, wanted in (
        (OURS_MAINS, EBM_MAINS, 50.0),
        (OURS_MAINS, ADABOOST, 20.0),
        (OURS, EBM, 100.0),
        (OURS, "HistGradientBoosting", 1.0),
        (OURS, "LightGBM", 1.0),
    ):
        spent = [sum(seconds_of(rows, who) for rows in tables.values()) for who in (theirs, ours)]
        yield Line(EVERY, ours, f"time of {theirs} / ours", spent[0] / spent[1], wanted)


def difference(rows: Sequence[Row], ours: str, theirs: str) -> float:
    """Return by how much one AUC is larger than another."""
    auc = {row["model"]: row["auc"] for row in rows}
    return auc.get(ours, math.nan) - auc.get(theirs, math.nan)


# The command line.


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    add = options.add_argument
    add("data", nargs="*", help=f"CSV files, or any of {', '.join(SETS)}; by default these")
    add("--label", default=LABEL, help="the column to predict")
    add("--repeats", type=int, default=5, help="timed fits of each classifier")
    add("--time-limit", type=float, default=1800.0, help="seconds that a fit may take")
    add("--rest", type=float, default=REST, help="seconds of pause before each fit")
    add("--peers", nargs="+", metavar="WORD", help="only classifiers with such a word in the name")
    for name, measure in SCALES.items():
        add(f"--{name}", action="store_true", help=(measure.__doc__ or "").splitlines()[0])
    common.add_long(options, LONG)
    chosen = options.parse_args()
    if chosen.repeats < 1:
        options.error("--repeats must be at least 1")
    chosen.scales = [name for name in SCALES if getattr(chosen, name)]
    if chosen.scales:
        return chosen
    if chosen.quick:
        chosen.repeats, chosen.rest = 1, 0.0
    chosen.peers = list(installed(PEERS, QUICK_PEERS, chosen))
    if not chosen.peers:
        options.error("--peers leaves none; there are " + "; ".join(p.name for p in PEERS))
    return chosen


def main() -> None:
    """Compare on every table and sum up, or measure the single figures that were asked for."""
    chosen = arguments()
    origin = common.provenance(chosen.seed)
    for name in chosen.scales:
        facts = SCALES[name](chosen)
        facts.show()
        common.write_csv(chosen.out / f"tables_{name}.csv", facts.rows, origin)
    if chosen.scales:
        return
    workers: Workers = {}
    found: dict[str, list[Row]] = {}
    try:
        for table in common.chosen_sets(
            chosen, SETS, partial(load, label=chosen.label), quick_tables
        ):
            rows = found[table.name] = compare(table, workers, chosen)
            print(markdown(rows))
    finally:
        for worker in workers.values():
            worker.close()
    if not found:
        raise SystemExit("error: no table to compare on; name a CSV file, or set TAUBOOST_DATA")
    common.write_csv(chosen.out / "tables.csv", chain(*found.values()), origin)
    lines = show_summary(list(totals(found)))
    common.write_csv(chosen.out / "tables_summary.csv", lines, origin)
    drawn = {title(rows): rows for rows in found.values() if any(r["repeats"] for r in rows)}
    if drawn:
        from peers_plot import draw_all  # noqa: PLC0415, the workers need no matplotlib

        draw_all(drawn, "auc", chosen.out / "tables.png", WORST)


if __name__ == "__main__":
    main()
