"""Bins do not depend on what weights are measured in: a constant factor changes none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tauboost.tables.binning import WholeUnit, bin_table, weight_units, whole_weights
from tauboost.validation.frames import take_frame

CONSTANTS = st.floats(1e-30, 1e30, allow_subnormal=False)
UNITS = [1.0, 1 / 3, 0.1, 3.7, np.pi, 2.0**-40]


def make_table(rng, n):
    """Many ties: even values, and categories that weigh the same."""
    table = np.empty((n, 3), dtype=object)
    table[:, 0] = np.arange(n) % 400
    table[:, 1] = rng.permutation(n) * 0.5
    table[:, 2] = [f"c{k % 30}" for k in range(n)]
    return take_frame(table)


def bins_of(frame, weights, max_bins):
    return [column.bin_names() for column in bin_table(frame, weights, max_bins)[0]]


def drawn(rng, n, kind):
    if kind == "whole numbers":
        return rng.integers(0, 6, n) * 1.0
    if kind == "large whole numbers":
        return rng.integers(0, 2, n) * 9_999_991.0 + rng.integers(1, 3, n)
    if kind == "thirds and sevenths":
        return rng.integers(1, 5, n) / 3 + rng.integers(0, 9, n) / 7
    if kind == "balanced classes":
        return rng.integers(1, 4, n) * np.where(rng.random(n) < 0.3, n / (2 * 311), n / (2 * 689))
    if kind == "no common unit":
        return rng.integers(1, 4, n) * np.where(rng.random(n) < 0.5, 1.0, np.sqrt(2))
    return rng.lognormal(size=n)


KINDS = [
    "whole numbers",
    "large whole numbers",
    "thirds and sevenths",
    "balanced classes",
    "no common unit",
    "real numbers",
]


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@given(constant=CONSTANTS, seed=st.integers(0, 5), max_bins=st.sampled_from([2, 7, 16, 20, 100]))
def test_a_constant_factor_changes_no_bin(kind, constant, seed, max_bins):
    rng = np.random.default_rng(seed)
    frame, weights = make_table(rng, 1000), drawn(rng, 1000, kind)
    assert bins_of(frame, weights, max_bins) == bins_of(frame, constant * weights, max_bins)


def test_3_7_times_the_weights():
    rng = np.random.default_rng(0)
    frame = make_table(rng, 1000)
    for kind in KINDS:
        weights = drawn(rng, 1000, kind)
        assert bins_of(frame, weights, 20) == bins_of(frame, 3.7 * weights, 20)


@given(
    whole=st.lists(st.integers(1, 2**24), min_size=1, max_size=30),
    unit=st.one_of(CONSTANTS, st.sampled_from(UNITS)),
)
def test_whole_multiples_are_found(whole, unit):
    divisor = int(np.gcd.reduce(whole))
    weights = unit * np.array(whole)
    units = weight_units(weights)
    assert units == max(whole) // divisor
    found = whole_weights(weights, WholeUnit.of(weights.max(), units, len(whole)))
    assert found.tolist() == [k // divisor for k in whole]


@given(
    parts=st.lists(st.lists(st.integers(1, 5000), min_size=1), min_size=1, max_size=4),
    unit=CONSTANTS,
)
def test_parts_have_the_unit_of_the_whole(parts, unit):
    weights = [unit * np.array(part) for part in parts]
    own = [w.max() / weight_units(w) for w in weights]
    largest = max(w.max() for w in weights)
    assert weight_units(np.array([*own, largest])) == weight_units(np.concatenate(weights))


def test_weights_without_a_unit_have_none():
    rng = np.random.default_rng(0)
    assert weight_units(rng.lognormal(size=1000)) == 0
    assert weight_units(np.array([1.0, np.sqrt(2), np.sqrt(3)])) == 0
    assert weight_units(np.array([1.0, 2.0**30])) == 0
    weights = np.array([0.0, 1e-30, 0.25, 1.0])
    whole = whole_weights(weights, WholeUnit.of(1.0, 0, 4)).tolist()
    assert whole[:2] == [0, 1]
    assert all(a < b for a, b in pairwise(whole))
