"""The paper's prediction."""

from __future__ import annotations

import pytest

import tauboost as tb
from tauboost.planning.paper import theorem_1


def test_it_is_theorem_1():
    problem = tb.Problem(*tb.make_w8a_like(2000, random_state=0))
    said = theorem_1(problem.n_coordinates, problem.omega, problem.n_samples)
    assert said["paper_tau"] == 16
    assert said["paper_beta"] == pytest.approx(tb.beta(problem, tau=16))
    assert said["paper_speedup"] == pytest.approx(tb.speedup(problem, tau=16))


def test_few_columns():
    assert theorem_1(2, 1, 4)["paper_tau"] == 2
