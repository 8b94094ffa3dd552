"""How good a model is on rows with known labels: the numbers, with their intervals.

Rows that the model was trained on say little of others: their share is measured too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..kinds.rows import GivenRows
from ..losses import likeliest
from ..search.record import Record
from .intervals import Curves, Estimate, area, curves, mean_of, mean_share, share, wilson

__all__ = [
    "Bin",
    "ClassQuality",
    "Quality",
    "ReportData",
    "Threshold",
    "are_trained_on",
    "calibration_bins",
    "measure",
    "share_trained_on",
]


BINS = 10  # of a calibration curve
THRESHOLDS = np.arange(101) / 100  # of the probability, for the one that can be moved
SMALLEST = 1e-300  # probability, for its logarithm
MOST_CURVES = 12  # classes whose curves are drawn


FEW = 0.02  # of the rows: fewer hardly change what is measured
MOST_BY_CHANCE = 0.9  # where more new rows than this equal training rows, nothing can be told


@dataclass(frozen=True, eq=False)
class ReportData:
    """Rows, what they are called, and the number of each one's class, where labels were given.

    ``trained`` is the share of them that the model was trained on, where that can be told.
    """

    name: str
    rows: GivenRows
    codes: NDArray[np.intp] | None
    hash: str = ""
    first: int = 0  # the number of the first row, as people count them
    trained: Estimate | None = None


class Bin(NamedTuple):
    """Rows with near probabilities: what was said, and what came true."""

    said: float
    true: Estimate
    n: int


class Threshold(NamedTuple):
    """What becomes of the rows if the class is said above a probability."""

    at: float
    true_positive: int
    false_positive: int


@dataclass(frozen=True, eq=False)
class ClassQuality:
    """One class against the rest."""

    code: int
    n: int  # rows of this class
    n_said: int  # rows that are said to be of it
    n_right: int  # rows of which both is true
    precision: Estimate
    recall: Estimate
    auc: Estimate | None
    curves: Curves | None
    bins: list[Bin]


@dataclass(frozen=True, eq=False)
class Quality:
    """All that is measured on rows with labels.

    Attributes
    ----------
    n : int
    counts : rows of each class
    confusion : (classes, classes), rows by true class, columns by what is said
    accuracy, balanced, log_loss, brier : Estimate
        Balanced is the accuracy with every class counted alike: the mean of the recalls.
    guess_accuracy, guess_loss, guess_brier : float
        Those of always saying the most frequent class, and the shares of the classes.
    classes : one ClassQuality for each class; of two classes, of the positive one alone
    thresholds : of two classes: of the probability of the positive one; of more: of the likeliest
        class, with rows that are right in place of true positives, and wrong ones
    """

    n: int
    counts: NDArray[np.intp]
    confusion: NDArray[np.intp]
    accuracy: Estimate
    balanced: Estimate
    log_loss: Estimate
    brier: Estimate
    guess_accuracy: float
    guess_loss: float
    guess_brier: float
    classes: list[ClassQuality]
    thresholds: list[Threshold]

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.counts) == 2

    @property
    def is_even(self) -> bool:
        """Whether the largest class has at most twice the rows of the smallest that occurs."""
        return bool(self.counts.max() <= 2 * self.counts[self.counts > 0].min())


def measure(
    decisions: Vector, probabilities: Vector, codes: NDArray[np.intp], positive: int = 1
) -> Quality:
    """Compare decision values, (rows, tasks), and probabilities, (rows, classes), with classes.

    Of two classes one is positive: the one that curves and thresholds are about.
    """
    n, n_classes = probabilities.shape
    is_binary = decisions.shape[1] == 1
    said = likeliest(decisions)
    counts = np.bincount(codes, minlength=n_classes)
    confusion = np.bincount(codes * n_classes + said, minlength=n_classes**2)
    confusion = confusion.reshape(n_classes, n_classes)
    occurs = counts > 0
    shares = counts[occurs] / n
    own = np.maximum(probabilities[np.arange(n), codes], SMALLEST)
    wanted = [positive] if is_binary else range(n_classes)
    drawn = set(np.argsort(-counts, kind="stable")[:MOST_CURVES].tolist())
    return Quality(
        n,
        counts,
        confusion,
        share(float(np.count_nonzero(said == codes)), n),
        mean_share(confusion.diagonal()[occurs].astype(float), counts[occurs].astype(float)),
        mean_of(-np.log(own)),
        mean_of(_squares(probabilities, codes)),
        float(counts.max() / n),
        -float(np.sum(shares * np.log(shares))),
        float(np.sum(shares * (1.0 - shares)) / n_classes),
        [
            _of_class(k, decisions, probabilities, codes, said, is_drawn=is_binary or k in drawn)
            for k in wanted
        ],
        _thresholds(probabilities, codes, said, positive),
    )


def _squares(probabilities: Vector, codes: NDArray[np.intp]) -> Vector:
    """Return Brier's score of each row: the mean over classes of squared differences."""
    wanted = np.zeros_like(probabilities)
    wanted[np.arange(len(codes)), codes] = 1.0
    return np.asarray(np.square(probabilities - wanted).mean(axis=1))


