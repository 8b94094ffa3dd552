"""Decision values of linear models: the short way of few entries gives the same bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from tauboost.sparse import decisions as linear
from tauboost.validation import as_csr


@pytest.mark.parametrize("seed", range(12))
def test_few_entries_give_the_same_bits(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    width, n_classes = int(rng.integers(50, 2000)), int(rng.integers(3, 30))
    X = sp.random(3, width, rng.choice([0, 0.002, 0.01]), format="csr", random_state=seed)
    if seed % 3 == 0:
        X.data[:] = 1
    rows = as_csr(X)
    if rows.data is None:
        rows = replace(rows, scale=rng.random(width))
    model = rng.normal(size=(n_classes, width)), rng.normal(size=n_classes)
    found = []
    for few in (0, 10**9):
        monkeypatch.setattr(linear, "FEW", few)
        found.append(linear.decision_values(rows, *model, 1))
    np.testing.assert_array_equal(*found)
    np.testing.assert_allclose(found[0], rows.to_scipy() @ model[0].T + model[1])
