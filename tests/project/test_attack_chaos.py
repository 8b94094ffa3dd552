"""Workers killed at random while fits run on a cluster: attack/chaos.py."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")


from attack.chaos import CLOSE, KINDS, run


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "seconds",
    [pytest.param(15, marks=pytest.mark.slow), pytest.param(300, marks=pytest.mark.attack)],
)
def test_every_fit_ends_with_the_same_objective(seconds, kind):
    n_fits, n_kills, largest = run(seconds, every=3, kind=kind)
    assert n_fits > 0
    assert n_kills >= seconds // 6
    assert largest <= CLOSE
