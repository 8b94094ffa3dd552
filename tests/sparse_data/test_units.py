"""Units of columns: found, applied, and taken back."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sparse_data import random_csr
from tauboost.sparse.scaling import Moments, Ranges, Units
from tauboost.validation import as_csr

RANDOM = np.random.default_rng(3)
TABLE = np.c_[
    RANDOM.normal(size=50),
    RANDOM.normal(size=50) + 100,
    (RANDOM.random(50) < 0.3) * 5.0,
    np.zeros(50),
    np.full(50, 7.0),
    -RANDOM.uniform(10, 11, 50) * (np.arange(50) > 0),
]
WEIGHTS = RANDOM.uniform(0.5, 2.0, 50)


def units_of(X, weights=WEIGHTS, fit_intercept=True):
    return Units.of(as_csr(X), weights, fit_intercept, 2)


def test_sizes_and_centers():
    units = units_of(TABLE)
    assert units.columns.tolist() == [1, 5]
    np.testing.assert_allclose(units.centers, np.average(TABLE, 0, WEIGHTS)[[1, 5]])
    left = TABLE.copy()
    left[:, units.columns] -= units.centers
    expected = np.abs(left).max(axis=0)
    expected[3] = 1.0  # nothing there
    np.testing.assert_array_equal(units.size, expected)
    applied = units.applied(as_csr(TABLE)).to_scipy().toarray()
    np.testing.assert_allclose(applied, left / expected, rtol=1e-15)


def test_there_and_back():
    units = units_of(TABLE)
    coef, intercept = RANDOM.normal(size=(2, 6)), RANDOM.normal(size=2)
    own = units.inward(coef, intercept)
    np.testing.assert_allclose(units.outward(*own)[0], coef)
    np.testing.assert_allclose(units.outward(*own)[1], intercept)
    applied = units.applied(as_csr(TABLE)).to_scipy()
    np.testing.assert_allclose(applied @ own[0].T + own[1], TABLE @ coef.T + intercept)


def test_zeros_and_ones_have_no_units():
    assert units_of(sp.csr_array(np.eye(50))) is None
    assert units_of(2.0 * np.eye(50)) is not None


def test_no_center_without_an_intercept():
    assert len(units_of(TABLE, fit_intercept=False).columns) == 0


def test_parts_agree_with_the_whole():
    cuts = [slice(0, 10), slice(10, 35), slice(35, 50)]
    ranges, whole = [], units_of(TABLE)
    for rows in cuts:
        found = Ranges.of(as_csr(TABLE[rows]), 1)
        columns = np.flatnonzero(found.counts)
        ranges.append((columns, found.select(columns)))
    merged = Ranges.merged(6, ranges)
    for name in ("least", "most", "counts"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(whole.ranges, name))
    assert merged.n_rows == 50
    moments = [Moments.of(as_csr(TABLE[rows]), WEIGHTS[rows], merged, 2) for rows in cuts]
    shares = [WEIGHTS[rows].sum() / WEIGHTS.sum() for rows in cuts]
    found = Units.found(merged, Moments.merged(moments, shares), True)
    np.testing.assert_array_equal(found.columns, whole.columns)
    np.testing.assert_allclose(found.centers, whole.centers, rtol=1e-14)


def test_some_columns():
    units = units_of(TABLE).select(np.array([1, 4, 5]))
    assert units.columns.tolist() == [0, 2]
    np.testing.assert_array_equal(units.size, units_of(TABLE).size[[1, 4, 5]])


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_ranges_are_those_of_the_entries(n_threads):
    X = random_csr((300, 40), 0.1, np.random.default_rng(0))
    X.data -= 0.5
    X.data[::17] = 0.0  # does not count
    ranges = Ranges.of(as_csr(X), n_threads)
    dense = X.toarray()
    np.testing.assert_array_equal(ranges.counts, np.count_nonzero(dense, axis=0))
    entries = np.where(dense == 0, np.nan, dense)
    np.testing.assert_array_equal(ranges.least, np.nanmin(entries, axis=0))
    np.testing.assert_array_equal(ranges.most, np.nanmax(entries, axis=0))


def test_rulers_see_no_multiples():
    """Also negative ones, but for columns whose ends are the same in both directions."""
    factors = 10.0 ** RANDOM.uniform(-6, 6, 6) * np.array([1, -1, 1, 1, -1, -1])
    seen = []
    for X in (TABLE, TABLE * factors):
        zero, size = Ranges.of(as_csr(X), 1).rulers()
        seen.append((X - zero) / size)
    np.testing.assert_allclose(*seen, atol=1e-12)
