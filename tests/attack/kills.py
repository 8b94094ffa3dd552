"""Kill and interrupt commands at random moments, and look at what they leave behind.

    python -m attack.kills --strikes 300                # from the folder tests; some minutes
    python -m attack.kills --strikes 300 --signal INT   # Ctrl-C in place of kill -9

Each process is forked from this one, which has everything imported, and is ended somewhere between
its first step and its last. Whenever that is: under the final name is what was there before, or
the whole result; a checkpoint can be read, and the fit that is resumed from it ends within its
tolerance of a fit that was never disturbed. After Ctrl-C a command says "interrupted", and nothing
else.
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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tauboost as tb
import tauboost.cli.convert
import tauboost.cli.fit
import tauboost.cli.fitting
import tauboost.cli.predict
import tauboost.kinds.sparse
from tauboost.cli import main as command_line
from tauboost.cli.app import Command
from tauboost.io.checkpoint import FILE_NAME, FORMAT
from tauboost.io.svmlight import SvmlightWriter
from tauboost.io.tensors import read_file

DATA, OTHER, MODEL = "train.svm", "other.svm", "of-predict"
FIT = ("fit", DATA, "--out", "model", "--json")
STATE = ("--checkpoint", "c", "--checkpoint-every", "0")
SAVES = 10  # by one process

Words = tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """What is struck, where its result goes, and what makes another result, to be replaced."""

    words: Words
    target: Path
    before: Words
    share: float
    tol: float = 0.0  # of a fit that may be resumed; 0: each result has the same bytes


ONE_STEP = (*FIT, "--alpha", "1", "--max-iter", "1")
LONG_FIT = (*FIT, *STATE, "--alpha", "1e-6", "--tol", "1e-9", "--max-iter", "100000")
JOBS = {
    "fit": Job(LONG_FIT, Path("model"), ONE_STEP, 0.3, 1e-9),
    "tuned fit": Job((*FIT, *STATE, "--loss", "auto"), Path("model"), ONE_STEP, 0.2, 1e-3),
    "convert": Job(
        ("convert", DATA, "store", "--overwrite"), Path("store"), ("convert", OTHER, "store"), 0.2
    ),
    "predict": Job(
        ("predict", MODEL, DATA, "--proba", "--out", "labels"),
        Path("labels"),
        ("predict", MODEL, DATA, "--out", "labels"),
        0.2,
    ),
    "save": Job(("save",), Path("model"), ONE_STEP, 0.1),
}


def start(words: Words, said: Path | None = None) -> int:
    """Run the command line in a child; what it says on stderr goes to a file.

    Ctrl-C reaches it while the command is run. What comes before and after that is not of this
    attack, which is about files.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return pid
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if said is not None:
            os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if words == ("save",):
            code = save()
        else:
            run_command = Command.invoke
            Command.invoke = lambda *arguments: heard(lambda: run_command(*arguments))
            sys.argv = ["tauboost", *words]
            command_line()
            code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stderr.flush()
        os._exit(code)


def heard(act: Callable[[], object]) -> object:
    """Do something that Ctrl-C may interrupt."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        return act()
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def save() -> int:
    """Save a model again and again; return an exit code like that of the command line."""
    model = tb.load_model(MODEL)
    try:
        heard(lambda: [tb.save_model(model, "model") for _ in range(SAVES)])
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    return 0


def run(words: Words) -> float:
    """Run undisturbed; return the seconds it took."""
    began = time.monotonic()
    _, status = os.waitpid(start(words), 0)
    assert status == 0, f"{words} failed with {status}"
    return time.monotonic() - began


def struck(words: Words, delay: float, begun: Callable[[], bool], blow: signal.Signals) -> bool:
    """Run, and strike after so many seconds; return whether that was before its end.

    The seconds count from the moment when it is seen to have begun.
    """
    said = Path(tempfile.gettempdir(), f"said-{os.getpid()}")
    said.touch()  # the child may not come so far
    pid = start(words, said)
    while not begun() and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.0005)
    time.sleep(delay)
    os.kill(pid, blow)
    _, status = os.waitpid(pid, 0)
    text = said.read_text()
    said.unlink()
    if blow is signal.SIGKILL:
        assert status in (0, signal.SIGKILL), f"{words} failed with {status}: {text}"
    else:
        ended = (os.waitstatus_to_exitcode(status), text)
        assert ended in ((0, ""), (130, "interrupted\n")), f"{words}: {ended}"
    return status != 0


def age(path: Path) -> int | None:
    """Return when a file was written; None: it is not there."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def contents(path: Path) -> dict[str, bytes] | None:
    """Return the files of a folder, or a file; None: not there."""
    if not path.exists():
        return None
    files = path.iterdir() if path.is_dir() else [path]
    return {file.name: file.read_bytes() for file in files}


