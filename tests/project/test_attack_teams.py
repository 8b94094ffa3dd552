"""All users of the thread pool with teams of changing sizes: attack/teams.py."""

from __future__ import annotations

import pytest

from attack.command import run_attack


def test_teams_of_changing_sizes_under_load():
    run_attack("teams", "--rounds", "1", seconds=600)


@pytest.mark.attack
def test_teams_of_changing_sizes_for_half_an_hour():
    run_attack("teams", "--seconds", "1800", seconds=3600)
