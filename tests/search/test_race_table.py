"""Candidates of a race to an array and back, and arrays that are none."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.search.record import LINEAR, TABLE, pack_candidates, unpack_candidates

ROW = {"loss": "logistic", "l1_ratio": 0.5, "alpha": 0.01, "n_sweeps": 3, "held_out_loss": 0.3}


def test_there_and_back():
    rows = [ROW, ROW | {"loss": "exponential", "n_sweeps": 4}]
    assert unpack_candidates(pack_candidates(rows, LINEAR), LINEAR) == rows
    pair = {"alpha": 0.1, "l1_ratio": 1.0, "smoothness": np.inf, "held_out_loss": 0.2}
    assert unpack_candidates(pack_candidates([pair], TABLE), TABLE) == [pair]


def test_nothing_and_other_rows_are_left_out():
    assert pack_candidates([], LINEAR) == {}
    assert pack_candidates([{"alpha": 3.0}], LINEAR) == {}
    assert unpack_candidates({}, LINEAR) == []


@pytest.mark.parametrize(
    "table",
    [np.zeros((2, 3)), np.zeros(5), np.full((1, 5), np.nan), [[1.0] * 5], np.full((1, 5), 7.0)],
)
def test_what_is_no_race(table):
    with pytest.raises(ValueError, match="its selection"):
        unpack_candidates({"selection": table}, LINEAR)
