"""Scales: places, round numbers, numbers for people."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tauboost.base.messages import number
from tauboost.reporting.svg import Scale


def test_places_run_from_begin_to_end():
    assert Scale(0, 10, 100, 200)([0, 5, 10, 20]).tolist() == [100, 150, 200, 200]
    assert Scale(0, 10, 200, 100)(5) == 150
    assert Scale(1, 100, 0, 1, is_log=True)(10) == pytest.approx(0.5)
    assert Scale(3, 3, 0, 1)(3) == 0.5


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.7, 12), (1e-6, 2e-6), (0, 123456), (-5, -4)])
def test_ticks_are_round_and_within(low, high):
    ticks = Scale(low, high, 0, 1).ticks()
    assert 2 <= len(ticks) <= 8
    assert all(low <= tick <= high + 1e-12 for tick in ticks)
    assert all(len(f"{tick:g}") <= 8 for tick in ticks)


def test_ticks_of_logarithms_are_powers_of_ten():
    assert Scale(1e-5, 1.1, 0, 1, is_log=True).ticks() == pytest.approx(10.0 ** np.arange(-5, 1))
    assert len(Scale(2, 5, 0, 1, is_log=True).ticks()) == 1


@pytest.mark.parametrize("values", [[], [3.0], [0.0, 0.0], [math.nan, 1, 2], [math.inf, 5]])
@pytest.mark.parametrize("is_log", [False, True])
def test_any_numbers_give_a_scale(values, is_log):
    scale = Scale.around(values, 0, 1, is_log=is_log)
    assert math.isfinite(scale.low)
    assert math.isfinite(scale.high)
    assert scale.low < scale.high


EXTREMES = (5e-324, 1e-320, 1e-300, 1e-5, 1.0, 1e300, 1.7e308, -1.7e308)


@pytest.mark.parametrize("low", EXTREMES)
@pytest.mark.parametrize("high", EXTREMES)
@pytest.mark.parametrize("is_log", [False, True])
def test_numbers_at_the_ends_of_floats_have_places(low, high, is_log):
    scale = Scale.around([low, high], 0, 1, is_log=is_log)
    places = scale([low, high, *scale.ticks()])
    assert np.all((places >= 0) & (places <= 1))
    assert 1 <= len(scale.ticks()) <= 12


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1234.5, "1,234"), (-0.25, "−0.25"), (2.76e-5, "2.76e-05"), (math.nan, "none")],
)
def test_numbers_for_people(value, text):
    assert number(value) == text
