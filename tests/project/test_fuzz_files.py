"""A short, seeded run of the attack with mutated files (fuzz/files.py), and whether it can see."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

import os
import signal
import time

from fuzz.files import TARGETS
from fuzz.sample import Sample
from fuzz.workers import attack

MUTATIONS = {"svmlight": 600, "store": 250, "model": 300, "checkpoint": 200}
FOR_OTHERS = 250


@pytest.mark.parametrize("name", TARGETS)
def test_mutated_files_do_no_harm(name, tmp_path):
    count = MUTATIONS.get(name, FOR_OTHERS)
    tally = attack(name, TARGETS[name], mutations=count, seed=1, keep=tmp_path)
    assert tally.is_clean, [path.name for path in tmp_path.iterdir()]
    assert tally.mutations == tally.accepted + tally.refused == count
    assert tally.refused > count / 10
    assert tally.accepted > 0  # the edits are not all so crude that nothing passes


class Bad:
    """A reader with every fault there is."""

    def seeds(self, folder):
        return []

    def mutate(self, rng, seeds):
        kind = rng.choice(["fine", "refused", "dies", "raises", "long message", "eats memory"])
        return Sample(kind, {"x": kind.encode()})

    def read(self, kind, folder):
        assert (folder / "x").read_text() == kind
        if kind == "refused":
            raise ValueError("one line")
        if kind == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "raises":
            raise RuntimeError("no line for people")
        if kind == "long message":
            raise ValueError("two\nlines")
        if kind == "eats memory":
            bytearray(300 * 2**20)[:: 2**12] = b"x" * 76800


class Slow(Bad):
    def read(self, kind, folder):
        time.sleep(60 if kind == "dies" else 0)


def test_every_kind_of_harm_is_seen(tmp_path):
    tally = attack("bad", Bad(), mutations=30, keep=tmp_path)
    counts = [tally.crashes, tally.tracebacks, tally.memory, tally.accepted, tally.refused]
    assert min(counts) > 0
    assert sum(counts) == tally.mutations == 30
    kept = {path.name.split("-")[1] for path in tmp_path.iterdir()}
    assert kept == {"crash9", "traceback", "message", "memory"}


def test_a_hang_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr("fuzz.workers.SECONDS", 0.2)
    monkeypatch.setattr("fuzz.workers.SECONDS_ASLEEP", 0.5)
    tally = attack("bad", Slow(), mutations=6, seed=3, keep=tmp_path)
    assert tally.hangs > 0
    assert tally.hangs + tally.accepted == 6
