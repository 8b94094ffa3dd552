"""The tables of docs/benchmarks.md by kind of data: the summary, sparse data, tables and texts.

Each function takes the results of a run and returns Markdown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from page_comparisons import OURS, Comparison, comparisons, sparse, tables, texts, without_result
from page_results import Results, figure, seconds, table, times

__all__ = ["GENERATORS"]

QUICK = "tauboost, quick fit"
LIBLINEAR = "LIBLINEAR"
WORDS = {"auc": "AUC", "accuracy": "accuracy"}


# The summary.


def summary(results: Results) -> str:
    """Return a line for each data set: us, the fastest peer and the best one."""
    heads = ["", "data", "", "tauboost", "the fastest peer", "its time / ours"]
    heads += ["the best peer", "its time / ours"]
    lines, kind = [], ""
    for entry in comparisons(results):
        ours = entry.ours["seconds"]
        cells = [entry.kind if entry.kind != kind else "", entry.name, WORDS[entry.measure]]
        cells.append(f"**{entry.cell(entry.ours)}**")
        for peer in (entry.fastest, entry.best):
            cells += [f"{peer['model']}: {entry.cell(peer)}", times(peer["seconds"] / ours)]
        lines.append(cells)
        kind = entry.kind
    return table(heads, lines)


def behind(results: Results) -> str:
    """List where a peer is faster than our default, or better."""
    lines = [line for entry in comparisons(results) for line in defeats(entry)]
    return "\n".join(lines) or "Nowhere in this run."


def defeats(entry: Comparison) -> Iterator[str]:
    """Yield a line if any peer of a comparison is ahead in time or in quality."""
    ours, fastest = entry.ours, entry.fastest
    of_all = f"of {len(entry.peers)} peers, most of all"
    faster = [peer for peer in entry.peers if peer["seconds"] < ours["seconds"]]
    said = []
    if faster:
        ratio = times(ours["seconds"] / fastest["seconds"])
        scores = f"{WORDS[entry.measure]} {entry.against(fastest)}"
        most = f"{fastest['model']} ({ratio} times as fast, {scores})"
        said.append(f"Faster: {len(faster)} {of_all} {most}.")
    # Texts are ordered by accuracy, and a peer may still rank better.
    for judged in [entry, *([replace(entry, measure="auc")] if entry.kind == "texts" else [])]:
        better = [peer for peer in judged.peers if judged.score(peer) > judged.score(ours)]
        if not better:
            continue
        best, word = judged.best, WORDS[judged.measure]
        spent = f"{seconds(best['seconds'])} s against {seconds(ours['seconds'])} s"
        most = f"{best['model']} ({judged.against(best)}, in {spent})"
        said.append(f"Higher {word}: {len(better)} {of_all} {most}.")
        if both := [peer["model"] for peer in better if peer in faster]:
            said.append(f"Ahead in both: {'; '.join(both)}.")
    if said:
        yield f"- **{entry.name}** ({entry.kind}). {' '.join(said)}"


# Sparse data.


def peers(results: Results) -> str:
    """Return every family of classifiers by its best setting, on all sets."""
    found = sparse(results)
    families = family_names(found)
    heads = ["", *(entry.name for entry in found)]
    lines = [["**tauboost**", *(f"**{entry.cell(entry.ours)}**" for entry in found)]]
    lines.append(["a quick fit of it", *(named(entry, QUICK) for entry in found)])
    lines += [[label, *(best_of(entry, f) for entry in found)] for f, label in families.items()]
    return table(heads, lines)


def family_names(found: Sequence[Comparison]) -> dict[str, str]:
    """Return the names of families of peers; one with a single model has the name of that."""
    models: dict[str, set[str]] = {}
    for row in (row for entry in found for row in entry.rows if row["family"] != OURS):
        models.setdefault(row["family"], set()).add(row["model"])
    return {family: min(own) if len(own) == 1 else family for family, own in models.items()}


def named(entry: Comparison, model: str) -> str:
    """Write the result of a model."""
    return next((entry.cell(row) for row in entry.rows if row["model"] == model), "-")


def best_of(entry: Comparison, family: str) -> str:
    """Write the best result of a family."""
    rows = [row for row in entry.rows if row["family"] == family]
    fitted = [row for row in rows if math.isfinite(row["seconds"])]
    if not fitted:
        return without_result(rows[0]) if rows else "-"
    return entry.cell(max(fitted, key=entry.score))


def quick_fit(results: Results) -> str:
    """Hold the single quick fit against the fastest LIBLINEAR, on the first set."""
    entry = sparse(results)[0]
    quick = next((row for row in entry.rows if row["model"] == QUICK), None)
    theirs = [row for row in entry.peers if row["family"] == LIBLINEAR]
    if quick is None or not theirs or not math.isfinite(quick["seconds"]):
        return "It was not measured in this run."
    fastest = min(theirs, key=lambda row: row["seconds"])
    return (
        f"On {entry.name}: {WORDS[entry.measure]} {entry.score(quick):.4f} after "
        f"{seconds(quick['seconds'])} s, {times(fastest['seconds'] / quick['seconds'])} times as "
        f"fast as the fastest LIBLINEAR on one core ({fastest['model']}, {entry.cell(fastest)})."
    )


# Tables.


def table_models(results: Results) -> str:
    """Return AUC and seconds of every model on every table."""
    found = tables(results)
    models = dict.fromkeys(row["model"] for entry in found for row in entry.rows)
    ours = {row["model"] for entry in found for row in entry.rows if row["family"] == OURS}
    lines = []
    for model in models:
        name = f"**{model}**" if model in ours else model
        lines.append([name, *(named(entry, model) for entry in found)])
    return table(["", *(entry.name for entry in found)], lines)


def large_tables(results: Results) -> str:
    """Return the single figures of generated tables."""
    lines = []
    for pattern in ("tables_million.csv", "tables_genes.csv"):
        for row in results.rows("tables-large", pattern):
            shape = f"{row['n_samples']:,.0f} x {row['n_features']:,.0f}"
            lines.append([shape, row["what"], figure(row["value"], row["unit"])])
    return table(["rows x columns", "what", ""], lines)


# Texts.


def text_ways(results: Results) -> str:
    """Return accuracy, AUC and times of every way from strings to labels."""
    heads = ["way", "accuracy", "AUC", "fit: wall s", "x tauboost", "processor s", "labels: s"]
    lines = []
    for entry in texts(results):
        for row in sorted(entry.rows, key=lambda r: (math.isnan(r["accuracy"]), -r["accuracy"])):
            name = f"**{row['model']}**" if row["family"] == OURS else row["model"]
            if math.isnan(row["seconds"]):
                lines.append([name, without_result(row), *[""] * (len(heads) - 2)])
                continue
            ratio = times(row["seconds"] / entry.ours["seconds"])
            lines.append([name, f"{row['accuracy']:.4f}", f"{row['auc']:.4f}"])
            clocks = (row["processor_seconds"], row["predict_seconds"])
            lines[-1] += [seconds(row["seconds"]), ratio, *map(seconds, clocks)]
    return table(heads, lines)


def vectorizers(results: Results) -> str:
    """Return the time of ``fit_transform``, of scikit-learn's vectorizers and of ours."""
    facts = results.facts("texts-single", "texts_*_vectorizers.csv")
    heads = ["`fit_transform`", "scikit-learn", "tauboost, one thread", "ratio", "two threads"]
    lines = []
    for what, theirs in facts.items():
        task, is_theirs, _ = what.partition(": scikit-learn")
        if is_theirs:
            alone, both = (facts[f"{task}: tauboost, {n}"] for n in ("1 thread", "2 threads"))
            cells = [task, f"{seconds(theirs)} s", f"{seconds(alone)} s", times(theirs / alone)]
            lines.append([*cells, f"{seconds(both)} s"])
    peaks = [
        facts[f"words and pairs: peak memory, {who}"]
        for who in ("scikit-learn", "tauboost, 1 thread", "tauboost, 2 threads")
    ]
    mib = [f"{peak:,.0f} MiB" for peak in peaks]
    cells = ["peak memory of words and pairs, beyond the texts", mib[0], mib[1]]
    lines.append([*cells, f"{peaks[1] / peaks[0]:.2f}", mib[2]])
    copied, read = (
        seconds(facts[f"limit: {what}"])
        for what in ("copy the bytes of all texts", "read them once")
    )
    lines.append(["limits: reading the bytes, copying them", "", f"{read} s, {copied} s", "", ""])
    return table(heads, lines)


def single_texts(results: Results, pattern: str) -> str:
    """Return single figures about texts."""
    rows = results.rows("texts-single", pattern)
    lines = [[row["what"], figure(row["value"], row["unit"])] for row in rows]
    return table(["what", ""], lines)


GENERATORS = {
    "summary": summary,
    "behind": behind,
    "peers": peers,
    "quick fit": quick_fit,
    "tables": table_models,
    "large tables": large_tables,
    "texts": text_ways,
    "vectorizers": vectorizers,
    "text files": partial(single_texts, pattern="texts_*_files.csv"),
    "small text models": partial(single_texts, pattern="texts_*_budget.csv"),
}
