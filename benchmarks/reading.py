"""How fast svmlight text becomes arrays: our reader, scikit-learn's, and a plain read of memory.

The file lies uncompressed in the page cache: nothing here depends on a disk. The limit is to read
as many bytes as the file has from memory once. `load_svmlight` makes a SciPy matrix, for which it
has to write out the ones; `read_rows` leaves them out, as the solvers need none.
"""

from __future__ import annotations

import argparse
import lzma
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import common
import tauboost as tb
from tauboost.datasets import find_data
from tauboost.io.svmlight import read_rows

BASELINE, LIMIT = "scikit-learn", "memory read"
TARGET, AIM = 12, 25

Row = dict[str, Any]
Runs = dict[tuple[str, int], Callable[[], object]]  # by reader and number of threads


@dataclass(frozen=True)
class Text:
    """A file of svmlight text under the name it has in tables."""

    name: str
    path: Path


def prepare(folder: Path, seed: int, quick: bool) -> Text:
    """Write imdb_unigram as plain text where TAUBOOST_DATA has it, else generated data."""
    path = folder / "data.svm"
    if not quick:
        try:
            packed = find_data("imdb_unigram")
        except FileNotFoundError:
            pass
        else:
            opener: Callable[..., Any] = lzma.open if packed.suffix == ".xz" else open
            with opener(packed, "rb") as source, path.open("wb") as plain:
                shutil.copyfileobj(source, plain)
            return Text("imdb_unigram", path)
    data = common.url_like(2e4 if quick else 2e6, seed)
    dump_svmlight_file(data.X, data.y, str(path), zero_based=False)
    return Text(data.name, path)


def readers(text: Text, thread_counts: Sequence[int]) -> Runs:
    """Return everything that is timed."""
    path, words = text.path, np.fromfile(text.path, dtype=np.uint8)
    words = words[: len(words) // 8 * 8].view(np.uint64)

    def read_memory(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(np.sum, np.array_split(words, threads)))

    runs: Runs = {(BASELINE, 1): partial(load_svmlight_file, str(path))}
    for threads in thread_counts:
        runs["load_svmlight", threads] = partial(tb.load_svmlight, path, n_threads=threads)
        runs["read_rows", threads] = partial(read_rows, path, n_threads=threads)
        runs[LIMIT, threads] = partial(read_memory, threads)
    return runs


def measure(text: Text, thread_counts: Sequence[int], repeats: int) -> list[Row]:
    """Time all readers in turns."""
    runs = readers(text, thread_counts)
    candidates = [common.Candidate(lambda: None, lambda _, run=run: run()) for run in runs.values()]
    timings = common.time_in_turns(candidates, repeats)
    seconds = dict(zip(runs, timings.medians, strict=True))
    size = text.path.stat().st_size
    return [
        {
            "data": text.name,
            "bytes": size,
            "reader": reader,
            "threads": threads,
            "repeats": repeats,
            "seconds": time,
            "megabytes_per_second": size / time / 1e6,
            "ratio_to_scikit_learn": seconds[BASELINE, 1] / time,
            "share_of_memory_read": seconds[LIMIT, threads] / time,
            "other_cores_busy": round(timings.other_cores, 2),
        }
        for (reader, threads), time in seconds.items()
    ]


def show(rows: Sequence[Row]) -> None:
    """Print the table, and whether the target is met."""
    common.print_table(
        "{data}: {bytes:,} bytes of text; medians of {repeats}".format(**rows[0]),
        ("reader", "threads", "seconds", "MB/s", f"x {BASELINE}", f"share of {LIMIT}"),
        [
            [
                row["reader"],
                str(row["threads"]),
                common.clock(row["seconds"]),
                f"{row['megabytes_per_second']:,.0f}",
                f"{row['ratio_to_scikit_learn']:.1f}",
                f"{row['share_of_memory_read']:.2f}",
            ]
            for row in rows
        ],
    )
    ratio = max(r["ratio_to_scikit_learn"] for r in rows if r["reader"] == "load_svmlight")
    outcome = "met" if ratio >= TARGET else "missed"
    print(f"load_svmlight: {ratio:.1f} x {BASELINE}; target {TARGET} x: {outcome}; aim {AIM} x")
    common.remark_on(rows[0]["other_cores_busy"])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    options = common.parser(__doc__)
    options.add_argument("--repeats", type=int, default=7, help="repeats of every reader")
    return options.parse_args()


def main() -> None:
    """Measure and write reading.csv."""
    chosen = arguments()
    with tempfile.TemporaryDirectory() as folder:
        text = prepare(Path(folder), chosen.seed, chosen.quick)
        repeats = 2 if chosen.quick else chosen.repeats
        rows = measure(text, sorted({1, 2, chosen.threads}), repeats)
    show(rows)
    common.write_csv(chosen.out / "reading.csv", rows, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
