"""How alpha was chosen, as a model file says it: also one that nobody wrote in a fit."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tauboost.reporting.fit_section import search_section

ROW = {"alpha": 1e-3, "l1_ratio": 1.0, "held_out_loss": 0.5}


@pytest.mark.parametrize(
    ("alpha", "selection"),
    [
        (1e-3, []),
        (1e-320, [ROW]),
        (1e308, [ROW, ROW | {"alpha": 1e-320}]),
        (1e-3, [ROW | {"smoothness": 3.0}]),
        (1e-3, [ROW | {"held_out_loss": float("nan")}]),
        (1e-3, [ROW | {"held_out_loss": 1e308}, ROW | {"held_out_loss": -1e308}]),
        (0.0, [ROW | {"alpha": 0.0}]),
    ],
)
def test_any_numbers_make_a_section(alpha, selection):
    model = SimpleNamespace(fit=SimpleNamespace(alpha=alpha, selection=selection), terms=None)
    assert search_section(model).title == "How the strength was chosen"
