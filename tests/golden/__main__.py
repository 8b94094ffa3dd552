"""``python -m tests.golden record FILE``, ``python -m tests.golden compare OLD NEW``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):  # sums of one thread, before NumPy is imported
    os.environ[f"{library}_NUM_THREADS"] = "1"
os.environ.pop("TAUBOOST_CORES", None)

from . import records, sections, speed


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writer = commands.add_parser("record", help="record values into a file")
    writer.add_argument("file", type=Path)
    writer.add_argument("--only", help="sections, with commas between")
    writer.add_argument("--speed", action="store_true", help="and how fast a dozen things are")
    comparer = commands.add_parser("compare", help="compare two files; 1 if a value changed")
    comparer.add_argument("old", type=Path)
    comparer.add_argument("new", type=Path)
    comparer.add_argument("--only", help="sections, with commas between")
    given = parser.parse_args(arguments)
    names = given.only.split(",") if given.only else None
    if given.command == "record":
        warnings.simplefilter("ignore")
        content = {
            "records": sections.record(names),
            "speed": speed.measure() if given.speed else {},
        }
        records.write(given.file, content)
        return 0
    old, new = records.read(given.old), records.read(given.new)
    if names:
        old["records"] = {k: v for k, v in old["records"].items() if k.split("/")[0] in names}
    lines, is_fine = records.compare(old["records"], new["records"])
    print("\n".join([*speed.table(old["speed"], new["speed"]), *lines]))
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
