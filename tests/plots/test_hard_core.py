"""The picture of a verdict: its panels, and what is written on them."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

import numpy as np

import tauboost as tb
from pictures import png, texts


@pytest.mark.parametrize(
    ("X", "panels"),
    [
        ([[1.0, 0], [1, 0], [0, 1], [0, 1]], 2),
        ([[1.0, 0], [1, 0], [1, 0], [1, 0]], 1),
        ([[1.0, 0], [0, 1], [1, 0], [1, 0]], 1),
    ],
)
def test_panels(X, panels):
    found = tb.hard_core(tb.Problem(X, np.array(["no", "yes", "no", "no"])))
    figure = found.plot()
    assert len(figure.axes) == panels
    assert png(figure).startswith(b"\x89PNG")
    said = texts(figure)
    assert "label no" in said
    if found.core.any():
        heaviest = int(found.w.argmax())
        assert f"rows {heaviest}" in said
        assert f"rows {heaviest + 1}" in texts(found.plot(count_from=1))
    assert ("contradict each other" in said) == found.core.any()
    assert ("can be separated" in said) == found.separated.any()
