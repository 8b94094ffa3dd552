"""Candidates of the search on a table: the one between them that looks best, and their psi."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.tables.search import Candidate, between, psi_of


def test_a_parabola_finds_the_alpha_between():
    losses = {Candidate(10.0**k, 1.0): (k - 0.2) ** 2 for k in (-1, 0, 1)}
    assert between(losses, Candidate(1.0, 1.0)).alpha == pytest.approx(10**0.2, rel=5e-3)
    assert between(losses, Candidate(0.1, 1.0)).alpha == 0.1


def test_psi_of_columns_and_of_pairs():
    psi = psi_of([Candidate(0.5, 0.25), Candidate(1.0, 1.0, 2.0)], n_columns=2, n_pairs=1)
    np.testing.assert_allclose(psi.l1, [[0.125, 1.0], [0.125, 1.0], [0.0, 0.1]])
    np.testing.assert_allclose(psi.l2, [[0.375, 0.0], [0.375, 0.0], [0.0, 2.0]])
