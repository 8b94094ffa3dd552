"""Folds: the split that all searches, tests, calibrations and cross-validations use.

It estimates the loss on new data of the same kind, so it asks which rows will be seen again.

* Rows with the same features are one pattern, whatever their labels. A pattern lies in one fold
  as a whole: rows that were copied (oversampling) are never on both sides, and no fold is trained
  on the opposite answer to a question it is tested on.
* A pattern that occurs `MANY_COPIES` times, with more than one label, is a question that will be
  asked again: holding out all of it would test another problem. Its copies are dealt one by one.
* Patterns with one label only may be copies or templates, which the data cannot tell. They are
  taken for copies, the safe side; ``groups`` says otherwise.

Folds have the same share of every class, as far as patterns allow. A row's fold follows from the
content of the data: the order of rows does not matter, a weight of k is k copies, and no seed has
a say.

Given groups take the place of patterns: rows of one group are never on both sides, and every row a
group of its own is the plain split of rows. A splitter of scikit-learn, or a list of splits, is
taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..base.messages import shown

__all__ = [
    "FEWEST_OF_A_CLASS",
    "Split",
    "are_whole",
    "copies_a_weight",
    "deal",
    "drawn",
    "given_folds",
    "group_keys",
    "held_out_parts",
    "k_folds",
    "n_parts",
    "of_copies",
    "part_to_test",
]


# With fewer patterns than this of any class, a fold shows nothing about it.
FEWEST_OF_A_CLASS = 10
# How many validation sets there are, by the least number of patterns. Several classes are so much
# more work that one part does where two classes have two.
PARTS = {8_000: 1, 1_000: 2, 0: 5}
PARTS_OF_CLASSES = {1_000: 1, 0: 5}
# Where one of two classes is rare, its patterns decide how sure a loss is: they count this often.
TIMES_THE_RARER = 8
# A pattern with several labels and this many copies will be seen again: 8, 16 and 60 do the same.
MANY_COPIES = 30
# Larger weights count nothing.
MOST_COPIES = 2.0**31
# Copies of one row that are dealt one by one, at most; more are dealt in larger pieces.
MOST_PIECES, ALL_PIECES = 2**16, 2**22
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Split:
    """In which fold each row is, or which share of its copies each fold has."""

    fold: NDArray[np.intp]  # of each row; -1: its copies are dealt
    dealt: NDArray[np.intp]  # the rows whose copies are dealt
    shares: Vector  # (dealt rows, folds), each row of sum 1
    n_folds: int
    patterns: NDArray[np.intp]  # of each class: patterns, and copies that are dealt
    repeated: float  # the share of all copies that are repeats of a pattern with one label

    def held(self, fold: int) -> Vector:
        """Return the share of each row that a fold holds: 0 or 1, but for dealt rows."""
        held = (self.fold == fold).astype(np.float64)
        held[self.dealt] = self.shares[:, fold]
        return np.asarray(held)

    def can_judge(self, held: Vector, codes: NDArray[np.intp], copies: Vector) -> bool:
        """Return True if every class has rows on both sides of a fold with these shares."""
        inside, outside = (
            np.bincount(codes, copies * share, len(self.patterns)) for share in (held, 1.0 - held)
        )
        return bool(np.all(inside > 0) and np.all(outside > 0))


# Of shares that sum to 1, the split into folds that have them.
Splitter = Callable[[Sequence[float]], Split]


def held_out_parts(
    split: Splitter, codes: NDArray[np.intp], copies: Vector, fraction: float, most: int | None
) -> list[Vector]:
    """Choose parts of about this fraction: the share of each row in the validation set.

    One part where rows are many, several that do not overlap where they are few; none where a
    class has too few different rows to spare any.
    """
    found = split([fraction, 1.0 - fraction])
    if found.patterns.min() < FEWEST_OF_A_CLASS:
        return []
    wanted = n_parts(found.patterns, fraction, most)
    if wanted > 1:
        found = split([fraction] * wanted + [1.0 - wanted * fraction])
    parts = [found.held(fold) for fold in range(wanted)]
    return [held for held in parts if found.can_judge(held, codes, copies)]


def k_folds(split: Splitter, codes: NDArray[np.intp], copies: Vector, n_folds: int) -> list[Vector]:
    """Return what share of each row each of so many folds of equal size holds.

    There are fewer folds where a class has fewer different rows; none where it has one.
    """
    n_folds = min(n_folds, len(codes))
    found = split([1.0 / n_folds] * n_folds)
    fewest = int(found.patterns.min())
    if fewest < n_folds:
        if fewest < 2:
            return []
        found = split([1.0 / fewest] * fewest)
    shares = [found.held(fold) for fold in range(found.n_folds)]
    return [held for held in shares if found.can_judge(held, codes, copies)]


def part_to_test(prints: NDArray[np.uint64], codes: NDArray[np.intp], fraction: float) -> Mask:
    """Choose this fraction of each class to test on; none where that is not possible."""
    copies = np.ones(len(codes))
    found = deal(prints, codes, copies, [fraction, 1.0 - fraction])
    held = found.held(0)
    is_possible = found.can_judge(held, codes, copies)
    if found.patterns.min() < FEWEST_OF_A_CLASS or not is_possible:
        return np.zeros(len(codes), dtype=bool)
    return np.asarray(held > 0)


def given_folds(
    cv: Any,
    split: Splitter,
    codes: NDArray[np.intp],
    copies: Vector,
    given: tuple[Any, NDArray[Any], NDArray[Any] | None],
    present: Mask,
) -> list[tuple[Vector, Vector]]:
    """Return for each fold of ``cv`` the shares of each row to learn from, and to be scored on.

    Parameters
    ----------
    cv : a number of folds, a splitter of scikit-learn, or splits; None: no folds
    given : X, y and the groups as given, which a splitter may use
    present : which of their rows there are ``codes`` of
    """
    if cv is None:
        return []
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv}")
        return [(1.0 - held, held) for held in k_folds(split, codes, copies, int(cv))]
    if isinstance(cv, str | bool) or not (hasattr(cv, "split") or np.iterable(cv)):
        raise TypeError(
            "cv must be a number of folds, a splitter, an iterable of splits or None, "
            f"got {shown(cv)}"
        )
    from sklearn.model_selection import check_cv  # noqa: PLC0415

    X, y, groups = given
    folds = []
    for k, pair in enumerate(check_cv(cv, y, classifier=True).split(X, y, groups)):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"cv must yield pairs (rows to learn from, rows to score), not {shown(pair)}"
            )
        trained, scored = (_mask(rows, len(present))[present] for rows in pair)
        if len(np.unique(codes[trained])) < codes.max() + 1:
            raise ValueError(f"split {k} of cv leaves no samples of some classes to learn from")
        if not scored.any():
            raise ValueError(f"split {k} of cv has no samples of positive weight to score")
        folds.append((trained.astype(np.float64), scored.astype(np.float64)))
    return folds


def _mask(rows: NDArray[Any], n: int) -> Mask:
    mask = np.zeros(n, dtype=bool)
    try:
        mask[rows] = True
    except (IndexError, TypeError, ValueError):
        raise ValueError(
            f"cv must split rows 0 to {n - 1} by their numbers, got {shown(rows)}"
        ) from None
    return mask


def n_parts(patterns: NDArray[Any], fraction: float = 0.2, most: int | None = None) -> int:
    """Return how many validation sets of this fraction there are: several where rows are few.

    ``patterns`` is how many of them each class has.
    """
    table, n = PARTS_OF_CLASSES, patterns.sum()
    if len(patterns) == 2:
        table, n = PARTS, min(n, TIMES_THE_RARER * patterns.min())
    wanted = next(parts for fewest, parts in table.items() if n >= fewest)
    return min(wanted, int(1 / fraction), wanted if most is None else most)


def are_whole(sample_weight: Vector) -> bool:
    """Return True if all weights are whole numbers that can be counts: k is k copies."""
    is_whole = (sample_weight == np.rint(sample_weight)) & (sample_weight <= MOST_COPIES)
    return bool(np.all(is_whole))


def copies_a_weight(
    sample_weight: Vector, weights: Vector, codes: NDArray[np.intp], n_classes: int
) -> Vector:
    """Return for each class how many rows a row of weight 1 stands for.

    What a row stands for is its own weight, ``sample_weight``, and not that of its class, which
    ``weights`` has in it. Weights that are no whole numbers are relative: they are scaled to sum to
    the number of rows.
    """
    scale = 1.0
    if not are_whole(sample_weight):
        scale = np.count_nonzero(sample_weight) / sample_weight.sum()
    given, of_fit = (np.bincount(codes, w, n_classes) for w in (sample_weight, weights))
    return np.asarray(scale * given / of_fit)


def group_keys(numbers: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return a key for each row, by the number of its group."""
    return _mixed(numbers.astype(np.uint64) + np.uint64(1))


