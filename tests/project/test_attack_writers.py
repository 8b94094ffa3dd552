"""Several processes that write and read one name: attack/writers.py."""

from __future__ import annotations

import json

import pytest

from attack.command import run_attack


def work_at_once(rounds: int) -> dict[str, int]:
    printed = run_attack("writers", "--rounds", str(rounds), seconds=1200)
    seen: dict[str, int] = json.loads(printed)
    return seen


def test_four_processes_and_one_name():
    assert work_at_once(400)["replacements"] > 50


@pytest.mark.attack
def test_ten_thousand_saves_replacements_and_opens():
    assert work_at_once(10_000)["opens"] > 2000
