"""Labels and the numbers of their classes."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.validation import encode_labels

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "y",
    [
        RNG.choice([-1.0, 1.0], 5000),
        RNG.choice([-0.0, 0.0, 2.0**62], 5000),
        RNG.integers(0, 300, 5000),
        RNG.integers(0, 2, 5000).astype(np.uint8),
        RNG.random(5000) < 0.3,
        np.arange(5000) == 4999,  # one that a look at some labels does not see
        np.append(np.zeros(4999), -1.0),
        np.repeat([3, 1, 2], 1000),
        RNG.integers(0, 2, 999),
        RNG.choice(["spam", "ham"], 5000),
    ],
    ids=lambda y: f"{y.dtype}-{len(y)}-{len(np.unique(y))}",
)
def test_numbers_of_classes_are_those_of_unique(y):
    classes, codes = encode_labels(y)
    expected, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, places)
    assert classes.dtype == y.dtype
    assert codes.dtype == np.intp
