"""Kill fits and conversions at random moments, and look at what they leave behind.

    python -m attack.kills --kills 200   # from the folder tests; some minutes

Each process is forked from this one, which has everything imported, and is ended by SIGKILL
somewhere between its first step and its last. Whenever that is: nothing unfinished lies under the
final name, a checkpoint can be read, and the fit that goes on from it ends with the bytes of a fit
that was never disturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import tauboost as tb
from tauboost.cli import main as command_line
from tauboost.io.checkpoint import FILE_NAME, FORMAT
from tauboost.io.svmlight_writer import SvmlightWriter
from tauboost.io.tensors import read_file

DATA = "train.svm"
FIT = ("fit", DATA, "--out", "model", "--json", "--checkpoint", "c", "--checkpoint-every", "0")
COMMANDS = {
    "fit": (*FIT, "--alpha", "1e-6", "--tol", "1e-9", "--max-iter", "100000"),
    "tuned fit": (*FIT, "--loss", "auto"),
    "convert": ("convert", DATA, "store", "--overwrite"),
}
SHARES = {"fit": 0.4, "tuned fit": 0.3, "convert": 0.3}


def start(arguments: tuple[str, ...]) -> int:
    """Run the command line in a child."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        sys.argv = ["tauboost", *arguments]
        command_line()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


def run(arguments: tuple[str, ...]) -> float:
    """Run undisturbed; return the seconds it took."""
    began = time.monotonic()
    _, status = os.waitpid(start(arguments), 0)
    assert status == 0, f"{arguments} failed with {status}"
    return time.monotonic() - began


def struck(arguments: tuple[str, ...], delay: float, after: Path | None = None) -> bool:
    """Run, and kill after so many seconds; tell whether it was killed before its end.

    The seconds count from the start, or from the moment when a file is new.
    """
    before = age(after)
    pid = start(arguments)
    while (
        after is not None
        and age(after) in (None, before)
        and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    ):
        time.sleep(0.001)
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert status in (0, signal.SIGKILL), f"{arguments} failed with {status}"
    return status != 0


def age(path: Path | None) -> int | None:
    """Return when a file was written; None: it is not there."""
    try:
        return None if path is None else path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def contents(path: Path) -> dict[str, bytes] | None:
    """Return the files of a folder, or a file; None: not there."""
    if not path.exists():
        return None
    files = path.iterdir() if path.is_dir() else [path]
    return {file.name: file.read_bytes() for file in files}


def attack(name: str, kills: int, rng: random.Random) -> Counter[str]:
    """Strike so often; every remainder is looked at, every result compared."""
    arguments = COMMANDS[name]
    target = Path("store" if name == "convert" else "model")
    state = Path("c") / FILE_NAME
    length = run(arguments)
    expected = contents(target)
    assert expected is not None
    seen: Counter[str] = Counter()
    while seen["kills"] < kills:
        if name != "convert":
            target.unlink(missing_ok=True)
        seen["resumed"] += state.exists()
        # Any moment; and, as most of the time goes into reading, often soon after a saving.
        moments = [(rng.uniform(0, length), None), (rng.expovariate(20 / length), state)]
        if struck(arguments, *moments[name != "convert" and rng.random() < 0.6]):
            seen["kills"] += 1
        found = contents(target)
        if found is None and name == "convert":  # in the moment between two names
            [kept] = Path().glob(".store.*.replaced")
            kept.rename(target)
            found = contents(target)
        assert found in (None, expected), f"{target} is not what it should be"
        seen["found complete"] += found is not None
        if state.exists():
            read_file(state, FORMAT)
            seen["states"] += 1
    run(arguments)
    assert contents(target) == expected
    left = {path.name for path in Path().iterdir()} - {DATA, "model", "store"}
    assert not left, f"left behind: {left}"
    return seen


def main(kills: int, seed: int, n_rows: int = 4000) -> dict[str, Counter[str]]:
    """Share the kills out among the commands; return what was seen."""
    rng = random.Random(seed)
    X, y = tb.make_url_like(n_rows, random_state=0)
    with SvmlightWriter(DATA) as writer:
        writer.append_arrays(X.indptr, X.indices, X.data, y)
    return {name: attack(name, round(kills * SHARES[name]), rng) for name in COMMANDS}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=4000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seen = main(given.kills, given.seed, given.rows)
        sys.stdout.write(json.dumps(seen) + "\n")
        os.chdir("/")
