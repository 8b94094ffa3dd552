"""Every figure of docs/benchmarks.md by one command: `make benchmarks`.

The parts (`parts.py`) run one after another, a process each, whose output goes to a log. One that
fails is reported, and the others go on. A part that this commit has finished before is skipped, so
that a run that was interrupted can be taken up again. `machine.json` says what all was measured
with, and how many cores others kept busy meanwhile. In the end `page.py` writes the page.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from common import HERE, Neighbours
from machine import adopt, commit, describe, reap
from parts import PARTS, Part, named

RECORD = "machine.json"
LOGS = "logs"
GRACE = 20.0  # seconds between asking a part to end and ending it
CHECK_EVERY = 0.5  # seconds between checks of a part
DIRTY = "+dirty"
INTERRUPTED = 130

Record = dict[str, Any]


# What is known of earlier runs.


def read_record(out: Path) -> Record:
    """Return what was written of the parts that ran before; nothing if that cannot be read."""
    try:
        found = json.loads((out / RECORD).read_text(encoding="utf-8"))
        return found if isinstance(found.get("parts"), dict) else {"parts": {}}
    except (OSError, ValueError, AttributeError):
        return {"parts": {}}


def write_record(out: Path, record: Record) -> None:
    """Write it so that an interruption leaves the old one or the new one."""
    path = out / RECORD
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def is_finished(part: Part, record: Record, chosen: argparse.Namespace) -> bool:
    """Whether the same command of the same commit has ended well, and its files are there."""
    done = record["parts"].get(part.name)
    return bool(
        done
        and done["commit"] == record["machine"]["commit"]
        and not done["commit"].endswith(DIRTY)
        and done["code"] == 0
        and done["options"] == part.options(is_quick=chosen.quick)
        and all((chosen.out / name).is_file() for name in done["files"])
    )


# One part.


def run_part(part: Part, chosen: argparse.Namespace, tick: Any) -> Record:
    """Run a part to its end; ``tick`` is called with its seconds meanwhile."""
    options = part.options(is_quick=chosen.quick)
    script = chosen.scripts / part.script
    log = chosen.out / LOGS / f"{part.name}.log"
    command = [sys.executable, str(script), *options, "--out", str(chosen.out)]
    began, clock = time.time(), time.perf_counter()
    now = commit()
    with Neighbours(children=True) as others, log.open("wb") as file:
        try:
            code = watch(command, file, lambda: tick(time.perf_counter() - clock))
        finally:
            if chosen.adopts:
                reap()
    files = sorted({path.name for path in written(part, chosen.out, began)})
    record = {"commit": now, "options": options, "code": code, "files": files}
    record |= {"seconds": round(time.perf_counter() - clock, 1)}
    record |= {"other_cores_busy": round(others.cores, 2)}
    return record | {"why": why(part, record, log)}


def watch(command: Sequence[str], log: Any, tick: Any) -> int:
    """Run a command in a separate session; when this is interrupted, it ends with all its own."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": subprocess.STDOUT}
    child = subprocess.Popen(command, env=environment, start_new_session=True, **streams)
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                return child.wait(CHECK_EVERY)
            tick()
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                child.wait(GRACE)
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def written(part: Part, out: Path, began: float) -> list[Path]:
    """Return the files of a part that it wrote since then."""
    found = [path for pattern in part.files for path in out.glob(pattern)]
    return [path for path in found if path.stat().st_mtime >= began - 1]


def why(part: Part, record: Record, log: Path) -> str:
    """Say why a part failed; empty if it did not."""
    if record["code"] != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "no output")
        return f"ended with code {record['code']}: {last[:200]}"
    for pattern in part.files:
        if not any(Path(name).match(pattern) for name in record["files"]):
            record["code"] = 1
            return f"left no {pattern}"
    return ""


# All parts.


def run(parts: Sequence[Part], record: Record, chosen: argparse.Namespace) -> list[str]:
    """Run the parts that are not finished; return the names of those that failed."""
    console = Console(stderr=True, highlight=False)
    waiting = [p for p in parts if chosen.again or not is_finished(p, record, chosen)]
    total = minutes(waiting)
    failed = []
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    columns += (TextColumn(f"of about {total:.0f} min"),)
    # Seldom, so that the line itself costs nothing that would count.
    with Progress(*columns, console=console, refresh_per_second=1) as progress:
        task = progress.add_task("", total=total)
        for k, part in enumerate(parts, 1):
            if part not in waiting:
                console.print(f"{part.name}: finished before, skipped (--again repeats it)")
                continue
            done = minutes(waiting[: waiting.index(part)])
            words = f"part {k} of {len(parts)}: {part.name}, about {minutes([part]):.1f} min"
            progress.update(task, description=words, completed=done)
            if not console.is_terminal:
                console.print(words)

            def tick(seconds: float, part: Part = part, done: float = done) -> None:
                gone = done + min(seconds / 60, minutes([part]))
                progress.update(task, completed=gone)

            found = record["parts"][part.name] = run_part(part, chosen, tick)
            write_record(chosen.out, record)
            console.print(ending(part, found))
            failed += [part.name] if found["code"] else []
        progress.update(task, completed=total)
    return failed


def minutes(parts: Sequence[Part]) -> float:
    """Return what the parts take, in the full run."""
    return sum(part.minutes for part in parts)


def ending(part: Part, found: Record) -> str:
    """Say how a part ended."""
    busy = f", others kept {found['other_cores_busy']:.1f} cores busy"
    took = f"{found['seconds'] / 60:.1f} min"
    if found["code"]:
        return f"{part.name}: FAILED after {took}, {found['why']} ({LOGS}/{part.name}.log)"
    return f"{part.name}: {took}{busy if found['other_cores_busy'] > 0.1 else ''}"


# The command line.


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    add = options.add_argument
    add("--quick", action="store_true", help="tiny data: does everything run?")
    add("--only", nargs="+", default=[], metavar="PART", help=", ".join(p.name for p in PARTS))
    add("--again", action="store_true", help="repeat parts that are finished")
    add("--out", type=Path, default=HERE / "results", help="folder for results and logs")
    add("--no-page", action="store_true", help="leave docs/benchmarks.md as it is")
    options.set_defaults(scripts=HERE, adopts=True)
    return options.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """Run the parts, then write the page; the code is 0 if nothing failed."""
    chosen = arguments(words)
    parts = named(chosen.only)
    (chosen.out / LOGS).mkdir(parents=True, exist_ok=True)
    if not os.environ.get("TAUBOOST_DATA") and not chosen.quick:
        print("note: TAUBOOST_DATA is not set, so parts on public data will fail", file=sys.stderr)
    record = read_record(chosen.out)
    if record.get("quick", chosen.quick) != chosen.quick:
        record = {"parts": {}}
    record |= {"quick": chosen.quick, "machine": describe()}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    adopt()
    try:
        failed = run(parts, record, chosen)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    if failed:
        print(f"failed: {', '.join(failed)}; the same command repeats them", file=sys.stderr)
        return 1
    if chosen.no_page or chosen.only:
        print("done; `make benchmarks-page` writes the page", file=sys.stderr)
        return 0
    return subprocess.call([sys.executable, str(HERE / "page.py"), str(chosen.out)])


if __name__ == "__main__":
    sys.exit(main())
