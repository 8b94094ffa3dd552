"""How many sweeps are still to go: exact where they were gone through, near where not."""

from __future__ import annotations

import pytest

import tauboost as tb
from tauboost.planning.rate import sweeps_to

OPTIONS = {"alpha": 1e-3, "l1_ratio": 0.0, "random_state": 0}


@pytest.fixture(scope="module")
def problem():
    return tb.Problem(*tb.make_w8a_like(3000, random_state=0), loss="logistic")


def test_what_was_gone_through(problem):
    result = tb.solve(problem, tol=1e-3, **OPTIONS)
    assert sweeps_to(problem, result, 1e-3, 1e-3) == result.n_epochs


def test_what_was_not(problem):
    truth = tb.solve(problem, tol=1e-3, **OPTIONS).n_epochs
    begun = tb.solve(problem, tol=1e-3, max_epochs=truth / 2, **OPTIONS)
    found = sweeps_to(problem, begun, 1e-3, 1e-3)
    assert begun.n_epochs < found < 10 * truth


def test_a_look_at_the_start_only(problem):
    begun = tb.solve(problem, max_epochs=0, **OPTIONS)
    assert sweeps_to(problem, begun, 1e-3, 1e-3) == 0
