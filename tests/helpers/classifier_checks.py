"""Checks of every classifier of two classes, scikit-learn's among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.fixes import parse_version

REPETITION = [
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]


def check_all(model: Any, no_repetition: str | None = None) -> None:
    """Run all checks; ``no_repetition`` says why a weight is no number of copies, if so."""
    if parse_version(sklearn.__version__) < parse_version("1.7"):
        no_repetition = "the check takes the first label for one class, and shuffles one side only"
    failures = {} if no_repetition is None else dict.fromkeys(REPETITION, no_repetition)
    check_estimator(model, expected_failed_checks=failures, on_skip=None)


def refuses_numbers(kind: Any, names: Iterable[str]) -> None:
    """Check that counts that are 0 or words are refused by name."""
    X, y = np.eye(4), [0, 1, 0, 1]
    for name in names:
        with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
            kind(**{name: 0}).fit(X, y)
        with pytest.raises(TypeError, match=f"{name} must be an integer, got 'x'"):
            kind(**{name: "x"}).fit(X, y)
