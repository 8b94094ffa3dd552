"""Columns of one value each, without their values: everything is as if these were written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from tauboost.parameters import LinearParameters
from tauboost.sparse.decisions import decision_values
from tauboost.sparse.fitting import fit
from tauboost.sparse.training import Samples
from tauboost.validation import CsrArrays, as_csr


def make_pair(m=300, n=40, seed=0):
    """Return a matrix without its values, the same with them, and labels."""
    rng = np.random.default_rng(seed)
    X = sp.csr_array((rng.random((m, n)) < 0.15).astype(float))
    scale = rng.uniform(0.2, 3.0, n)
    bare = CsrArrays(X.indptr, X.indices, None, X.shape, scale=scale)
    y = (X @ (scale * rng.normal(size=n)) + rng.logistic(size=m)) > 0
    return bare, as_csr(sp.csr_array(X.multiply(scale))), y


@pytest.mark.parametrize("units", [None, "own"])
def test_a_fit(units):
    bare, full, y = make_pair()
    parameters = LinearParameters(random_state=0)
    one, two = (fit(rows, y, parameters, n_threads=2, units=units) for rows in (bare, full))
    assert one.alpha == two.alpha
    np.testing.assert_allclose(one.coef, two.coef, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.decisions(bare, 1), two.decisions(full, 1), atol=1e-9)


def test_products_and_lengths():
    bare, full, _ = make_pair()
    coef = np.random.default_rng(1).normal(size=(2, 40))
    for n_threads in (1, 3):
        found = decision_values(bare, coef, np.ones(2), n_threads)
        np.testing.assert_allclose(found, decision_values(full, coef, np.ones(2), n_threads))
    codes, weights = np.arange(300) % 2, np.ones(300)
    options = {"fit_intercept": True, "seed": 0, "n_threads": 1, "units": None}
    lengths = [
        Samples.build(rows, codes, 2, weights, **options).mean_square for rows in (bare, full)
    ]
    np.testing.assert_allclose(*lengths)


def test_rows_that_are_chosen_and_columns_that_nobody_uses():
    bare, full, _ = make_pair()
    keep = np.arange(300) % 3 == 0
    np.testing.assert_allclose(
        bare.select(keep).to_scipy().toarray(), full.select(keep).to_scipy().toarray()
    )
    wide = replace(
        bare,
        indices=bare.indices * 1000,
        shape=(300, 40_000),
        scale=np.repeat(bare.scale, 1000),
    )
    samples = Samples.build(
        wide, np.arange(300) % 2, 2, np.ones(300), fit_intercept=True, seed=0, n_threads=1
    )
    assert samples.used is not None
    np.testing.assert_allclose(samples.arrays.to_scipy().toarray(), full.to_scipy().toarray())


@pytest.mark.parametrize(("units", "size"), [(None, 1.0), ("own", 3.0)])
def test_the_last_rows_may_be_empty(units, size):
    X = sp.csr_array(np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 3.0], [0.0, 0.0]]))
    samples = Samples.build(
        as_csr(X),
        np.array([0, 1, 0, 1]),
        2,
        np.ones(4),
        fit_intercept=True,
        seed=0,
        n_threads=1,
        units=units,
    )
    assert samples.mean_square == pytest.approx((1 + (4 + 9) / size**2) / 4)
