"""Labels that are compared with those of a model."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.io.text_lines import label_array, labels_like


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["1", "0"], [0, 1], [1, 0]),
        (["1.0", "0"], [0.0, 1.0], [1.0, 0.0]),
        (["1", "?"], [0, 1], ["1", "?"]),
        (["1", "0"], ["0", "1"], ["1", "0"]),
        ([1, 0], [0, 1], [1, 0]),
        ([True], [0, 1], [True]),
        (["True", "false"], [False, True], [True, False]),
        (["true", "?"], [False, True], ["true", "?"]),
    ],
)
def test_text_is_read_as_numbers_if_the_model_has_numbers(labels, classes, expected):
    found = labels_like(labels, np.array(classes))
    assert found.tolist() == expected
    assert isinstance(found, np.ndarray)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["7", "0", "-1"], [7, 0, -1]),
        (["1.0", "0", " 1"], [1.0, 0.0, 1.0]),
        (["007", "7"], ["007", "7"]),
        (["NA", "DE"], ["NA", "DE"]),
        (["nan", "1"], ["nan", "1"]),
        (["true", "True"], ["true", "True"]),
        (["1", "+1"], ["1", "+1"]),
        (["1_0", "10"], ["1_0", "10"]),
        (["2024-01-01"], ["2024-01-01"]),
        (["9223372036854775808", "0"], ["9223372036854775808", "0"]),
    ],
)
def test_labels_of_csv_are_numbers_only_if_all_are_written_as_one(cells, expected):
    assert label_array(cells, is_text=True).tolist() == expected
