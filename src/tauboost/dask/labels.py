"""Rows in parts with the labels of any number of classes: loaded once, asked in several ways.

They give one two-class problem after the other over the same rows, and a bounded sample of rows
for the driver to choose by. Which rows are in the sample depends on their content, not on how the
data are cut. The units of columns are those of all parts together; parts of a two-class problem
have their columns in these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import Client, Future
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from ..base.arrays import Vector
from ..base.messages import shown
from ..search.duplicates import fingerprints
from ..search.folds import of_copies
from ..search.record import RowSketch
from ..sparse.design import is_wide
from ..sparse.scaling import Units
from ..validation import as_csr
from ..validation.labels import class_weights
from .actors import ActorPool, Patience
from .loading import (
    MOST_LABELS,
    LoadedPart,
    LoadedParts,
    found_features,
    ordered,
    used_features,
    with_features,
)
from .sparse_part import (
    PartSums,
    all_ranges,
    all_scales,
    all_units,
    class_sums_of,
    in_units,
    moments_of,
    ranges_of,
    unit_of_weights,
)

__all__ = ["LabelledParts", "SampledRows", "classes_of", "codes_of"]


# What the driver holds of the data, at most: about 240 MB.
MOST_ROWS = 200_000
MOST_NONZEROS = 20_000_000
# The number of samples of a class, however rare it is, that come from each part that has them.
FEWEST_OF_A_CLASS = 20
# Not a seed that validation sets are chosen by: these would be the same rows.
SEED = 2**31


@dataclass(frozen=True)
class SampledRows:
    """Some rows of all parts, on the driver."""

    X: Any  # CSR
    codes: NDArray[np.intp]
    weights: Vector
    fraction: float  # of all rows, that was asked for


class LabelledParts(LoadedParts):
    """Parts of one data set whose labels are of any number of classes.

    Where nearly all of the ``n_given`` columns are empty, parts have only those ``used``.
    """

    def __init__(
        self, client: Client, data: Any, n_parts: int | None, patience: Patience | None
    ) -> None:
        super().__init__(ActorPool(client, patience), data, None, n_parts)
        self.n_given = self.n_features = self.width()
        self.used: NDArray[np.intp] | None = None
        if is_wide(self.n_given, sum(summary.nnz for summary in self.summaries)):
            self.used = found_features(self.results("used", used_features))
            self.n_features = len(self.used)
            self.loaded = self.on_each("narrow", with_features, self.used)
        self.classes = classes_of(self.labels)
        # The class that each two-class problem separates from the rest.
        self.codes = [1] if len(self.classes) == 2 else list(range(len(self.classes)))
        self.units: Future | None = None  # None: as given
        # Before the weights of classes: what a row stands for is its own weight.
        self.given = self.loaded
        self.class_weights: dict[int, float] | None = None  # by the number of the class
        self.largest = max(summary.largest_weight for summary in self.summaries)

    def weigh(self, class_weight: Any) -> None:
        """Multiply the weights of rows by those of their classes."""
        if class_weight is None:
            return
        totals = np.sum(self.results("totals", class_totals, self.classes), axis=0)
        per_class = class_weights(class_weight, self.classes, totals)
        if not per_class.all():
            raise ValueError("sample_weight or class_weight leaves no samples of some classes")
        self.class_weights = dict(enumerate(per_class.tolist()))
        self.loaded = self.on_each("weigh", with_weights, self.classes, per_class)
        self.summaries = self.results("weighed", self.summarise)

    def release(self) -> None:
        """Let the workers drop the rows as loaded; what was made of them stays."""
        super().release()
        self.given = []

    def find_units(self, fit_intercept: bool) -> Units | None:
        """Put together what the parts say of their columns; parts take the outcome from there."""
        seen = self.on_each("ranges", ranges_of, chosen=self.present)
        ranges = self.client.submit(all_ranges, seen, self.n_features, key=self._key("all", 0))
        moments = self.on_each("moments", moments_of, ranges, chosen=self.present)
        self.units = self.client.submit(
            all_units, ranges, moments, self.shares(), fit_intercept, key=self._key("units", 0)
        )
        found: list[Units | None] = self.pool.wait([self.units])
        return found[0]

    def labelled(self, code: int) -> list[Future]:
        """Return the parts with two labels: 1 for the class of this number, 0 for the others."""
        return self.on_each(
            f"class-{code}", one_against_rest, self.classes, code, self.n_features, self.units
        )

    def find_scales(self) -> Vector:
        """Return the scale of each feature in psi, for each two-class problem."""
        unit = unit_of_weights(self.largest)
        how = (self.classes, self.n_features, self.units, unit)
        sums = self.on_each("sums", sums_of_part, *how, chosen=self.present, parts=self.given)
        key = self._key("scales", 0)
        found: list[Vector] = self.pool.wait(
            [self.client.submit(all_scales, sums, self.n_features, key=key)]
        )
        return found[0]

    def sample(self) -> SampledRows:
        """Bring a bounded number of rows here, in the units in which they were given."""
        n_rows = sum(summary.n_present for summary in self.summaries)
        nnz = sum(summary.nnz for summary in self.summaries)
        fraction = min(1.0, MOST_ROWS / n_rows, MOST_NONZEROS / max(nnz, 1))
        how = (self.classes, self.n_features, fraction, self.units)
        found = self.pool.wait(self.on_each("sample", sample_rows, *how, parts=self.given))
        Xs, codes, weights = zip(*found, strict=True)
        X = sp.vstack(Xs, format="csr")
        return SampledRows(X, np.concatenate(codes), np.concatenate(weights), fraction)

    def sketch(self) -> RowSketch:
        """Return the sketch of the rows of all parts."""
        how = (self.n_features, self.used, self.n_given)
        tasks = self.on_each("sketch", sketch_rows, *how, chosen=self.present)
        return RowSketch.merged(self.pool.wait(tasks))


def classes_of(labels: Sequence[Any]) -> NDArray[Any]:
    """Return the classes, in order, from the labels of all parts."""
    different = ordered(labels)
    if len(different) == 1:
        raise ValueError(
            f"y has one class only, {shown(different[0])}: at least two classes are needed"
        )
    if len(different) >= MOST_LABELS:
        raise ValueError(
            f"y must hold classes, fewer than {MOST_LABELS}; got at least {len(different)} "
            "different labels"
        )
    classes = np.array(different)
    check_classification_targets(classes)
    return classes


def codes_of(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each sample's class."""
    if y.dtype.kind == "O":
        y = np.array(y.tolist(), dtype=classes.dtype)
    return np.asarray(np.searchsorted(classes, y))


