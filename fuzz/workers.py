"""Worker processes that read one mutated file after another, and a parent that survives them.

A worker that dies, or does not come back from one file in time, costs that file only: the parent
notes it and starts another worker behind it. Every mutation follows from the seed and its number,
so the parent can make the file again and keep it. So does the number of cores that the worker
believes in as it reads: it changes from file to file, and threads are used for little work too.
"""

from __future__ import annotations

import contextlib
import faulthandler
import math
import mmap
import os
import pickle
import random
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tauboost.base.threads import NONZEROS_WORTH_A_THREAD
from tests.helpers.believed_cores import BELIEVED, cores_of

from .sample import Sample, Target

__all__ = ["ValueCounts", "attack"]

MEGABYTE = 2**20
MEMORY = 200 * MEGABYTE  # that one read may add
ADDRESSES = 4096 * MEGABYTE  # a guard for the machine, well above
SECONDS = 5.0  # that one read may take
SECONDS_ASLEEP = 30.0  # or wait for, without working
SECONDS_BETWEEN_LOOKS = 0.1
FAULT = 97  # how a worker ends that is at fault itself
FIELDS = ("number", "began", "used", "done", "over")
FIELDS += ("accepted", "refused", "tracebacks", "memory", "peak")


@dataclass
class ValueCounts:
    """What became of the mutations of one format."""

    mutations: int = 0
    accepted: int = 0
    refused: int = 0
    crashes: int = 0
    hangs: int = 0
    tracebacks: int = 0
    memory: int = 0  # reads that took more than they may
    peak: float = 0.0  # megabytes
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing but acceptance and refusal was seen."""
        return self.crashes == self.hangs == self.tracebacks == self.memory == 0


class Board:
    """Numbers that a worker writes and its parent reads, whatever happens to the worker."""

    def __init__(self) -> None:
        # Each number is stored at once: half of one would look like another time.
        self.numbers = np.frombuffer(mmap.mmap(-1, mmap.PAGESIZE), np.float64, len(FIELDS))

    def write(self, **changes: float) -> None:
        """Change some."""
        for name, number in changes.items():
            self.numbers[FIELDS.index(name)] = number

    def add(self, name: str) -> None:
        """Count one more."""
        self.numbers[FIELDS.index(name)] += 1.0

    def read(self) -> dict[str, float]:
        """Return all."""
        return dict(zip(FIELDS, self.numbers.tolist(), strict=True))


def attack(
    name: str,
    target: Target,
    *,
    mutations: int,
    seed: int = 0,
    seconds: float = float("inf"),
    processes: int = 2,
    keep: Path | None = None,
) -> ValueCounts:
    """Read so many mutations, for so many seconds at most; keep those that did harm."""
    began = time.monotonic()
    seeds = in_a_child(lambda: with_folder(target.seeds))
    crews = [
        Crew(name, target, seeds, range(k, mutations, processes), seed, keep)
        for k in range(processes)
    ]
    try:
        while any(not crew.is_over for crew in crews):
            time.sleep(SECONDS_BETWEEN_LOOKS)
            for crew in crews:
                crew.look()
            if time.monotonic() - began > seconds:
                break
    finally:
        for crew in crews:
            crew.stop()
    tally = ValueCounts(seconds=time.monotonic() - began)
    for crew in crews:
        crew.add_to(tally)
    return tally


class Crew:
    """One worker at a time, and what the workers before it have done."""

    def __init__(
        self,
        name: str,
        target: Target,
        seeds: list[Sample],
        numbers: range,
        seed: int,
        keep: Path | None,
    ) -> None:
        self.name, self.target, self.seeds, self.seed = name, target, seeds, seed
        self.numbers, self.keep = numbers, keep
        self.folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=fast_folder()))
        self.log = self.folder / "stacks.log"
        self.crashes = self.hangs = 0
        self.board = Board()
        self.pid = 0
        self.is_over = not len(numbers)
        if not self.is_over:
            self._start(0)

    def _start(self, first: int) -> None:
        self.board.write(number=first, began=math.inf, used=0.0, over=0.0)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._work(first)
            except BaseException:
                traceback.print_exc()
                os._exit(FAULT)
            os._exit(0)

    def _work(self, first: int) -> None:
        warnings.simplefilter("ignore")
        NONZEROS_WORTH_A_THREAD.update(dict.fromkeys(NONZEROS_WORTH_A_THREAD, 1))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        guard()
        faulthandler.register(signal.SIGUSR1, self.log.open("w"), all_threads=True)
        # What is imported and set up at the first reading shall not count.
        for sample in self.seeds:
            sample.write(self.folder)
            with contextlib.suppress(ValueError):  # texts with faults are among them
                self.target.read(sample.kind, self.folder)
        before = peak_memory()
        for place in range(first, len(self.numbers)):
            self.board.write(number=place, began=time.monotonic(), used=time.process_time())
            outcome = self._read(place)
            peak = peak_memory()
            if peak - before > MEMORY:
                outcome, before = "memory", peak
                self._save(place, "memory", "")
            self.board.add(outcome)
            self.board.add("done")
            grown = (peak - before) / MEGABYTE
            self.board.write(peak=max(self.board.read()["peak"], grown))
        self.board.write(over=1.0)

    def _read(self, place: int) -> str:
        sample = self._sample(place)
        os.environ[BELIEVED] = str(self._cores(place))
        sample.write(self.folder)
        try:
            self.target.read(sample.kind, self.folder)
        except (ValueError, OSError) as error:
            lines = str(error).splitlines()
            if len(lines) == 1 and len(lines[0]) < 600:
                return "refused"
            self._save(place, "message", traceback.format_exc())
            return "tracebacks"
        except MemoryError:
            self._save(place, "memory", traceback.format_exc())
            return "memory"
        except Exception:
            self._save(place, "traceback", traceback.format_exc())
            return "tracebacks"
        return "accepted"

    def _sample(self, place: int) -> Sample:
        rng = random.Random(f"{self.seed} {self.name} {self.numbers[place]}")
        return self.target.mutate(rng, self.seeds)

    def _cores(self, place: int) -> int:
        return cores_of(self.seed, f"{self.name} {self.numbers[place]}")

    def _save(self, place: int, why: str, text: str) -> None:
        if self.keep is None:
            return
        sample = self._sample(place)
        folder = self.keep / f"{self.name}-{why}-{self.numbers[place]}"
        folder.mkdir(parents=True, exist_ok=True)
        sample.write(folder)
        which = f"{sample.kind}, seed {self.seed}, {self._cores(place)} cores"
        (folder / "why.txt").write_text(f"{why} of {which}\n{text}")

    def look(self) -> None:
        """See whether the worker is alive and moves; start another where it does not."""
        if self.is_over:
            return
        board = self.board.read()
        place = int(board["number"])
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if ended:
            self.pid = 0
            if os.waitstatus_to_exitcode(status) == FAULT:
                raise RuntimeError(f"the attack itself failed, at number {place} of {self.name}")
            if self.board.read()["over"]:
                self.is_over = True
                return
            self.crashes += 1
            self._save(int(self.board.read()["number"]), f"crash{os.WTERMSIG(status)}", "")
            place = int(self.board.read()["number"])
        elif self._is_late(board) and not board["over"]:
            stacks = self._stacks()
            self.stop(clean=False)
            place = int(self.board.read()["number"])
            self.hangs += 1
            self._save(place, "hang", stacks)
        else:
            return
        if place + 1 < len(self.numbers):
            self._start(place + 1)
        else:
            self.is_over = True

    def _is_late(self, board: dict[str, float]) -> bool:
        """Tell whether a read takes too long: of processor time, or asleep."""
        waited = time.monotonic() - board["began"]
        if waited < SECONDS:
            return False
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        # On a busy machine a process may not have had its turn for a while.
        return used - board["used"] > SECONDS or waited > SECONDS_ASLEEP

    def _stacks(self) -> str:
        """Have the worker write down where its threads are."""
        os.kill(self.pid, signal.SIGUSR1)
        time.sleep(1.0)
        return self.log.read_text()

    def stop(self, clean: bool = True) -> None:
        """End the worker."""
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        if clean:
            shutil.rmtree(self.folder, ignore_errors=True)

    def add_to(self, tally: ValueCounts) -> None:
        """Add what this crew has seen."""
        board = self.board.read()
        tally.crashes += self.crashes
        tally.hangs += self.hangs
        tally.mutations += int(board["done"]) + self.crashes + self.hangs
        for name in ("accepted", "refused", "tracebacks", "memory"):
            setattr(tally, name, getattr(tally, name) + int(board[name]))
        tally.peak = max(tally.peak, board["peak"])


def peak_memory() -> int:
    """Return the most memory this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def guard() -> None:
    """Forget the peak that was inherited, and set a limit that spares the machine."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ADDRESSES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fast_folder() -> Path | None:
    """Return a folder in memory, where there is one."""
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else None


def with_folder(make: Any) -> Any:
    """Call with a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
        return make(Path(folder))


def in_a_child(make: Any) -> Any:
    """Return what a forked child makes: its threads, pools and memory stay out of this process."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            warnings.simplefilter("ignore")
            with os.fdopen(writing, "wb") as file:
                pickle.dump(make(), file)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        content = file.read()
    _, status = os.waitpid(pid, 0)
    if status:
        raise RuntimeError("no files to begin with could be made")
    return pickle.loads(content)
