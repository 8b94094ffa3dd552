"""Fits of a batch: each is what it would be alone, up to single precision."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from mixed_table import mixed_table
from tauboost.tables.batch import TableBatch, TermPenalty
from tauboost.tables.binning import bin_table
from tauboost.tables.training import TableTraining
from tauboost.validation.frames import take_frame

ALPHAS = np.array([1e-3, 3e-3, 1e-2])


@pytest.fixture(scope="module")
def samples():
    table, y = mixed_table(600)
    columns, codes = bin_table(take_frame(table), None, 32)
    return TableTraining.build(
        columns, codes, y.astype(np.intp), np.ones(len(y)), n_classes=2, n_threads=1
    )


def batch(samples, loss, alphas, held=None):
    n_terms = samples.table.n_terms
    psi = TermPenalty.elastic_net(n_terms, np.asarray(alphas), np.ones(len(alphas)))
    signs = np.zeros((n_terms, 2), dtype=np.int8)
    return TableBatch(samples, loss, psi, [0] * len(alphas), held=held, signs=signs, n_threads=1)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("held", [None, 1])
def test_fits_of_a_batch_are_what_they_are_alone(samples, loss, held):
    together = batch(samples, loss, ALPHAS, held)
    alone = [batch(samples, loss, [alpha], held) for alpha in ALPHAS]
    for _ in range(20):
        together.sweep()
        for one in alone:
            one.sweep()
    for k, one in enumerate(alone):
        assert together.objective(k) == pytest.approx(one.objective(), abs=1e-5)
        if held is not None:
            shards = samples.held_shards(held)
            found, expected = (samples.values(shards, *fits.end, 1) for fits in (together, one))
            np.testing.assert_allclose(found[:, k], expected[:, 0], atol=2e-2)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_a_fit_on_all_rows_is_the_optimum_of_the_problem(samples, loss):
    table, y = mixed_table(600)
    problem = tb.TableProblem(table, y, loss=loss, max_bins=32)
    expected = tb.solve(problem, alpha=3e-3, tol=1e-7, max_epochs=3000).objective
    one = batch(samples, loss, [3e-3])
    for _ in range(300):
        one.sweep()
    assert one.objective() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_a_start_is_where_it_says(samples, loss):
    first = batch(samples, loss, [3e-3])
    for _ in range(5):
        first.sweep()
    second = batch(samples, loss, [3e-3])
    second.start_from(first.levels[0], first.intercepts[0])
    assert second.objective() == pytest.approx(first.objective(), abs=1e-9)
    g, h = second.rows.gradients(0, second.total[0])
    assert np.all(h >= 0)
    assert abs(g.sum()) < 0.05  # the intercept is nearly where it should be


def test_sums_of_weights_stay_exact_where_classes_part():
    X = np.random.default_rng(0).integers(0, 50, (900, 3)).astype(float)
    columns, codes = bin_table(take_frame(X), None, 64)
    y = (X[:, 0] > 20).astype(np.intp)
    samples = TableTraining.build(columns, codes, y, np.ones(len(y)), n_classes=2, n_threads=1)
    fit = batch(samples, "exponential", [1e-6])
    for _ in range(20):
        assert fit.sweep()[0] == pytest.approx(3.0, abs=0.1)
    assert fit.total[0] == pytest.approx(fit.rows.loss_sum(0), rel=1e-8)
    assert fit.objective() < -59
