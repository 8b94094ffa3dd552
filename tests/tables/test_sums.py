"""Sums over the rows of a table: in one piece or in parts, they are the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tauboost.search.folds import drawn
from tauboost.tables.binning import bin_table
from tauboost.tables.pairs import Pair
from tauboost.tables.rows import BatchSpec
from tauboost.tables.training import EVEN, DistinctRows, TableTraining
from tauboost.validation.frames import take_frame


@pytest.fixture(scope="module")
def rows():
    """The columns, and the rows all together, in two parts, and no row at all."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(0, 9, 500), random.normal(size=500)])
    X[random.random(X.shape) < 0.1] = np.nan
    columns, codes = bin_table(take_frame(X), max_bins=20)
    labels = random.integers(0, 3, 500)
    labels[:200] = 0  # the last class is in the second part only
    whole = DistinctRows.build(codes, labels, random.random(500), np.ones(3), 1)
    numbers = np.arange(len(whole.labels))
    parts = [whole.take(numbers[:150]), whole.take(numbers[150:]), whole.take(numbers[:0])]

    def samples(some):
        folds = drawn(some.prints, np.array(EVEN))
        some = replace(some, codes=some.codes.copy())  # which are put in order in place
        return TableTraining.ordered(columns, some, folds, whole.weights.sum(), 3, 1)

    return samples(whole), [samples(part) for part in parts]


def both(rows, ask):
    """Return what the whole answers, and the sum of what the parts answer."""
    whole, parts = rows
    return ask(whole), sum(ask(part) for part in parts)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("width", [1, 8])
def test_passes_and_sums_add_up(rows, loss, width):
    spec = BatchSpec(loss, (2,) * width, 1, rows[0].trained_weight(1))
    n_levels = rows[0].table.n_levels
    random = np.random.default_rng(1)
    shift = random.normal(size=width)
    levels, intercepts = random.normal(size=(width, n_levels)), random.normal(size=width)
    n_first, n_second = (column.n_bins for column in rows[0].columns)
    growth = np.exp(random.normal(size=(width, n_first)))
    maps = np.zeros((2, 256), dtype=np.uint8)
    maps[1, 3:] = 1

    def ask(samples):
        weights = samples.rows(spec, 1)
        placed = weights.place(levels, intercepts, shift)
        sums = weights.one_pass(0, growth.reshape(-1), 1, n_second)
        again = samples.rows(spec, 1)  # the same, without multiplication
        there = levels.copy()
        there[:, :n_first] += np.log(growth)
        again.place(there, intercepts, shift)
        np.testing.assert_allclose(
            again.one_pass(-1, None, 1, n_second), sums, rtol=2e-4, atol=1e-6
        )
        pairs = weights.pair_sums(0, 2.0, np.arange(2, dtype=np.int32), maps, 2)
        return np.concatenate([placed, sums, pairs.ravel(), [weights.loss_sum(0)]])

    whole, added = both(rows, ask)
    np.testing.assert_allclose(added, whole, rtol=1e-9 if width == 1 else 1e-4, atol=1e-6)


@pytest.mark.parametrize("width", [1, 8])
def test_shifts_and_powers_of_two_are_the_same(rows, width):
    """So a part that is built anew finds its weights from levels and a shift."""
    samples, random = rows[0], np.random.default_rng(3)
    spec = BatchSpec("exponential", (1,) * width, 0, samples.trained_weight(0))
    levels = random.normal(size=(width, samples.table.n_levels))
    intercepts, bits = random.normal(size=width), np.arange(width, dtype=np.int32) + 5
    first, second = (samples.rows(spec, 1) for _ in range(2))
    shift = first.largest(levels, intercepts)
    assert np.all(first.place(levels, intercepts, shift) <= 1.0 + 1e-6)
    first.rescale(bits)
    second.place(levels, intercepts, shift - np.log(2.0) * bits)
    np.testing.assert_allclose(second.E, first.E, rtol=1e-12 if width == 1 else 1e-5)


def test_weights_of_each_lane_are_its_own(rows):
    samples, drawn = rows[0], np.random.default_rng(4).random((rows[0].n, 8))
    for loss in ("logistic", "exponential"):
        weights = samples.rows(BatchSpec(loss, (1,) * 8, None, 1.0), 1)
        weights.set_weights(drawn)
        sums = [weights.loss_sum(lane) for lane in range(8)]
        np.testing.assert_allclose(sums, np.log(2.0) if loss == "logistic" else 1.0, rtol=1e-6)
        _, h = weights.gradients(3, 1.0)
        expected = drawn[:, 3] / drawn[:, 3].sum() / (4.0 if loss == "logistic" else 1.0)
        np.testing.assert_allclose(h, expected, rtol=1e-6)


def test_counts_levels_and_losses_add_up(rows):
    maps = tuple(np.arange(column.n_bins, dtype=np.uint8) // 4 for column in rows[0].columns)
    pair = Pair((0, 1), maps, (0, 0), 0, 0)
    random = np.random.default_rng(2)
    ends = [(random.normal(size=(1, rows[0].table.n_levels)), np.ones(1)) for _ in range(6)]

    def ask(samples):
        sums = [
            samples.counts.ravel(),
            samples.fold_weights,
            samples.level_sums(),
            samples.pair_weights(pair).ravel(),
            samples.held_out_sums("logistic", 0, ends[:3]),
            samples.gain_sums("logistic", 0, ends[:3], ends[3:]),
            samples.fold_squares,
            [samples.class_weight(1)],
        ]
        return np.concatenate(sums)

    whole, added = both(rows, ask)
    np.testing.assert_allclose(added, whole, rtol=1e-9, atol=1e-15)