def restore(path: Path, kept: dict[str, bytes]) -> None:
    """Put the earlier content of a file, or of all files of a folder, in their place."""
    for name, content in kept.items():
        (path / name if path.is_dir() else path).write_bytes(content)


def is_result(job: Job, found: object, new: object, optimum: Any) -> bool:
    """Return True if the result of a job is there: the same bytes, or a fit as good."""
    if found == new:
        return True
    if not job.tol or found is None:
        return False
    missing = np.abs(tb.load_model(job.target).objective_ - optimum)
    return bool(np.all(missing <= job.tol * np.maximum(1.0, np.abs(optimum))))


def moment(job: Job, length: float, rng: random.Random) -> tuple[float, Callable[[], bool]]:
    """Choose when to strike: at any moment, or soon after a file appeared."""
    if rng.random() < 0.4:
        return rng.uniform(0, length), lambda: True
    state = Path("c") / FILE_NAME
    if "--checkpoint" in job.words and rng.random() < 0.8:
        before = age(state)
        return rng.expovariate(20 / length), lambda: age(state) not in (None, before)
    known = set(Path().glob(f".{job.target}.*"))
    return rng.expovariate(200), lambda: not known.issuperset(Path().glob(f".{job.target}.*"))


def attack(job: Job, strikes: int, blow: signal.Signals, rng: random.Random) -> Counter[str]:
    """Strike so often; every remainder is looked at, every result compared."""
    state = Path("c") / FILE_NAME
    run(job.before)
    old = contents(job.target)
    length = run(job.words)
    new = contents(job.target)
    assert old is not None
    assert new is not None
    assert old != new
    optimum = tb.load_model(job.target).objective_ if job.tol else None
    seen: Counter[str] = Counter()
    while seen["strikes"] < strikes:
        restore(job.target, old)
        seen["resumed"] += state.exists()
        seen["strikes"] += struck(job.words, *moment(job, length, rng), blow)
        found = contents(job.target)
        is_new = found != old and is_result(job, found, new, optimum)
        assert is_new or found == old, f"{job.target} is not what it should be"
        seen["found complete"] += is_new
        seen["in the making"] += any(Path().glob(f".{job.target}.*"))
        if state.exists():
            read_file(state, FORMAT)
            seen["states"] += 1
    run(job.words)
    assert is_result(job, contents(job.target), new, optimum)
    left = {path.name for path in Path().iterdir()} - {DATA, OTHER, MODEL}
    assert left <= {"model", "store", "labels"}, f"left behind: {left}"
    return seen


def main(strikes: int, seed: int, n_rows: int, blow: signal.Signals) -> dict[str, Counter[str]]:
    """Share the strikes out among the jobs; return what was seen."""
    rng = random.Random(seed)
    for name, n in ((DATA, n_rows), (OTHER, n_rows // 2)):
        X, y = tb.make_url_like(n, random_state=0)
        with SvmlightWriter(name) as writer:
            writer.append_arrays(X.indptr, X.indices, X.data, y)
    run(("fit", DATA, "--alpha", "1e-3", "--out", MODEL))
    return {name: attack(job, round(strikes * job.share), blow, rng) for name, job in JOBS.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--strikes", type=int, default=300)
    parser.add_argument("--signal", choices=["KILL", "INT"], default="KILL")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=4000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seen = main(given.strikes, given.seed, given.rows, signal.Signals[f"SIG{given.signal}"])
        sys.stdout.write(json.dumps(seen) + "\n")
        os.chdir("/")
