"""Workers killed at random while fits run on a cluster: attack/chaos.py."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")


from attack.chaos import CLOSE, run


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(15, marks=pytest.mark.slow), pytest.param(300, marks=pytest.mark.attack)],
)
def test_every_fit_ends_with_the_same_objective(seconds):
    n_fits, n_kills, largest = run(seconds, every=3)
    assert n_fits > 0
    assert n_kills >= seconds // 6
    assert largest <= CLOSE