def _of_class(
    k: int,
    decisions: Vector,
    probabilities: Vector,
    codes: NDArray[np.intp],
    said: NDArray[np.intp],
    *,
    is_drawn: bool,
) -> ClassQuality:
    is_own, is_said = codes == k, said == k
    n, n_said, n_right = (int(np.count_nonzero(m)) for m in (is_own, is_said, is_own & is_said))
    column = decisions[:, k] if decisions.shape[1] > 1 else decisions[:, 0] * (1 if k else -1)
    has_both = 0 < n < len(codes)
    return ClassQuality(
        k,
        n,
        n_said,
        n_right,
        share(n_right, n_said),
        share(n_right, n),
        area(column, is_own),
        curves(column, is_own) if has_both and is_drawn else None,
        calibration_bins(probabilities[:, k], is_own) if is_drawn else [],
    )


def calibration_bins(probabilities: Vector, is_own: NDArray[np.bool_]) -> list[Bin]:
    """Cut rows into bins of about as many each, by probability; equal ones are together."""
    order = np.argsort(probabilities, kind="stable")
    values, hits = probabilities[order], is_own[order]
    last = np.linspace(0, len(values), min(BINS, len(values)) + 1).astype(np.intp)[1:]
    # Where a bin would end among equal probabilities, it ends behind them.
    ends = np.unique(np.searchsorted(values, values[last - 1], side="right"))
    starts = np.concatenate([[0], ends[:-1]])
    sums, totals = np.add.reduceat(values, starts), np.add.reduceat(hits.astype(float), starts)
    sizes = ends - starts
    low, high = wilson(totals, sizes)
    rows = zip((sums / sizes).tolist(), totals / sizes, low, high, sizes, strict=True)
    return [Bin(s, Estimate(float(t), float(a), float(b)), int(n)) for s, t, a, b, n in rows]


def _thresholds(
    probabilities: Vector, codes: NDArray[np.intp], said: NDArray[np.intp], positive: int
) -> list[Threshold]:
    if probabilities.shape[1] == 2:
        values, hits = probabilities[:, positive], codes == positive
    else:
        values, hits = probabilities.max(axis=1), codes == said
    good, bad = np.sort(values[hits]), np.sort(values[~hits])
    return [
        Threshold(
            float(t),
            int(len(good) - np.searchsorted(good, t, side="right")),
            int(len(bad) - np.searchsorted(bad, t, side="right")),
        )
        for t in THRESHOLDS
    ]


def share_trained_on(
    record: Record | None, prints: NDArray[np.uint64], data_hash: str
) -> Estimate | None:
    """Return the share of rows that the model was trained on; None: it cannot be told.

    Rows that are equal to others by chance are taken off, as many as among the training rows. Both
    shares are of as many as are different: equal rows are in a sketch, or out of it, together.
    """
    if record is None:
        return None
    if record.is_of(data_hash):
        return Estimate(1.0, 1.0, 1.0)
    if record.sketch is None:
        return None
    seen = record.sketch.among(prints)
    if seen.judged == 0:
        return None
    share = seen.known / seen.judged
    of = np.array([seen.different, seen.of])
    lows, highs = wilson(np.array([share, seen.by_chance]) * of, of)
    if highs[1] > MOST_BY_CHANCE:
        return None
    return Estimate(
        _beyond(share, seen.by_chance), _beyond(lows[0], highs[1]), _beyond(highs[0], lows[1])
    )


def _beyond(share: float, by_chance: float) -> float:
    return float(np.clip((share - by_chance) / (1.0 - by_chance), 0.0, 1.0))


def are_trained_on(found: Estimate | None) -> bool:
    """Return True if the model was trained on most rows: figures are then those of training."""
    return found is not None and found.low > FEW
