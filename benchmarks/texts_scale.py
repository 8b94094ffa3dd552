"""Single figures about texts: vectorizers, memory, files, small models, a gigabyte.

Each function measures some of them on a corpus and returns its facts, with what they ought to be.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

import common
import tauboost as tb
from children import Spent, forget_the_peak, in_a_child, memory, run_tauboost
from tauboost import _core
from tauboost.texts.features import held_texts, splitting
from tauboost.texts.options import TextOptions
from tauboost.texts.vocabulary import characters_of
from texts_data import Corpus, write_jsonl, write_made_up

__all__ = ["SINGLE", "scale"]

MIB, GIB = 2**20, 2**30
BUDGET = 2_000_000
N_HASHES = 2**20
CHECKED = 500  # texts on which both matrices are compared
PAIRS = {"ngram_range": (1, 2), "min_df": 2}
# What is counted; scikit-learn's way and ours to say it, and how many times as fast we want to be.
Task = tuple[Callable[[], Any], dict[str, Any], str]
TASKS: dict[str, Task] = {
    "words": (CountVectorizer, {}, "at least 20, aim 40"),
    "words and pairs, min_df=2": (lambda: CountVectorizer(**PAIRS), PAIRS, "at least 20, aim 40"),
    "tf-idf, words": (TfidfVectorizer, {"use_idf": True}, ""),
    "hashed words": (HashingVectorizer, {"n_features": N_HASHES}, "at least 25, aim 40"),
    "hashed words and pairs": (
        lambda: HashingVectorizer(ngram_range=(1, 2)),
        {"n_features": N_HASHES, "ngram_range": (1, 2)},
        "",
    ),
}
THREADS = (1, 2)


# Vectorizers.


def vectorizers(corpus: Corpus, chosen: argparse.Namespace) -> common.Facts:
    """Time fit_transform of scikit-learn's vectorizers and ours, in turns, and their limits."""
    texts = corpus.train[0]
    about = {"data": corpus.name, "n_texts": len(texts), "megabytes": round(corpus.n_bytes / 1e6)}
    facts = common.Facts(about, "{data}: {n_texts:,} texts, {megabytes:,} MB, to a sparse matrix")
    for make, ours, _ in TASKS.values():
        refuse_differences(make(), tb.TextVectorizer(**ours), texts[:CHECKED])
    runs = dict(limits(texts))
    for name, (make, ours, _) in TASKS.items():
        runs[f"{name}: scikit-learn"] = lambda make=make: make().fit_transform(texts)
        for n in THREADS:
            runs[label(name, n)] = lambda ours=ours, n=n: tb.TextVectorizer(
                **ours, n_jobs=n
            ).fit_transform(texts)
    timings = common.time_in_turns(
        [common.Candidate(lambda: None, lambda _, run=run: run()) for run in runs.values()],
        chosen.repeats,
        chosen.long,
    )
    seconds = dict(zip(runs, timings.medians, strict=True))
    for name, value in seconds.items():
        facts.add(name, value, "seconds")
    for name, (_, _, goal) in TASKS.items():
        alone, both = (seconds[label(name, n)] for n in THREADS)
        facts.add(f"{name}: one thread", seconds[f"{name}: scikit-learn"] / alone, "times", goal)
        facts.add(f"{name}: two threads / one", alone / both, "times", "at least 1.7, aim 1.9")
    peak_memory(corpus, facts)
    common.remark_on(timings.other_cores)
    return facts


def label(name: str, n_threads: int) -> str:
    """Name a run of ours."""
    return f"{name}: tauboost, {n_threads} thread{'s' * (n_threads > 1)}"


def refuse_differences(theirs: Any, ours: Any, texts: list[str]) -> None:
    """Make sure that both count the same, before they are timed."""
    expected, found = theirs.fit_transform(texts), ours.fit_transform(texts)
    if expected.shape != found.shape or abs(expected - found).max() > 1e-12:
        raise SystemExit(f"error: {ours} and {theirs} have different matrices")


