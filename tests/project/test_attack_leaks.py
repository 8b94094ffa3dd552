"""Memory stays flat over many fits, local and on a cluster: attack/leaks.py."""

from __future__ import annotations

import pytest

from attack.command import run_attack


@pytest.mark.attack
def test_a_thousand_local_fits():
    run_attack("leaks", "--fits", "1000", seconds=7200)


@pytest.mark.attack
def test_two_hundred_fits_on_a_cluster():
    run_attack("leaks", "--fits", "200", "--dask", seconds=7200)
