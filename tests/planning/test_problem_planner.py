"""The plan of a problem: its own sweeps, timed."""

from __future__ import annotations

import pytest

import tauboost as tb


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_sweeps_are_those_of_solve(loss):
    problem = tb.Problem(*tb.make_w8a_like(5000, random_state=0), loss=loss)
    found = tb.plan(problem, seconds=0.2, accuracy=1e-2, n_threads=1)
    truth = tb.solve(problem, tol=1e-2, random_state=0, n_threads=1)
    assert found.sweeps == pytest.approx(truth.n_epochs)
    assert found.how["sweeps"] == "measured: gone through"
    run = tb.solve(problem, tol=0, max_epochs=3, random_state=0, n_threads=1)
    assert found.sweep_seconds[1] < 5 * run.seconds


def test_no_time_to_go_through_them():
    problem = tb.Problem(*tb.make_w8a_like(20_000, random_state=0))
    found = tb.plan(problem, seconds=1e-3, accuracy=1e-9, n_threads=1)
    assert "first sweeps" in found.how["sweeps"]
    assert found.sweeps > 1
