"""The parameters in a model file: those of its class, and values that a fit would take."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import tauboost as tb
from tauboost.estimators.persistence import ESTIMATORS
from tauboost.search.saved_params import PARAMETERS, check_params

LABELS = np.array(["a", "b"])
JUNK = [
    ("TauBoostClassifier", {"gamma": 1}, "TauBoostClassifier has no parameter 'gamma'"),
    ("TauBoostClassifier", {"alpha": [1, 2]}, "alpha must be a number"),
    ("TauBoostClassifier", {"max_iter": "many"}, "max_iter must be an integer"),
    ("TauBoostClassifier", {"class_weight": {"c": 1.0}}, "class_weight names classes"),
    ("TauBoostClassifier", {"random_state": 2**62}, "random_state must be"),
    ("TauBoostClassifier", {"n_jobs": "all"}, "n_jobs must be an integer or None"),
    ("TauBoostClassifier", {"penalty_factors": np.ones(4)}, "penalty_factors must have"),
    ("TauBoostClassifierCV", {"alpha": 0.1}, "TauBoostClassifierCV has no parameter 'alpha'"),
    ("TauBoostClassifierCV", {"alphas": ["x"]}, "alphas must be a number"),
    ("TauBoostClassifierCV", {"cv": "x" * 10**5}, "cv must be a number of folds"),
    ("TableClassifier", {"max_bins": 10**6}, "max_bins must be at most"),
    ("TableClassifier", {"monotonic_cst": "up"}, "monotonic_cst must name columns"),
    ("TableClassifier", {"interactions": {}}, "interactions must be"),
    ("TextClassifier", {"ngram_range": (1, 100)}, "ngram_range may have 20 lengths"),
    ("TextClassifier", {"stop_words": 3}, "stop_words must be"),
    ("TextClassifier", {"early_stopping": "x"}, "early_stopping must be True or False"),
]


@pytest.mark.parametrize(("kind", "params", "reason"), JUNK, ids=str)
def test_junk_is_refused_in_a_sentence(kind, params, reason):
    with pytest.raises((ValueError, TypeError), match=reason) as caught:
        check_params(kind, params, LABELS, 3)
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", PARAMETERS)
def test_defaults_pass_and_names_are_those_of_the_class(kind):
    estimator = ESTIMATORS[kind]
    names = set(inspect.signature(estimator.__init__).parameters) - {"self"}
    assert names == PARAMETERS[kind]
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    check_params(kind, estimator().get_params(deep=False), LABELS, 3)
    # Loading draws no numbers.
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_a_file_with_junk_is_refused_with_its_name(tmp_path):
    clf = tb.TauBoostClassifier(alpha=0.1).fit([[0.0], [1.0]] * 9, ["a", "b"] * 9)
    tb.save_model(clf.set_params(tol="x"), tmp_path / "m")
    with pytest.raises(ValueError, match="m cannot be loaded: tol must be a number, got 'x'"):
        tb.load_model(tmp_path / "m")
