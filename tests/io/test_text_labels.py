"""Labels that are compared with those of a model."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.io.text_labels import labels_like


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["1", "0"], [0, 1], [1, 0]),
        (["1.0", "0"], [0.0, 1.0], [1.0, 0.0]),
        (["1", "?"], [0, 1], ["1", "?"]),
        (["1", "0"], ["0", "1"], ["1", "0"]),
        ([1, 0], [0, 1], [1, 0]),
        ([True], [0, 1], [True]),
    ],
)
def test_text_is_read_as_numbers_if_the_model_has_numbers(labels, classes, expected):
    found = labels_like(labels, np.array(classes))
    assert found.tolist() == expected
    assert isinstance(found, np.ndarray)
