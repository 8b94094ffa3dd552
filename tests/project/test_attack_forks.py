"""Fits in children, beside threads, and beside other users of threads: all end, with the same bits.

The scenarios are those of attack/forks.py, each in a process of its own that is given up in time.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import pytest

from attack.forks import SCENARIOS, outcome

QUICK = ("os.fork", "threads", "fork-amid-a-fit", "exit-amid-a-fit")


@cache
def expected() -> str:
    return outcome("alone")


def check(name: str) -> None:
    if name == "torch" and find_spec("torch") is None:
        pytest.skip("torch is not installed")
    assert outcome(name) == expected()


@pytest.mark.parametrize("name", QUICK)
def test_forks_and_threads(name):
    check(name)


@pytest.mark.attack
@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in QUICK])
def test_every_kind_of_fork_and_neighbour(name):
    check(name)