def limits(texts: list[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what no vectorizer can do without, and the part of ours that finds the words."""
    data = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    data = data[: len(data) // 8 * 8]
    copy, options = np.empty_like(data), TextOptions().checked()
    yield "limit: copy the bytes of all texts", lambda: np.copyto(copy, data)
    yield "limit: read them once", lambda: data.view(np.uint64).max()

    def find_words() -> None:
        corpus = _core.TextCorpus(splitting(options), [], False)
        for held in held_texts(texts, options):
            corpus.read(held, characters_of(held.widest), 1)

    yield "part: find and number all words, 1 thread", find_words


def peak_memory(corpus: Corpus, facts: common.Facts) -> None:
    """Note the memory that words and pairs take, in a process each, beyond the texts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.jsonl")
        write_jsonl(path, corpus.train)
        ways = {"scikit-learn": 0, "tauboost, 1 thread": 1, "tauboost, 2 threads": 2}
        peaks = {name: in_a_child(peak_of, path, n)["peak"] for name, n in ways.items()}
    for name, peak in peaks.items():
        facts.add(f"words and pairs: peak memory, {name}", peak / MIB, "MiB")
    ours, theirs = max(list(peaks.values())[1:]), peaks["scikit-learn"]
    facts.add("words and pairs: our peak / theirs", ours / theirs, "", "below 1, aim 0.5")


def peak_of(path: Path, n_threads: int) -> dict[str, float]:
    """Count words and pairs, by scikit-learn if there are no threads; bytes beyond the texts."""
    from texts_data import read  # noqa: PLC0415

    texts = read(path)[0]
    make: Any = CountVectorizer if n_threads == 0 else tb.TextVectorizer
    options = PAIRS if n_threads == 0 else PAIRS | {"n_jobs": n_threads}
    make(**options).fit_transform(texts[:100])  # imports
    before = memory("VmRSS")
    forget_the_peak()
    matrix = make(**options).fit_transform(texts)
    return {"peak": memory("VmHWM") - before, "entries": float(matrix.nnz)}


# Files, and small models.


def files(corpus: Corpus, chosen: argparse.Namespace) -> common.Facts:
    """Time ``tauboost fit`` from JSON lines to a model file, and ``tauboost predict`` with it."""
    facts = facts_of(corpus, "{data}: the command line, start-up included")
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (Path(folder, name) for name in ("train.jsonl", "test.jsonl", "model"))
        write_jsonl(train, corpus.train)
        write_jsonl(test, corpus.test)
        fit = ["fit", str(train), "--text", "text", "--label", "label", "--out", str(model)]
        predict = ["predict", str(model), str(test), "--out", str(Path(folder, "labels"))]
        runs = [(run_tauboost(fit), run_tauboost(predict)) for _ in range(chosen.repeats)]
        size = model.stat().st_size
    add_spent(facts, "file to model", [run[0] for run in runs], "at most 3, aim 1.5")
    add_spent(facts, "file to predictions", [run[1] for run in runs])
    facts.add("model file", size / 1e6, "MB")
    return facts


def add_spent(facts: common.Facts, what: str, runs: list[Spent], goal: str = "") -> None:
    """Note the medians of what a command took."""
    facts.add(what, median(run.seconds for run in runs), "seconds", goal)
    facts.add(f"{what}, processor", median(run.processor_seconds for run in runs), "seconds")
    facts.add(f"{what}, peak memory", max(run.peak for run in runs) / MIB, "MiB")


def budget(corpus: Corpus, chosen: argparse.Namespace) -> common.Facts:
    """Make a model of at most 2 MB, and say what that costs on the texts to score on."""
    facts = facts_of(corpus, "{data}: a model of at most 2 MB")
    clf = tb.TextClassifier(random_state=chosen.seed, n_jobs=chosen.threads).fit(*corpus.train)
    lost = clf.shrink(BUDGET, *corpus.test).shrinkage_
    assert lost.score is not None
    assert lost.score_before is not None
    facts.add("whole model", lost.n_bytes_before / 1e6, "MB")
    facts.add("small model", lost.n_bytes / 1e6, "MB", "at most 2")
    facts.add("terms that stay", lost.n_terms / lost.n_terms_before, "")
    facts.add("accuracy, whole model", 100 * lost.score_before, "%")
    facts.add("accuracy, small model", 100 * lost.score, "%")
    points = 100 * (lost.score_before - lost.score)
    facts.add("accuracy lost", points, "points", "at most 0.5")
    return facts


def facts_of(corpus: Corpus, title: str) -> common.Facts:
    """Return an empty list of facts about a corpus."""
    return common.Facts({"data": corpus.name, "n_texts": len(corpus.train[0])}, title)


SINGLE: dict[str, Callable[[Corpus, argparse.Namespace], common.Facts]] = {
    "vectorizers": vectorizers,
    "files": files,
    "budget": budget,
}


# A gigabyte.


def scale(chosen: argparse.Namespace) -> common.Facts:
    """Fit 1 GB of generated texts by hashing, from the command line: seconds, and memory."""
    n_bytes = 200_000 if chosen.quick else 1_000_000_000
    with tempfile.TemporaryDirectory(dir=chosen.out) as folder:
        path = Path(folder, "texts.jsonl")
        n_texts = write_made_up(path, n_bytes, chosen.seed)
        about = {"data": "generated", "n_texts": n_texts, "bytes": path.stat().st_size}
        facts = common.Facts(about, "Large: {n_texts:,} generated texts, {bytes:,} bytes, hashed")
        words = ["fit", str(path), "--text", "text", "--label", "label", "--hash", str(N_HASHES)]
        for ngrams in ("1", "1-2"):
            model = str(Path(folder, "model"))
            spent = run_tauboost([*words, "--ngrams", ngrams, "--out", model])
            what = f"fit, runs of {ngrams} words"
            facts.add(what, spent.seconds, "seconds")
            facts.add(f"{what}, processor", spent.processor_seconds, "seconds")
            facts.add(f"{what}, peak memory", spent.peak / GIB, "GiB", "below 2")
    return facts
