"""Warnings about a model of little use: one sentence, which says what to do.

A fit must not return such a model without a warning, and does not warn of a good one: where
samples are too few to decide, it is silent. Every function here returns a sentence, or an empty
one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..losses import LOSSES, likeliest
from ..models import FittedModel
from ..sparse.decisions import decision_values
from ..sparse.scaling import Units
from ..validation import CsrArrays

__all__ = [
    "FEWEST",
    "are_enough",
    "codes_of",
    "in_words",
    "metrics",
    "of_choice",
    "of_model",
    "of_range",
    "of_rare_classes",
    "of_repeats",
    "of_shares",
    "of_units",
    "slope_at_the_end",
]


# With a smaller validation set, or fewer samples of a class, nothing can be decided.
FEWEST, FEWEST_OF_A_CLASS = 200, 20
# A share of the samples: a rarer class that is never predicted needs fewer samples for a warning.
RARE = 0.01
# Log-odds of samples that differ by less than this, as a standard deviation, are nearly the same.
LEAST_DEVIATION = 1e-2
# An alpha at the end of a range, better than its neighbour by this share, is not the best.
LEAST_SLOPE = 1e-2
# Classes that are separated this well want no penalty, and have nothing to gain from a weaker one.
NEARLY_NONE = 0.2
# More rows than this share that repeat others with the same label are worth a warning.
MANY_REPEATS = 0.3
# Runs of samples that stand for all.
RUNS, SAMPLES_IN_A_RUN = 16, 64


def of_choice(decisions: Vector, codes: NDArray[np.intp], weights: Vector, loss: float) -> str:
    """Judge a model by its decision values on the validation set, and its log-loss on it."""
    counts = np.bincount(codes)
    said = of_shares(np.bincount(codes, weights), len(codes), loss) if are_enough(counts) else ""
    if said or len(codes) < FEWEST or not _is_one_class(decisions):
        return said
    if not are_enough(counts):
        return _of_rare(counts, "sample of the validation set") if _is_rare(counts) else ""
    return (
        "the model predicts one class for every sample of the validation set, though its "
        "probabilities differ: set class_weight='balanced', or compare predict_proba with a lower "
        "threshold"
    )


def of_rare_classes(counts: NDArray[np.intp], decisions: Callable[[], Vector]) -> str:
    """Judge a model by its decision values of the training samples, where a class has only a few.

    A validation set shows nothing of such a class, and a model may do without it.
    """
    is_judged = counts.sum() >= FEWEST and counts.min() < 5 * FEWEST_OF_A_CLASS
    if not is_judged or not _is_rare(counts) or not _is_one_class(decisions()):
        return ""
    return _of_rare(counts, "training sample")


def _is_rare(counts: NDArray[np.intp]) -> bool:
    return bool(counts.min() < RARE * counts.sum())


def _is_one_class(decisions: Vector) -> bool:
    chosen = likeliest(decisions)
    return bool((chosen == chosen[0]).all())


def _of_rare(counts: NDArray[np.intp], what: str) -> str:
    total = int(counts.sum())
    return (
        f"the model predicts one class for every {what}, and {total - int(counts.max())} of "
        f"{total:,} are of others: collect more samples of rare classes, or set "
        "class_weight='balanced', or compare predict_proba with a lower threshold"
    )


def are_enough(counts: NDArray[np.intp]) -> bool:
    """Return True if a validation set with these class counts is large enough to judge by."""
    return bool(counts.sum() >= FEWEST and counts.min() >= FEWEST_OF_A_CLASS)


def of_shares(shares: NDArray[Any], n_held: int, loss: float) -> str:
    """Compare the validation log-loss with that of always predicting the shares of the classes."""
    without = entropy_of(shares)
    # This much is luck: the best of several is chosen on these very samples.
    if not loss > without - max(1e-4 * without, 0.25 / n_held):
        return ""
    return (
        f"the model is no better than the shares of the classes (log-loss {loss:.4f} on the "
        f"validation set, {without:.4f} without any feature): check that labels and rows belong "
        "together, and add columns that separate the classes"
    )


def entropy_of(shares: NDArray[Any]) -> float:
    """Return the log-loss of always predicting the shares of the classes."""
    shares = shares / shares.sum()
    return -float(np.sum(shares * np.log(shares)))


def of_repeats(repeated: float, n_rows: float, loss: float, shares: NDArray[Any]) -> str:
    """Warn that a share of the rows may be duplicates or not, which the data cannot show.

    Where classes are separated anyway, by the log-loss on the validation set, it does not matter.
    """
    if repeated < MANY_REPEATS or n_rows < 5 * FEWEST or loss < NEARLY_NONE * entropy_of(shares):
        return ""
    return (
        f"{repeated:.0%} of the rows repeat others, always with the same label: they were taken "
        "for duplicates, and kept together in the hold-out split; if they are separate "
        "observations, give fit groups=range(len(y))"
    )


def of_units(units: Units | None) -> str:
    """Warn that columns are far from 0, where no intercept can make up for it."""
    if units is None or units.n_far < 2:  # one may be there in place of an intercept
        return ""
    return (
        f"{units.n_far} columns of X are far from 0 next to how they vary, and hardly differ from "
        "each other: set fit_intercept=True, or subtract their means"
    )


def of_model(
    arrays: CsrArrays, coef: Vector, intercept: Vector, loss: str, alpha: float, n_threads: int
) -> str:
    """Judge a model by how much its decision values of some samples differ."""
    parts = [decision_values(rows, coef, intercept, n_threads) for rows in _runs(arrays)]
    deviation = float(LOSSES[loss].link_slope * np.concatenate(parts).std(axis=0).max())
    if not deviation <= LEAST_DEVIATION:
        return ""
    said = f"the model is nearly constant, its log-odds differ by {deviation:.1g} only: "
    if alpha == 0:
        return said + "check labels and columns"
    return said + f"give a smaller alpha than {alpha:.3g}, or alpha='auto'"


def _runs(arrays: CsrArrays) -> list[CsrArrays]:
    """Return some samples in runs, evenly spread."""
    m, size = arrays.shape[0], SAMPLES_IN_A_RUN
    if m <= RUNS * size:
        return [arrays]
    starts = np.linspace(0, m - size, RUNS).astype(np.int64).tolist()
    with arrays.reading():
        return [arrays.rows(start, start + size) for start in starts]


def of_range(alphas: Vector, losses: Vector, shares: NDArray[Any], what: str) -> str:
    """Judge the best of some alphas by their validation losses; ``what`` is to be given."""
    end, without = slope_at_the_end(alphas, losses), entropy_of(shares)
    if end == 0 or np.ptp(losses) < LEAST_SLOPE * without or losses.min() < NEARLY_NONE * without:
        return ""
    which, how = ("strongest", "larger") if end > 0 else ("weakest", "smaller")
    return (
        f"the {which} penalty that was tried, alpha={alphas[losses.argmin()]:.3g}, has by far "
        f"the least validation loss: give {how} {what}"
    )


def slope_at_the_end(alphas: Vector, losses: Vector) -> int:
    """Return 1 if the largest alpha is the best, by a margin, -1 if the smallest is, else 0."""
    if len(alphas) < 2:
        return 0
    values = losses[np.argsort(alphas)]
    best = int(values.argmin())
    if best == 0 and values[0] < (1.0 - LEAST_SLOPE) * values[1]:
        return -1
    if best == len(values) - 1 and values[-1] < (1.0 - LEAST_SLOPE) * values[-2]:
        return 1
    return 0


# How good predictions are: AUC, accuracy and log-loss on samples with known labels.


def metrics(
    model: FittedModel, decisions: Vector, y: NDArray[Any]
) -> dict[str, float | int | None]:
    """Compare the decision values of a model with the true labels.

    AUC is for two classes, and None where only one of them occurs.
    """
    codes = codes_of(model.classes, y)
    columns = decisions.reshape(len(y), -1)
    is_binary = columns.shape[1] == 1
    weights = np.full(len(y), 1.0 / len(y))
    return {
        "n_samples": len(y),
        "auc": area_under_curve(columns[:, 0], codes == 1) if is_binary else None,
        "accuracy": float(np.mean(likeliest(columns) == codes)),
        "log_loss": LOSSES[model.loss].log_loss(columns, codes, weights),
    }


def in_words(scores: dict[str, Any]) -> str:
    """Return a sentence about how good predictions are."""
    auc = "" if scores["auc"] is None else f"AUC {scores['auc']:.5f}, "
    return (
        f"{auc}accuracy {scores['accuracy']:.3%}, log-loss {scores['log_loss']:.5f} "
        f"({scores['n_samples']:,} samples)"
    )


def area_under_curve(decisions: Vector, is_positive: NDArray[np.bool_]) -> float | None:
    """Probability that a positive sample has a larger value than a negative one; ties are half."""
    n_pos = int(np.count_nonzero(is_positive))
    n_neg = len(is_positive) - n_pos
    if n_pos == 0 or n_neg == 0:
        return None
    _, places, counts = np.unique(decisions, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]  # equal ones share their mean rank
    return float((ranks[is_positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def codes_of(classes: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each label's class."""
    if classes.dtype.kind in "biuf" and y.dtype.kind in "biuf":
        codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        unknown = y[classes[codes] != y]
    else:
        number_of = {label: number for number, label in enumerate(classes.tolist())}
        codes = np.array([number_of.get(label, -1) for label in y.tolist()], dtype=np.intp)
        unknown = y[codes < 0]
    if len(unknown):
        known = ", ".join(_word(label) for label in classes[:10].tolist())
        label = _word(unknown[:1].tolist()[0])
        raise ValueError(f"the label {label} is none of the model's: {known}")
    return codes


def _word(label: Any) -> str:
    return f"{label:g}" if type(label) is float else shown(label)