def class_totals(part: LoadedPart, classes: NDArray[Any]) -> Vector:
    """Return the sum of the weights of each class."""
    return np.bincount(codes_of(part.y, classes), part.sample_weight, len(classes)).astype(float)


def with_weights(part: LoadedPart, classes: NDArray[Any], per_class: Vector) -> LoadedPart:
    """Return a part whose rows weigh what their classes do in addition."""
    own = 1.0 if part.sample_weight is None else part.sample_weight
    return replace(part, sample_weight=own * per_class[codes_of(part.y, classes)])


def one_against_rest(
    part: LoadedPart, classes: NDArray[Any], code: int, n_features: int, units: Units | None
) -> tuple[Any, ...]:
    """Return a part as (X, y) or (X, y, sample_weight), its labels 0 and 1."""
    y = (codes_of(part.y, classes) == code).astype(np.int8)
    weights = () if part.sample_weight is None else (part.sample_weight,)
    return (in_units(part.widened(n_features), units), y, *weights)


def sums_of_part(
    part: LoadedPart, classes: NDArray[Any], n_features: int, units: Units | None, unit: float
) -> PartSums:
    """Sum a part up class by class, by weights over ``unit``."""
    codes = codes_of(part.y, classes)
    return class_sums_of(part, codes, (len(classes), n_features), units, unit)


def sample_rows(
    part: LoadedPart,
    classes: NDArray[Any],
    n_features: int,
    fraction: float,
    units: Units | None,
) -> tuple[Any, NDArray[np.intp], Vector]:
    """Return about this fraction of the rows of a part, by content, and some of every class.

    Every copy of a row is drawn for itself: the sample is like the whole, even where rows repeat.
    """
    weights = np.ones(len(part.y)) if part.sample_weight is None else part.sample_weight
    present = np.flatnonzero(weights > 0)
    X = part.widened(n_features)[present]
    codes, weights = codes_of(part.y[present], classes), weights[present]
    if fraction == 1.0 or len(codes) == 0:
        return X, codes, weights
    rulers = None if units is None else units.ranges.rulers()
    prints = fingerprints(as_csr(X), SEED, 1, rulers)
    numbers = of_copies(prints, number_of_copy(prints))
    keep = numbers < np.uint64(fraction * 2.0**64)
    for code in np.unique(codes):
        of_class = np.flatnonzero(codes == code)
        keep[of_class[np.argsort(numbers[of_class])[:FEWEST_OF_A_CLASS]]] = True
    return X[keep], codes[keep], weights[keep]


def number_of_copy(prints: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return for each row how many rows before it have the same content."""
    order = np.argsort(prints, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(prints[order]) != 0))
    numbers = np.empty(len(prints), dtype=np.intp)
    numbers[order] = np.arange(len(prints)) - np.repeat(starts, np.diff(starts, append=len(prints)))
    return numbers


def sketch_rows(
    part: LoadedPart, n_features: int, used: NDArray[np.intp] | None, n_given: int
) -> RowSketch:
    """Return the sketch of the rows of a part that weigh anything, their columns as given."""
    X = part.widened(n_features)
    if used is not None:
        X = sp.csr_array((X.data, used[X.indices], X.indptr), shape=(X.shape[0], n_given))
    if part.sample_weight is not None:
        X = X[np.flatnonzero(part.sample_weight > 0)]
    return RowSketch.of(fingerprints(as_csr(X), 0, 1))
