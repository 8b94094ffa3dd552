"""Run hostile cases in a child process: each gives a result that is right, or is refused.

Right: equal to what the same entry point gives for the plain dense matrix; where there is nothing
to compare with, finite numbers. Refused: a ValueError, TypeError or MemoryError whose message is
one short sentence. All else is wrong: another exception, a longer message, a crash, 20 seconds.
A crash of the child is put down to the case it was at, and the rest goes on in a new child.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

SECONDS_A_CASE = 20
LONGEST_MESSAGE = 300
FOREIGN = ("incompatible function arguments", "np.float64(", "np.int64(", "Traceback", " at 0x")
REFUSALS = (ValueError, TypeError, MemoryError)


@dataclass
class Outcome:
    """How many cases there were, and what became of them."""

    results: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return self.results + self.refused + len(self.wrong)

    def __str__(self) -> str:
        counts = f"{self.cases} cases: {self.results} right results, {self.refused} refused in one"
        return "\n".join([f"{counts} sentence, {len(self.wrong)} wrong", *self.wrong])


def cases() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield every case: its name, and a call that says what became of it."""
    from .arguments import arguments, dense
    from .entries import ENTRIES, OF_TABLES
    from .matrices import damaged, meaning

    for entry in ENTRIES:
        for name, X in damaged():
            yield (
                f"{entry}({name})",
                lambda entry=entry, X=X: judged(
                    ENTRIES[entry], X, meaning(X, of_table=entry in OF_TABLES)
                ),
            )
    for name, entry, X, means in dense():
        yield name, lambda entry=entry, X=X, means=means: judged(ENTRIES[entry], X, means)
    for name, call in arguments():
        yield name, lambda call=call: judged_alone(call)


def judged(entry: Callable[[Any], Any], X: Any, means: np.ndarray | None) -> str:
    found, refusal = attempt(lambda: entry(X))
    if refusal is not None:
        return refusal
    if means is None:
        return "wrong: accepted, although it describes no matrix"
    wanted, other = attempt(lambda: entry(means))
    if other is not None:
        return f"wrong: accepted, although the dense matrix is not: {other}"
    both = [np.asarray(numbers, dtype=float) for numbers in (found, wanted)]
    if both[0].shape != both[1].shape or not np.allclose(*both, 1e-6, 1e-9):
        return "wrong: not what the dense matrix gives"
    return "result"


def judged_alone(call: Callable[[], Any]) -> str:
    found, refusal = attempt(call)
    if refusal is not None:
        return refusal
    return "result" if np.isfinite(np.asarray(found, dtype=float)).all() else "wrong: not finite"


def attempt(call: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return what a call gives, or what its error is worth."""
    try:
        return call(), None
    except REFUSALS as error:
        return None, sentence(error)
    except Exception as error:
        return None, f"wrong: {type(error).__name__}: {error}"


def sentence(error: BaseException) -> str:
    text = str(error)
    is_short = 0 < len(text) <= LONGEST_MESSAGE and "\n" not in text.strip()
    if is_short and not any(words in text for words in FOREIGN):
        return "refused"
    return f"wrong: no sentence: {type(error).__name__}: {text!r}"


def run_child(first: int, every: int) -> None:
    """Run cases from a number on, and print a line before and after each."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _too_long)
    for number, (name, call) in enumerate(cases()):
        if number < first or number % every:
            continue
        tell({"number": number, "name": name})
        signal.alarm(SECONDS_A_CASE)
        verdict = call()
        signal.alarm(0)
        tell({"verdict": verdict})


def tell(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _too_long(*_: object) -> None:
    raise RuntimeError(f"took more than {SECONDS_A_CASE} s")


def run(every: int = 1) -> Outcome:
    """Run every case, or every so many, in children."""
    outcome, first = Outcome(), 0
    while first is not None:
        first = _run_once(outcome, first, every)
    return outcome


def _run_once(outcome: Outcome, first: int, every: int) -> int | None:
    """Run one child to its end; return where to go on if that was a crash."""
    command = [sys.executable, "-m", __spec__.parent, "--child", str(first), str(every)]
    root = Path(__file__).parents[__spec__.parent.count(".") + 1]
    current: dict[str, Any] = {}
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if not line.startswith("{"):
                continue
            message = json.loads(line)
            if "name" in message:
                current = message
                continue
            verdict, name = message["verdict"], current["name"]
            outcome.results += verdict == "result"
            outcome.refused += verdict == "refused"
            if verdict.startswith("wrong"):
                outcome.wrong.append(f"{name}: {verdict}")
            current = {}
    if child.returncode == 0:
        return None
    name = current.get("name", "the start")
    outcome.wrong.append(f"{name}: wrong: the process died with code {child.returncode}")
    return current["number"] + 1 if current else None


def main() -> None:
    """Run as a command; with an argument, every so many cases only."""
    if sys.argv[1:2] == ["--child"]:
        run_child(int(sys.argv[2]), int(sys.argv[3]))
        return
    begin = time.perf_counter()
    outcome = run(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    sys.stdout.write(f"{outcome}\n{time.perf_counter() - begin:.0f} s\n")
    sys.exit(bool(outcome.wrong))
