"""The check of a pair: it holds for what was found, and for nothing that was tampered with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tauboost as tb

X = np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [0.0, 2.0, 0.0], [3.0, 1.0, 0.0]])
Y = np.array([1, 0, 1, 1, 1])


@pytest.fixture
def mixed():
    found = tb.hard_core(tb.Problem(X, Y))
    assert found.verdict == "mixed"
    return found


def test_what_was_found_holds(mixed):
    checked = mixed.verify()
    assert checked.holds
    assert checked.imbalance <= 1e-15
    assert checked.residue <= 1e-15
    assert checked.least_margin > 1e-3
    assert checked.margin is None
    assert "holds to 1e-09" in str(checked)


def test_a_changed_w_does_not(mixed):
    w = mixed.w.copy()
    w[0] *= 1 + 1e-6
    checked = replace(mixed, w=w).verify()
    assert not checked.core_holds
    assert checked.separated_holds
    assert "does not hold" in str(checked)


@pytest.mark.parametrize("row", [0, 2])
def test_a_weight_in_the_wrong_place_does_not(mixed, row):
    w = mixed.w.copy()
    w[row] = 0.1 if w[row] == 0 else 0.0
    assert not replace(mixed, w=w).verify().holds


def test_a_weight_that_is_lost_in_rounding_does_not():
    """Any row could have one, in the core or not."""
    found = tb.hard_core(tb.Problem([[1.0, 2], [1, 2], [1, 0]], [1, 0, 1]))
    assert found.separated.tolist() == [False, False, True]
    w = found.w.copy()
    w[2] = 1e-12
    none = np.zeros(3, dtype=bool)
    checked = replace(found, w=w, core=~none, separated=none).verify()
    assert checked.imbalance <= checked.tol
    assert checked.lightest < checked.tol
    assert not checked.core_holds


def test_a_changed_lam_does_not(mixed):
    assert not replace(mixed, lam=-mixed.lam).verify().separated_holds
    assert not replace(mixed, lam=mixed.lam + np.array([1e-6, 0, 0])).verify().separated_holds
    assert not replace(mixed, lam=np.zeros(3)).verify().separated_holds


def test_more_rows_than_are_proved_do_not(mixed):
    assert not replace(mixed, core=np.ones(5, dtype=bool)).verify().holds
    assert not replace(mixed, separated=np.ones(5, dtype=bool)).verify().holds


def test_margins_are_those_of_lam(mixed):
    signed = np.where(Y == 1, 1.0, -1.0)[:, None] * X
    np.testing.assert_allclose(mixed.margins(), -signed @ mixed.lam)


def test_how_it_is_shown(mixed):
    assert repr(mixed).startswith("HardCore(mixed: 2 rows in the core, 3 separated, ")
    assert mixed.message.startswith("The optimum is not attained: 3 rows can be separated")


def test_the_interval_with_an_intercept():
    """One feature, 0 and 1: half of lam is what either side gets."""
    found = tb.hard_core(tb.Problem([[0.0], [1.0], [1.0]], [0, 1, 1], fit_intercept=True))
    assert found.verdict == "separable"
    assert found.margin == pytest.approx((0.5, 0.5))
    assert abs(found.lam[0]) == pytest.approx(1.0)
    assert found.w[0] == pytest.approx(0.5)
    assert found.verify().margin == pytest.approx((0.5, 0.5))