def deal(
    keys: NDArray[np.uint64],
    codes: NDArray[np.intp],
    copies: Vector,
    shares: Sequence[float],
    *,
    by_copy: bool = True,
    is_partial: bool = False,
) -> Split:
    """Deal rows to folds of these shares (of sum 1).

    Parameters
    ----------
    keys : fingerprints of the rows' features, or keys of given groups
    codes : the numbers of the rows' classes
    copies : how many rows each of them stands for
    by_copy : whether frequent patterns with several labels are dealt copy by copy; not if the keys
        are those of groups
    is_partial : whether there are more rows, elsewhere: then folds of whole patterns are `drawn`
    """
    wanted = np.asarray(shares, dtype=np.float64)
    order = np.argsort(_mixed(keys))
    patterns = _Patterns.of(keys[order], codes[order], copies[order])
    split = patterns.is_mixed & patterns.is_frequent & by_copy
    folds = np.full(len(split), -1, dtype=np.intp)
    for stratum in () if is_partial else np.unique(patterns.stratum):
        chosen = np.flatnonzero((patterns.stratum == stratum) & ~split)
        folds[chosen] = _dealt_whole(patterns.size[chosen], wanted)
    fold = np.empty(len(keys), dtype=np.intp)
    fold[order] = folds[patterns.of_row]
    if is_partial:
        fold = np.where(split[patterns.of_row][np.argsort(order)], -1, drawn(keys, wanted))
    dealt = np.sort(order[split[patterns.of_row]])
    found = _dealt_by_copy(keys[dealt], codes[dealt], copies[dealt], wanted)
    is_pure = ~patterns.is_mixed
    total = float(copies.sum())
    return Split(
        fold,
        dealt,
        found,
        len(wanted),
        patterns.counts(split),
        float((patterns.size[is_pure] - 1.0).clip(0.0).sum()) / total,
    )


