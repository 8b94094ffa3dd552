"""What a checkpoint keeps of the end of a fit: checked before it is used."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.io.saved import SavedStateError
from tauboost.solvers.result import Status
from tauboost.tuning.trained import Minimum


@pytest.mark.parametrize("loss", ["no loss", 0, True, {"a": 1}, None])
def test_a_loss_that_is_none_is_refused(loss):
    end = Minimum(np.zeros(3), 0.5, 0.5, 4, "Converged.", next(iter(Status)), 0.1, "logistic")
    assert Minimum.restored(end.saved(), 3).share == pytest.approx(0.2)
    state = Minimum(end.point, 0.5, 0.5, 4, "Converged.", end.status, 0.1, loss).saved()
    with pytest.raises(SavedStateError):
        Minimum.restored(state, 3)
