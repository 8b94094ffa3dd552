"""Default fits while other processes hold every core: two threads must not cost more than one.

Each other process is an endless loop. A fit with one thread and a fit with all threads take turns
under that load; what counts is their ratio. The same on the quiet machine stands beside it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import common
import tauboost as tb
from tauboost.datasets import find_data

Row = dict[str, Any]


def spin() -> None:
    """Hold a core."""
    while True:
        pass


@contextmanager
def others(n_processes: int) -> Iterator[None]:
    """Keep other processes at work meanwhile."""
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=spin, daemon=True) for _ in range(n_processes)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def data_sets(seed: int, quick: bool) -> list[common.Data]:
    """Return w8a and, where it is there, imdb_unigram."""
    sets = [common.w8a(seed, quick)]
    try:
        path = find_data("imdb_unigram")
    except FileNotFoundError:
        return sets
    return sets if quick else [*sets, common.Data("imdb_unigram", *tb.load_svmlight(path))]


def fit(n_jobs: int, data: common.Data, seed: int, _: object) -> None:
    """Fit the default classifier."""
    tb.TauBoostClassifier(random_state=seed, n_jobs=n_jobs).fit(data.X, data.y)


def measure(data: common.Data, n_others: int, seed: int, threads: int, repeats: int) -> Row:
    """Time both numbers of threads, in turns."""
    candidates = [
        common.Candidate(lambda: None, partial(fit, n_jobs, data, seed)) for n_jobs in (1, threads)
    ]
    with others(n_others):
        one, several = common.time_in_turns(candidates, repeats).medians
    return {
        "data": data.name,
        "other processes": n_others,
        "one thread, s": one,
        f"{threads} threads, s": several,
        "ratio": several / one,
    }


def main() -> None:
    """Print and save one row for each data set and load."""
    options = common.parser(__doc__)
    options.add_argument("--repeats", type=int, default=9, help="fits of each kind")
    chosen = options.parse_args()
    repeats = 2 if chosen.quick else chosen.repeats
    rows = [
        measure(data, n_others, chosen.seed, chosen.threads, repeats)
        for data in data_sets(chosen.seed, chosen.quick)
        for n_others in (0, chosen.threads)
    ]
    cells = [[v if isinstance(v, str) else f"{v:.3g}" for v in row.values()] for row in rows]
    common.print_table("Default fits on a busy machine", list(rows[0]), cells)
    common.write_csv(chosen.out / "busy.csv", rows, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
