"""Rows of a table as a fit uses them: merged, dealt to folds by their content, in order."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.search.folds import group_keys
from tauboost.tables.columns import NumericColumn
from tauboost.tables.training import N_FOLDS, TableTraining

COLUMNS = tuple(NumericColumn(f"x{k}", np.arange(10.0)) for k in range(3))


def samples(codes, labels, weights):
    return TableTraining.build(COLUMNS, codes, labels, weights, n_classes=2, n_threads=2)


def random_rows(n=500):
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, (3, n)).astype(np.uint8)
    return codes, random.integers(0, 2, n), random.integers(1, 5, n).astype(float)


def weights_of(codes, labels, weights, *more):
    """The weight of each different row."""
    keys = zip(*codes.tolist(), labels.tolist(), *(key.tolist() for key in more), strict=True)
    total = {}
    for key, weight in zip(keys, weights / weights.sum(), strict=True):
        total[key] = total.get(key, 0.0) + weight
    return total


def test_equal_rows_become_one_of_all_their_weight():
    given = random_rows()
    found = samples(*given)
    assert len(weights_of(found.codes, found.labels, found.weights, found.folds)) == found.n
    total = weights_of(*given)
    merged = weights_of(found.codes, found.labels, found.weights)
    assert merged.keys() == total.keys()
    assert all(np.isclose(merged[key], total[key]) for key in total)


def test_the_fold_of_a_row_does_not_depend_on_its_place():
    codes, labels, weights = random_rows()
    order = np.random.default_rng(1).permutation(len(labels))
    first = samples(codes, labels, weights)
    second = samples(np.ascontiguousarray(codes[:, order]), labels[order], weights[order])

    def folds(found):
        return weights_of(found.codes, found.labels, found.weights, found.folds)

    assert folds(first) == pytest.approx(folds(second))


def test_a_question_that_is_asked_again_is_in_several_folds():
    """Three columns of three values: most rows have more than thirty copies, and both labels."""
    codes, labels, weights = random_rows()
    found = samples(codes, labels, weights)
    where = {}
    for *row, fold in zip(*found.codes.tolist(), found.folds.tolist(), strict=True):
        where.setdefault(tuple(row), set()).add(fold)
    assert sum(len(folds) > 1 for folds in where.values()) > 20
    groups = group_keys(np.arange(len(labels)) % 7)
    apart = TableTraining.build(
        COLUMNS, codes, labels, weights, n_classes=2, n_threads=2, groups=groups
    )
    assert apart.n > len(weights_of(codes, labels, weights))


def test_shards_are_of_one_class_and_one_fold():
    found = samples(*random_rows())
    assert np.all(np.diff(found.labels) >= 0)
    ends = np.cumsum(found.shard_rows)
    for fold, start, end in zip(found.shard_folds, ends - found.shard_rows, ends, strict=True):
        assert set(found.folds[start:end]) == {fold}
        assert len(set(found.labels[start:end])) == 1
    assert set(found.shard_folds) == set(range(N_FOLDS))
    held = found.held_shards(2)
    assert sorted([*held, *found.shards(2)]) == list(range(found.table.n_shards))
