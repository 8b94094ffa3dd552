"""All interleavings of the thread protocol, by Spin: it holds, and faulty variants of it do not.

    python tests/attack/model.py                     # what `make model` does: three minutes, 2 GB
    python tests/attack/model.py --quick             # fewer phases: half a minute
    python tests/attack/model.py OWN MEMBERS=4       # one run with these definitions; 4 GB

The model is fuzz/protocol.pml, which says what it checks and what its definitions are. Needs
spin and a C compiler (CC, cc otherwise).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "fuzz" / "protocol.pml"
# What Spin says, by the invariants: 1 ... 3 are assertions, 4 has two sides.
MEMBER = "assertion violated (self<open_size)"
WORDS = "assertion violated ((call==open)&&(task==open))"
TWICE = "assertion violated  !((begun&(1<<k)))"
UNDONE = "assertion violated (ended==((1<<open_n_tasks)-1))"
STUCK = "invalid end state"
CIRCLE = "non-progress cycle"


@dataclass(frozen=True)
class Run:
    """A search of all states, and the error it has to find, if any."""

    definitions: tuple[str, ...]
    error: str = ""
    circles: bool = False  # whether it looks for states that come again


FULL = {
    "whole": Run(()),
    "free": Run(("FREE", "PHASES=3")),
    "own": Run(("OWN", "MEMBERS=4", "EXTRA=0")),
    "whole-circles": Run(("PHASES=1",), circles=True),
    "free-circles": Run(("FREE",), circles=True),
    "own-circles": Run(("OWN",), circles=True),
}
QUICK = {
    "whole": Run(("PHASES=1",)),
    "free": Run(("FREE",)),
    "own": Run(("OWN",)),
    "free-circles": Run(("FREE", "EXTRA=0"), circles=True),
}
MUTANTS = {
    "old": Run(("OLD", "FREE"), MEMBER),
    "split": Run(("SPLIT", "FREE"), TWICE),
    "late": Run(("LATE", "FREE"), WORDS),
    "reset": Run(("RESET", "FREE"), STUCK),
    "early": Run(("EARLY", "FREE"), UNDONE),
    "sleep": Run(("SLEEP", "FREE"), STUCK),
    "hasty": Run(("HASTY", "FREE"), STUCK),
    "deaf": Run(("DEAF", "OWN"), STUCK),
    "slow": Run(("SLOW", "OWN"), STUCK),
    "up": Run(("UP", "OWN", "MEMBERS=4", "EXTRA=0"), STUCK),
    "round": Run(("ROUND", "FREE"), CIRCLE, circles=True),
}


def compiler() -> str | None:
    return shutil.which(os.environ.get("CC", "cc"))


def missing() -> str:
    """Return what is not installed and needed, or nothing."""
    if shutil.which("spin") is None:
        return "the model needs Spin: install it (Debian: apt install spin)."
    if compiler() is None:
        return "the model needs a C compiler: install gcc (Debian: apt install gcc) or set CC."
    return ""


def search(run: Run, folder: Path) -> tuple[str, int]:
    """Search all states; return the error that was found, or nothing, and how many states."""
    folder.mkdir(parents=True, exist_ok=True)

    # Not with a sanitizer loaded, as `make asan` has it: Spin has faults of its own.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}

    def output(*command: str) -> str:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout

    output("spin", "-a", *(f"-D{definition}" for definition in run.definitions), str(MODEL))
    kind = "-DNP" if run.circles else "-DSAFETY"
    output(str(compiler()), "-O2", "-w", "-DCOLLAPSE", kind, "-o", "pan", "pan.c")
    found = output("./pan", *(["-l"] if run.circles else []))
    errors = re.search(r"errors: (\d+)", found)
    states = re.search(r"(\d\S*) states, stored", found)
    if errors is None or states is None:
        raise RuntimeError(f"the search did not end: {found}")
    n_states = int(float(states[1]))
    if errors[1] != "0":
        error = re.search(r"^pan:\d+: (.*) \(at depth", found, re.MULTILINE)
        return error[1] if error else found, n_states
    if "Search not completed" in found or "too small" in found:
        raise RuntimeError(f"the search was cut short: {found[-2000:]}")
    return "", n_states


def main(arguments: list[str]) -> int:
    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 1
    definitions = tuple(a for a in arguments if a != "--quick")
    runs = (QUICK if "--quick" in arguments else FULL) | MUTANTS
    if definitions:
        runs = {"this": Run(definitions)}
    n_wrong = 0
    for name, run in runs.items():
        begin = time.monotonic()
        error, n_states = search(run, ROOT / "build" / "model" / name)
        is_right = error == run.error
        n_wrong += not is_right
        verdict = f"found: {error}" if error else "no error"
        if not is_right:
            verdict += f", where there must be {run.error or 'none'}"
        size = f"{n_states:11,} states, {time.monotonic() - begin:3.0f} s"
        print(f"{name:14}{' '.join(run.definitions):28}{size}  {verdict}", flush=True)
    print(f"{n_wrong} of {len(runs)} runs are not as they must be")
    return min(n_wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
