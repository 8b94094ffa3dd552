"""What a fit says of how it ended."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.solvers.result import Status
from tauboost.sparse.refit import Minimum, message_of


def ended(gap=0.1, loss="logistic"):
    return Minimum(np.zeros(3), 0.5, 0.5, 4, "Converged.", Status.CONVERGED, gap, loss)


@pytest.mark.parametrize(
    ("gap", "tol", "shown"),
    [(4.2e-5, 1e-3, "8.4e-05"), (3e-14, 1e-3, "below 1e-08"), (1.5e-12, 1e-11, "3e-12")],
)
def test_a_gap_of_rounding_is_no_number(gap, tol, shown):
    expected = f"Converged: certified gap {shown} of the objective, tol={tol:g}."
    assert message_of([ended(gap)], tol) == expected
