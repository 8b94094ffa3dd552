"""The parameters that a model file says its fit had: known names, and values that a fit takes.

They are shown in reports and given to an estimator, and anyone can write such a file.
"""

from __future__ import annotations

from dataclasses import fields
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import shown
from ..tables.options import TableOptions, TableParameters
from ..validation import (
    check_choice,
    check_count,
    check_random_state,
    check_real,
    with_class_weights,
)
from .first_step import checked_factors
from .options import LOSS_CHOICES, Parameters
from .text_options import TextParameters

__all__ = ["PARAMETERS", "RULES", "check_params"]

CV = "TauBoostClassifierCV"
# Of cross-validation: those of the linear classifier but for some, and some of its own.
NOT_OF_CV = {
    *("alpha", "calibration", "early_stopping", "time_limit", "validation_fraction", "warm_start"),
}
OF_CV = {"alphas", "cv", "n_alphas", "rule"}
RULES = ("best", "one-se")

LINEAR, TABLE, TEXT = (
    {known.name for known in fields(kind)} for kind in (Parameters, TableParameters, TextParameters)
)
# The names that a file may have, by the name of its class.
PARAMETERS = {
    "TauBoostClassifier": LINEAR,
    CV: LINEAR - NOT_OF_CV | OF_CV,
    "TableClassifier": TABLE,
    "TextClassifier": TEXT,
}


def check_params(
    kind: str, params: dict[str, Any], classes: NDArray[Any], n_features: int | None = None
) -> None:
    """Check the parameters of a model; None: it has no features with factors of their own."""
    unknown = sorted(params.keys() - PARAMETERS[kind])
    if unknown:
        raise ValueError(f"{kind} has no parameter {unknown[0]!r}")
    if kind == "TableClassifier":
        _check_of_table(params)
    elif kind == "TextClassifier":
        texts = TextParameters(**params)
        texts.features(None)
        texts.linear().options()
    elif kind == CV:
        _check_of_cv(params)
    else:
        Parameters(**params).options()
    codes = np.arange(len(classes))
    with_class_weights(params.get("class_weight"), classes, codes, np.ones(len(classes)))
    if params.get("random_state") is not None:
        check_random_state(params["random_state"])
    jobs = params.get("n_jobs")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, Integral)):
        raise TypeError(f"n_jobs must be an integer or None, got {shown(jobs)}")
    if n_features is not None:
        checked_factors(params.get("penalty_factors"), n_features)


def _check_of_table(params: dict[str, Any]) -> None:
    # A seed of None would be drawn from NumPy's generator.
    TableOptions.build(TableParameters(**params | {"random_state": 0}), None)
    for name, accepted in (("categorical", (str, list, tuple, np.ndarray)), ("monotone", dict)):
        if params.get(name) is not None and not isinstance(params[name], accepted):
            raise TypeError(f"{name} must name columns, got {shown(params[name])}")


def _check_of_cv(params: dict[str, Any]) -> None:
    linear = {name: value for name, value in params.items() if name in LINEAR}
    ratios = linear.pop("l1_ratio", 0.0)
    check_choice(linear.pop("loss", "logistic"), "loss", LOSS_CHOICES)
    Parameters(**linear).options()
    for name, value in (("l1_ratio", ratios), ("alphas", params.get("alphas", ()))):
        for number in np.ravel(() if value is None else value).tolist():
            check_real(number, name, least=0.0)
    check_count(params.get("n_alphas", 1), "n_alphas")
    check_choice(params.get("rule", "best"), "rule", RULES)
    cv = params.get("cv")
    if isinstance(cv, bool) or not isinstance(cv, Integral | list | tuple | None):
        raise TypeError(f"cv must be a number of folds or a list of splits, got {shown(cv)}")
