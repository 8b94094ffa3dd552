"""From checked rows and labels to a model: the one door for estimators and the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector
from ..base.fit_warning import warn_of
from ..design.units import Units
from ..design.wide import note_of_width
from ..io.checkpoint import Checkpoint
from ..parameters import LinearParameters
from ..search.folds import group_keys
from ..search.watch import Report
from ..validation import (
    CsrArrays,
    check_groups,
    check_seed,
    check_weights,
    encode_labels,
    with_class_weights,
)
from .cautions import of_rare_classes
from .first_step import checked_factors
from .linear import decision_values
from .model import Model
from .options import Options
from .record import Record, prints_of
from .samples import Samples
from .training import train

__all__ = ["fit", "weighted_samples"]


def fit(
    arrays: CsrArrays,
    y: NDArray[Any],
    parameters: LinearParameters,
    *,
    n_threads: int,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    report: Report | None = None,
    checkpoint: Checkpoint | None = None,
    last: Model | None = None,
    units: Units | Literal["own"] | None = "own",
) -> Model:
    """Fit a classifier to checked rows and their labels.

    ``last`` is the model to start from, whose choice is kept if it was one; ``groups`` are those
    that folds keep together; ``units`` are as in `Samples.build`.
    """
    classes, codes = encode_labels(y)
    if last is not None:
        parameters = continued(parameters, last, arrays.shape[1], classes)
    options = Options.of(parameters, report, checkpoint)
    samples = weighted_samples(
        arrays,
        classes,
        codes,
        sample_weight,
        groups,
        class_weight=parameters.class_weight,
        fit_intercept=bool(parameters.fit_intercept),
        seed=check_seed(parameters.random_state),
        n_threads=n_threads,
        units=units,
        penalty_factors=checked_factors(parameters.penalty_factors, arrays.shape[1]),
    )
    prints, n_features = prints_of(samples, arrays.shape[1]), arrays.shape[1]
    record = Record.of(prints, samples.codes, len(classes), n_features)
    # Hashes of words, which come with units of their own, lie anywhere.
    note = note_of_width(samples.used, n_features) if units == "own" else ""
    samples = samples.merged()
    found = train(samples, options, None if last is None else start_of(samples, last))
    caution = (
        note
        or found.caution
        or of_rare_classes(
            np.array(record.counts),
            lambda: decision_values(samples.arrays, found.coef, found.intercept, n_threads),
        )
    )
    warn_of(caution)
    return Model(
        classes,
        samples.expand(found.coef, n_features),
        found.intercept,
        found.candidate.loss,
        found.candidate.alpha,
        found.candidate.l1_ratio,
        found.n_sweeps,
        found.objective + found.penalty,
        found.held_out_loss,
        found.message,
        found.table,
        replace(record, caution=caution, gap=found.gap),
    )


def continued(
    parameters: LinearParameters, last: Model, n_features: int, classes: NDArray[Any]
) -> LinearParameters:
    """Return the parameters of a fit that starts from the last one."""
    if last.coef.shape[1] != n_features or not np.array_equal(classes, last.classes):
        raise ValueError(
            "warm_start needs the features and classes of the last fit: "
            f"it had {last.coef.shape[1]} features and the classes {last.classes}"
        )
    if parameters.alpha != "auto":
        return parameters
    return replace(parameters, loss=last.loss, alpha=last.alpha, l1_ratio=last.l1_ratio)


def start_of(samples: Samples, last: Model) -> Vector:
    """Return the points of the core where a model is."""
    coef = samples.keep(last.coef)
    return np.stack(
        [samples.design.point(row, b) for row, b in zip(coef, last.intercept, strict=True)]
    )


def weighted_samples(
    arrays: CsrArrays,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None = None,
    *,
    class_weight: Any,
    **options: Any,
) -> Samples:
    """Return the samples with their weights, those of their classes included."""
    given = check_weights(sample_weight, len(codes))
    weights = with_class_weights(class_weight, classes, codes, given)
    if not np.bincount(codes[weights > 0], minlength=len(classes)).all():
        raise ValueError("sample_weight or class_weight leaves no samples of some classes")
    numbers = check_groups(groups, len(codes))
    keys = None if numbers is None else group_keys(numbers)
    return Samples.build(
        arrays, codes, len(classes), weights, groups=keys, sample_weight=given, **options
    )
