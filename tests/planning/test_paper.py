"""The paper's prediction: the decrease it promises is what its own algorithm does at least."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tauboost as tb
from tauboost.planning.paper import predict


def test_it_is_theorem_1():
    problem = tb.Problem(*tb.make_w8a_like(2000, random_state=0))
    size = (problem.n_coordinates, problem.omega, problem.n_samples)
    said = predict(problem, *size, 1e-3, 1.0)
    assert said.tau == 16
    assert said.beta == pytest.approx(tb.beta(problem, tau=16))
    fields = said.fields()
    assert fields["paper_speedup"] == pytest.approx(tb.speedup(problem, tau=16))


def test_its_own_algorithm_takes_that_long_or_longer():
    problem = tb.Problem(*tb.make_w8a_like(2000, random_state=0))
    size = (problem.n_coordinates, problem.omega, problem.n_samples)
    accuracy = 0.1
    said = predict(problem, *size, accuracy, 1.0)
    best = tb.solve(problem, tol=1e-8, random_state=0).objective
    run = tb.solve(
        problem, "pcdm", tol=0, random_state=0, max_epochs=5000, target=best * (1 - accuracy)
    )
    assert run.n_epochs >= said.epochs / 2


def test_nothing_to_learn():
    X = np.repeat(np.eye(2), 2, axis=0)
    said = predict(tb.Problem(X, [0, 1, 0, 1]), 2, 1, 4, 1e-3, 1.0)
    assert said.epochs == math.inf
    assert "unknown" in said.how("all rows")["paper_epochs"]
