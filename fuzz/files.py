"""Read mutated files by the thousand: each must be refused in one line, or be sound.

    python -m fuzz.files --format store --mutations 200000

Mutations know the structure of their format, and make lengths and checksums fit again, so that
they reach the checks behind those. A file is read in a worker process as people would read it. What
must never happen: the process dies, 5 seconds pass, an error other than a ValueError or an OSError
of one line, 200 MB of memory, or a file that is accepted and gives nonsense. Such files are kept,
with what they did, in build/fuzz.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .others_formats import Arrow, Npz, Parquet
from .own_formats import Model, Store, Svmlight
from .sample import Target
from .states import State
from .text_formats import Texts
from .workers import ValueCounts, attack

__all__ = ["TARGETS", "main"]

TARGETS: dict[str, Target] = {
    "svmlight": Svmlight(),
    "store": Store(),
    "model": Model(),
    "checkpoint": State(),
    "npz": Npz(),
    "arrow": Arrow(),
    "parquet": Parquet(),
    "texts": Texts(),
}
COLUMNS = ("format", "mutations", "accepted", "refused", "crashes", "hangs", "tracebacks")
COLUMNS += ("over 200 MB", "peak MB", "seconds")


def main() -> int:
    """Run the attack that the command line asks for; 1 if any file did harm."""
    parser = argparse.ArgumentParser(description="Read mutated files by the thousand.")
    parser.add_argument("--format", choices=[*TARGETS, "all"], default="all")
    parser.add_argument("--mutations", type=int, default=200_000, help="of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for each format")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="for bad files")
    given = parser.parse_args()
    print(row(COLUMNS), flush=True)
    is_clean = True
    for name in TARGETS if given.format == "all" else [given.format]:
        tally = attack(
            name,
            TARGETS[name],
            mutations=given.mutations,
            seed=given.seed,
            seconds=given.seconds,
            processes=given.processes,
            keep=given.keep,
        )
        is_clean &= tally.is_clean
        print(row(cells(name, tally)), flush=True)
    return 0 if is_clean else 1


def cells(name: str, tally: ValueCounts) -> tuple[str, ...]:
    """Return one line of the table."""
    counts = (tally.mutations, tally.accepted, tally.refused, tally.crashes, tally.hangs)
    counts += (tally.tracebacks, tally.memory)
    return (name, *(f"{n:,}" for n in counts), f"{tally.peak:.0f}", f"{tally.seconds:.0f}")


def row(texts: tuple[str, ...]) -> str:
    """Return a line whose columns stand below each other."""
    return texts[0].ljust(12) + "".join(text.rjust(12) for text in texts[1:])


if __name__ == "__main__":
    sys.exit(main())
