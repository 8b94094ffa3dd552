"""Candidates of a table's race: the strength between them that looks best, and their psi."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.tables.search import Strength, between, psi_of


def test_a_parabola_finds_the_strengthbetween():
    losses = {Strength(10.0**k, 1.0): (k - 0.2) ** 2 for k in (-1, 0, 1)}
    assert between(losses, Strength(1.0, 1.0)).alpha == pytest.approx(10**0.2, rel=5e-3)
    assert between(losses, Strength(0.1, 1.0)).alpha == 0.1


def test_psi_of_columns_and_of_pairs():
    psi = psi_of([Strength(0.5, 0.25), Strength(1.0, 1.0, 2.0)], n_columns=2, n_pairs=1)
    np.testing.assert_allclose(psi.l1, [[0.125, 1.0], [0.125, 1.0], [0.0, 0.1]])
    np.testing.assert_allclose(psi.l2, [[0.375, 0.0], [0.375, 0.0], [0.0, 2.0]])
