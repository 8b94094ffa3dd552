"""Labels, strings and groups of values in model files, whatever the model."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.io.model_parts import (
    add_classes,
    add_strings,
    classes_schema,
    encode_group,
    is_size,
    read_classes,
    read_groups,
    read_strings,
)


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        (np.array([-1, 1]), "numbers"),
        (np.array([False, True]), "numbers"),
        (np.array(["ham", "späm"]), "U4"),
        (np.array(["a", "b\0"], dtype=object), "object"),
    ],
)
def test_labels_come_back(classes, kind):
    tensors = {}
    assert add_classes(tensors, classes) == kind
    again = read_classes(kind, tensors)
    assert again.dtype == classes.dtype
    assert again.tolist() == classes.tolist()
    assert classes_schema({"n_classes": 2, "classes": kind}).keys() == tensors.keys()


def test_labels_that_do_not_fit_their_width():
    tensors = {}
    add_classes(tensors, np.array(["ham", "späm"]))
    with pytest.raises(ValueError, match="not text of at most 3 characters"):
        read_classes("U3", tensors)
    # An array of this width would be far larger than the file.
    assert read_classes("U900000", tensors).dtype == object


def test_strings_and_groups_come_back():
    tensors = {}
    add_strings(tensors, "names", np.array(["a", "", "ß"], dtype=object))
    assert read_strings(tensors, "names") == ["a", "", "ß"]
    params = {"a": (1, None), "b": np.arange(3)}
    header = {"params": encode_group(tensors, "params", params), "fitted": {}}
    again = read_groups(header, tensors)
    assert again["fitted"] == {}
    assert again["params"]["a"] == (1, None)
    np.testing.assert_array_equal(again["params"]["b"], [0, 1, 2])


def test_sizes():
    assert is_size(1)
    assert not any(map(is_size, (0, -1, True, 1.0, "1", None, 2**62)))
