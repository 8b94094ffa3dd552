"""What a fit says of how it ended, and what a checkpoint keeps of that, checked before use."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.io.saved import SavedStateError
from tauboost.solvers.result import Status
from tauboost.tuning.trained import Minimum, message_of


def ended(gap=0.1, loss="logistic"):
    return Minimum(np.zeros(3), 0.5, 0.5, 4, "Converged.", Status.CONVERGED, gap, loss)


@pytest.mark.parametrize(
    ("gap", "tol", "shown"),
    [(4.2e-5, 1e-3, "8.4e-05"), (3e-14, 1e-3, "below 1e-08"), (1.5e-12, 1e-11, "3e-12")],
)
def test_a_gap_of_rounding_is_no_number(gap, tol, shown):
    expected = f"Converged: certified gap {shown} of the objective, tol={tol:g}."
    assert message_of([ended(gap)], tol) == expected


@pytest.mark.parametrize("loss", ["no loss", 0, True, {"a": 1}, None])
def test_a_loss_that_is_none_is_refused(loss):
    assert Minimum.restored(ended().saved(), 3).share == pytest.approx(0.2)
    with pytest.raises(SavedStateError):
        Minimum.restored(ended(loss=loss).saved(), 3)