def drawn(keys: NDArray[np.uint64], shares: Vector) -> NDArray[np.intp]:
    """Return a fold for each row by its own key alone, where nobody sees all rows."""
    at = (_mixed(keys) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    folds = np.searchsorted(np.cumsum(shares), at, side="right")
    return np.asarray(np.minimum(folds, len(shares) - 1))


def of_copies(keys: NDArray[np.uint64], numbers: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return a key for each copy of rows with these keys, by its number among them."""
    return _mixed(_mixed(keys) + GOLDEN * numbers.astype(np.uint64))


@dataclass(frozen=True, eq=False)
class _Patterns:
    """Rows with the same key, in the order of keys."""

    of_row: NDArray[np.intp]
    size: Vector  # copies
    is_mixed: Mask  # whether it has several labels
    stratum: NDArray[np.intp]  # the rarest class that it has
    codes: NDArray[np.intp]
    copies: Vector

    @classmethod
    def of(cls, keys: NDArray[np.uint64], codes: NDArray[np.intp], copies: Vector) -> _Patterns:
        is_new = np.ones(len(keys), dtype=bool)
        np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
        starts, of_row = np.flatnonzero(is_new), np.cumsum(is_new) - 1
        rarity = np.argsort(np.argsort(np.bincount(codes, copies), kind="stable"), kind="stable")
        rare = rarity[codes]
        rarest = np.minimum.reduceat(rare, starts)
        return cls(
            of_row,
            np.bincount(of_row, copies).astype(np.float64),
            rarest != np.maximum.reduceat(rare, starts),
            rarest,
            codes,
            copies,
        )

    @property
    def is_frequent(self) -> Mask:
        """Whether it has so many copies that it will be seen again."""
        return np.asarray(self.size > MANY_COPIES - 1e-6)  # weights may not sum to whole numbers

    def counts(self, split: Mask) -> NDArray[np.intp]:
        """Return the patterns of each class; those that are split count as often as they occur."""
        n_classes = int(self.codes.max()) + 1
        is_split, is_mixed = split[self.of_row], self.is_mixed[self.of_row]
        pure = np.empty(len(self.size), dtype=np.intp)
        pure[self.of_row] = self.codes
        of_mixed = is_mixed & ~is_split
        pairs = np.unique(self.of_row[of_mixed] * n_classes + self.codes[of_mixed])
        whole = np.bincount(pairs % n_classes, minlength=n_classes)
        whole = whole + np.bincount(pure[~self.is_mixed], minlength=n_classes)
        singly = np.bincount(self.codes[is_split], self.copies[is_split], n_classes)
        return np.asarray(whole + np.floor(singly).astype(np.intp))


def _dealt_whole(sizes: Vector, shares: Vector) -> NDArray[np.intp]:
    """Return a fold for each pattern of a stratum: the largest first, to where most is missing.

    Patterns of about the same size are dealt together, in the order in which they are given.
    """
    folds = np.empty(len(sizes), dtype=np.intp)
    mantissa, exponent = np.frexp(np.maximum(np.rint(sizes), 1.0))
    about = np.ldexp(np.rint(16.0 * mantissa), exponent - 4)  # to one part in sixteen
    load = np.zeros(len(shares))
    order = np.argsort(-about, kind="stable")
    starts = np.flatnonzero(np.diff(about[order], prepend=np.inf))
    for same in np.split(order, starts[1:]) if len(order) else ():
        size = about[same[0]]
        missing = np.maximum(shares * (load.sum() + len(same) * size) - load, 0.0)
        counts = _rounded(missing / missing.sum(), len(same))
        folds[same] = np.repeat(np.arange(len(shares)), counts)
        load += counts * size
    return folds


def _rounded(shares: Vector, total: int) -> NDArray[np.intp]:
    """Return whole numbers of this sum, as near to the shares of it as they can be."""
    exact = shares * total
    counts = np.floor(exact + 1e-9).astype(np.intp)
    by_rest = np.argsort(counts - exact, kind="stable")
    counts[by_rest[: total - int(counts.sum())]] += 1
    return counts


def _dealt_by_copy(
    keys: NDArray[np.uint64], codes: NDArray[np.intp], copies: Vector, shares: Vector
) -> Vector:
    """Return the share of each row's copies in each fold, every copy dealt for itself.

    Not evenly: folds with the same share of labels in every pattern would not tell a rate that
    was learned from one that was found by chance.
    """
    if len(keys) == 0:
        return np.empty((0, len(shares)))
    most = max(64, min(MOST_PIECES, ALL_PIECES // len(keys)))
    pieces = np.clip(np.rint(copies), 1, most).astype(np.intp)
    order = np.lexsort((codes, keys))
    before = np.empty(len(keys), dtype=np.intp)
    ends = np.cumsum(pieces[order])
    before[order] = ends - pieces[order]
    is_first = np.ones(len(keys), dtype=bool)
    is_first[1:] = (np.diff(codes[order]) != 0) | (keys[order][1:] != keys[order][:-1])
    firsts = before[order][is_first]
    before[order] -= firsts[np.cumsum(is_first) - 1]  # copies of the same content and label
    row = np.repeat(np.arange(len(keys)), pieces)
    number = np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + before[row]
    of_class = keys + GOLDEN * (codes.astype(np.uint64) + np.uint64(1))
    fold = drawn(of_copies(of_class[row], number), shares)
    counts = np.bincount(row * len(shares) + fold, minlength=len(keys) * len(shares))
    return np.asarray(counts.reshape(len(keys), -1) / pieces[:, None])


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of numbers, as splitmix64 ends: every bit of the input reaches every bit."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))
