"""The split into folds: what stays together, what is dealt copy by copy, and what has no say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauboost.search.folds import MANY_COPIES, copies_a_weight, deal, drawn, group_keys, n_parts

FIVE = [0.2] * 5


def keys_of(patterns):
    return group_keys(np.asarray(patterns))


def dealt(patterns, codes, copies=None, shares=FIVE, **options):
    codes = np.asarray(codes)
    copies = np.ones(len(codes)) if copies is None else np.asarray(copies, dtype=float)
    return deal(keys_of(patterns), codes, copies, shares, **options)


def of_folds(split):
    return np.stack([split.held(fold) for fold in range(split.n_folds)], axis=1)


def random_rows(seed, n=400, n_patterns=60):
    """Patterns from rare to frequent, some with one label only."""
    rng = np.random.default_rng(seed)
    chances = rng.pareto(1.0, n_patterns) + 0.01
    patterns = rng.choice(n_patterns, n, p=chances / chances.sum())
    return patterns, np.where(patterns % 3 == 0, 1, rng.integers(0, 2, n))


@given(st.integers(0, 10**6), st.sampled_from([FIVE, [0.2, 0.8], [0.5, 0.3, 0.2]]))
def test_every_row_is_dealt_once(seed, shares):
    split = dealt(*random_rows(seed), shares=shares)
    np.testing.assert_allclose(of_folds(split).sum(axis=1), 1.0)


@given(st.integers(0, 10**6))
def test_what_stays_together(seed):
    patterns, codes = random_rows(seed)
    split = dealt(patterns, codes)
    for pattern in np.unique(patterns):
        rows = patterns == pattern
        is_asked_again = rows.sum() >= MANY_COPIES and len(set(codes[rows])) > 1
        assert np.all((split.fold[rows] == -1) == is_asked_again)
        assert len(set(split.fold[rows])) == 1


@given(st.integers(0, 10**6))
def test_the_order_of_rows_has_no_say(seed):
    patterns, codes = random_rows(seed)
    order = np.random.default_rng(seed).permutation(len(codes))
    first, second = (
        dealt(patterns, codes),
        deal(keys_of(patterns)[order], codes[order], np.ones(len(codes)), FIVE),
    )
    np.testing.assert_array_equal(first.fold[order], second.fold)
    for code in (0, 1):  # rows of one pattern and label are the same row
        for pattern in np.unique(patterns):
            rows = (patterns == pattern) & (codes == code)
            np.testing.assert_array_equal(
                of_folds(first)[rows].sum(axis=0), of_folds(second)[rows[order]].sum(axis=0)
            )


@given(st.integers(0, 10**6))
def test_a_weight_is_a_number_of_copies(seed):
    patterns, codes = random_rows(seed)
    pairs, place, times = np.unique(
        np.column_stack([patterns, codes]), axis=0, return_inverse=True, return_counts=True
    )
    keys = keys_of(patterns)[np.unique(place.reshape(-1), return_index=True)[1]]
    merged = deal(keys, pairs[:, 1], times.astype(float), FIVE)
    apart = of_folds(dealt(patterns, codes))
    summed = np.zeros((len(times), 5))
    np.add.at(summed, place.reshape(-1), apart)
    np.testing.assert_allclose(of_folds(merged) * times[:, None], summed, atol=1e-9)


def test_folds_have_their_share_of_every_class():
    rng = np.random.default_rng(0)
    codes = (rng.random(5000) < 0.06).astype(int)
    split = dealt(np.arange(5000), codes)
    for code in (0, 1):
        counts = np.bincount(split.fold[codes == code], minlength=5)
        assert np.ptp(counts) <= 1
    questions = rng.integers(0, 16, 20_000)  # all asked again
    codes = (rng.random(20_000) < 0.05 + 0.02 * (questions % 5)).astype(int)
    held = dealt(questions, codes, shares=[0.2, 0.8]).held(0)
    assert held.mean() == pytest.approx(0.2, abs=0.01)
    assert codes[held > 0].mean() == pytest.approx(codes.mean(), abs=0.015)


def test_rates_in_folds_differ_by_chance():
    """Were they the same in all folds, a rate found by chance would look like one learned."""
    split = dealt(np.zeros(1000, int), np.arange(1000) % 2, shares=[0.5, 0.5])
    held = split.held(0)
    assert 0.4 < held.mean() < 0.6
    assert held[::2].sum() != held[1::2].sum()


def test_groups_stay_together_and_rows_apart():
    rng = np.random.default_rng(0)
    groups, codes = rng.integers(0, 50, 5000), rng.integers(0, 2, 5000)
    split = dealt(groups, codes, by_copy=False)
    assert len(split.dealt) == 0
    assert all(len(set(split.fold[groups == group])) == 1 for group in range(50))
    plain = dealt(np.arange(5000), np.zeros(5000, int), by_copy=False)
    assert np.bincount(plain.fold).tolist() == [1000] * 5


def test_weights_that_are_no_whole_numbers_are_relative():
    codes, ones = np.array([0, 0, 1, 1]), np.ones(4)
    assert copies_a_weight(ones * 3, ones * 3, codes, 2).tolist() == [1.0, 1.0]
    given_weights = np.array([0.5, 0.25, 0.25, 1.0])
    np.testing.assert_allclose(copies_a_weight(given_weights, given_weights, codes, 2), 2.0)
    np.testing.assert_allclose(copies_a_weight(3.7 * given_weights, given_weights, codes, 2), 2.0)
    np.testing.assert_allclose(copies_a_weight(2.0**60 * ones, ones, codes, 2), 1.0)
    of_classes = np.array([1.0, 1.0, 5.0, 5.0])  # what a class weighs is no number of copies
    np.testing.assert_allclose(copies_a_weight(ones, of_classes, codes, 2), [1.0, 0.2])


def test_many_sizes_are_dealt_quickly_and_evenly():
    sizes = np.random.default_rng(0).integers(1, 10**9, 20_000).astype(float)
    split = dealt(np.arange(20_000), np.zeros(20_000, int), sizes)
    load = np.bincount(split.fold, sizes)
    assert np.ptp(load) < 0.01 * load.mean()


def test_where_nobody_sees_all_rows_folds_are_drawn():
    patterns, codes = random_rows(1, n=4000, n_patterns=500)
    whole, partial = dealt(patterns, codes), dealt(patterns, codes, is_partial=True)
    np.testing.assert_array_equal(whole.dealt, partial.dealt)
    np.testing.assert_array_equal(whole.shares, partial.shares)
    rest = partial.fold >= 0
    folds = drawn(keys_of(patterns), np.array(FIVE))
    np.testing.assert_array_equal(partial.fold[rest], folds[rest])


def test_repeats_are_counted():
    patterns = np.repeat([0, 1, 2], [40, 10, 50])
    codes = np.append(np.zeros(50, int), np.arange(50) % 2)
    split = dealt(patterns, codes)
    assert split.repeated == pytest.approx(0.48)
    assert split.patterns.tolist() == [2 + 25, 25]


@pytest.mark.parametrize(
    ("patterns", "parts"),
    [
        ([4_000, 4_000], 1),
        ([9_000, 900], 2),
        ([2_900, 100], 5),
        ([500, 499], 5),
        ([900, 90, 10], 1),
        ([900, 89, 10], 5),
    ],
)
def test_a_rare_class_is_held_out_in_more_parts(patterns, parts):
    assert n_parts(np.array(patterns)) == parts
    assert n_parts(np.array(patterns), most=1) == 1
