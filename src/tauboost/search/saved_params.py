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
from ..parameters import CVParameters, LinearParameters, TableParameters, TextParameters
from ..sparse.factors import checked_factors
from ..tables.options import TableOptions
from ..texts.options import linear_part, text_options
from ..validation import (
    check_choice,
    check_count,
    check_random_state,
    check_real,
    with_class_weights,
)
from .options import LOSS_CHOICES, Options

__all__ = ["PARAMETERS", "RULES", "check_params"]


RULES = ("best", "one-se")
CV = "TauBoostClassifierCV"
OF_LINEAR = {known.name for known in fields(LinearParameters)}
LISTS = (list, tuple, np.ndarray)
# The names that a file may have, by the name of its class.
PARAMETERS = {
    name: {known.name for known in fields(kind)}
    for name, kind in (
        ("TauBoostClassifier", LinearParameters),
        (CV, CVParameters),
        ("TableClassifier", TableParameters),
        ("TextClassifier", TextParameters),
    )
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
        text_options(texts, None)
        Options.of(linear_part(texts))
    elif kind == CV:
        _check_of_cv(params)
    else:
        Options.of(LinearParameters(**params))
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
    for name, kind in (("categorical_features", str), ("monotonic_cst", dict)):
        if params.get(name) is not None and not isinstance(params[name], (kind, *LISTS)):
            raise TypeError(f"{name} must name columns, got {shown(params[name])}")


def _check_of_cv(params: dict[str, Any]) -> None:
    linear = {name: value for name, value in params.items() if name in OF_LINEAR}
    ratios = linear.pop("l1_ratio", 0.0)
    check_choice(linear.pop("loss", "logistic"), "loss", LOSS_CHOICES)
    Options.of(LinearParameters(**linear))
    for name, value in (("l1_ratio", ratios), ("alphas", params.get("alphas", ()))):
        for number in np.ravel(() if value is None else value).tolist():
            check_real(number, name, least=0.0)
    check_count(params.get("n_alphas", 1), "n_alphas")
    check_choice(params.get("rule", "best"), "rule", RULES)
    cv = params.get("cv")
    if isinstance(cv, bool) or not isinstance(cv, Integral | list | tuple | None):
        raise TypeError(f"cv must be a number of folds or a list of splits, got {shown(cv)}")
