"""Rows of a table as a fit uses them: merged, dealt to folds by their content, in order."""

from __future__ import annotations

import numpy as np

from tauboost.design.columns import NumericColumn
from tauboost.tuning.table_samples import N_FOLDS, TableSamples

COLUMNS = tuple(NumericColumn(f"x{k}", np.arange(10.0)) for k in range(3))


def samples(codes, labels, weights, seed=0):
    return TableSamples.build(COLUMNS, codes, labels, weights, n_classes=2, seed=seed, n_threads=2)


def random_rows(n=500):
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, (3, n)).astype(np.uint8)
    return codes, random.integers(0, 2, n), random.integers(1, 5, n).astype(float)


def test_equal_rows_become_one_of_all_their_weight():
    codes, labels, weights = random_rows()
    found = samples(codes, labels, weights)
    rows = {(*codes[:, j].tolist(), int(labels[j])) for j in range(len(labels))}
    assert found.n == len(rows)
    total = dict.fromkeys(rows, 0.0)
    for j in range(len(labels)):
        total[(*codes[:, j].tolist(), int(labels[j]))] += weights[j] / weights.sum()
    for j in range(found.n):
        row = (*found.codes[:, j].tolist(), int(found.labels[j]))
        assert np.isclose(found.weights[j], total[row])


def test_the_fold_of_a_row_does_not_depend_on_its_place():
    codes, labels, weights = random_rows()
    order = np.random.default_rng(1).permutation(len(labels))
    first = samples(codes, labels, weights)
    second = samples(np.ascontiguousarray(codes[:, order]), labels[order], weights[order])

    def folds(found):
        keys = zip(*found.codes.tolist(), found.labels.tolist(), strict=True)
        return dict(zip(keys, found.folds.tolist(), strict=True))

    assert folds(first) == folds(second)
    assert folds(first) != folds(samples(codes, labels, weights, seed=1))


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
