"""Press Ctrl-C at random moments of a command, from its first import to its last line.

    python -m attack.interrupts --moments 100   # from the folder tests; two minutes

Each process is the command as it is installed: a script that imports the command line and runs it.
It reports when it begins to, and is interrupted some time later. Whenever that is, it prints
"interrupted" and nothing else, ends with code 130, and leaves no file in the making. An
interrupt before the package's first line, or after the command has ended, does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import tauboost as tb
from tauboost.io.svmlight import SvmlightWriter

SCRIPT = """import os, sys
os.write(int(os.environ["BEGUN"]), b".")
from tauboost.cli import main
sys.exit(main())
"""
COMMANDS = (
    ("fit", "train.svm", "--out", "model"),
    ("fit", "train.csv", "--label", "y", "--out", "model"),
    ("fit", "train.jsonl", "--text", "t", "--label", "y", "--out", "model"),
    ("inspect", "train.svm"),
    ("compare", "train.svm", "--methods", "exact,greedy", "--max-epochs", "20", "--out", "traces"),
    ("convert", "train.svm", "store", "--overwrite"),
    ("fit", "--help"),
)
PACKAGE = f'File "{Path(tb.__file__).parent}{os.sep}'.encode()


def start(command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Run a command; return when it is about to import the package."""
    begun, says = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "./tauboost", *command],
        env=os.environ | {"BEGUN": str(says)},
        pass_fds=[says],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(says)
    assert os.read(begun, 1) == b"."
    os.close(begun)
    return process


def seconds_of(command: tuple[str, ...]) -> float:
    """Run undisturbed; return the seconds from the first import to the end."""
    process = start(command)
    began = time.monotonic()
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint.decode()
    return time.monotonic() - began


def interrupt(command: tuple[str, ...], after: float) -> str:
    """Interrupt a command; return what came of it."""
    process = start(command)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=120)
    if process.returncode == 0 and not complaint:
        return "too late"
    if process.returncode in (1, -signal.SIGINT) and complaint and PACKAGE not in complaint:
        return "too early"
    said = f"{command} after {after:.3f} s: {process.returncode}, {complaint.decode()}"
    assert (process.returncode, complaint) == (130, b"interrupted\n"), said
    left = [path.name for path in Path().iterdir() if path.name.endswith(".partial")]
    assert not left, f"{command} after {after:.3f} s leaves {left}"
    return "interrupted"


def write_data() -> None:
    """Write data of all kinds, and the script."""
    Path("tauboost").write_text(SCRIPT)
    X, y = tb.make_w8a_like(2000, random_state=0)
    with SvmlightWriter("train.svm") as writer:
        writer.append_arrays(X.indptr, X.indices, X.data, y)
    rows = [(k % 17, "abc"[k % 3], "ny"[k * 7 % 11 > 4]) for k in range(1000)]
    table = "".join(f"{a},{b},{y}\n" for a, b, y in rows)
    Path("train.csv").write_text(f"a,b,y\n{table}")
    texts = (json.dumps({"t": f"a{a} {b}", "y": y}) + "\n" for a, b, y in rows)
    Path("train.jsonl").write_text("".join(texts))


def main(moments: int, seed: int) -> dict[str, int]:
    """Interrupt the commands in turns until so many moments count; return what came of all."""
    rng = random.Random(seed)
    write_data()
    seconds = {command: seconds_of(command) for command in COMMANDS}
    seen = Counter[str]()
    while seen["interrupted"] < moments:
        for command, longest in seconds.items():
            seen[interrupt(command, rng.uniform(0.0, longest))] += 1
    return dict(seen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = main(given.moments, given.seed)
        sys.stdout.write(json.dumps(found) + "\n")
        os.chdir("/")
