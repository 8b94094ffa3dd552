"""scikit-learn's checks of classifiers of two classes."""

from __future__ import annotations

from typing import Any

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
