"""The parameters of a table classifier, and what a fit makes of them, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..losses import LOSSES
from ..penalty import check_factors
from ..tuning.options import number_or_auto
from ..validation import check_choice, check_count, check_real, check_seed, check_verbose
from ..validation.frames import Frame
from .binning import check_max_bins
from .columns import Column

__all__ = ["TableOptions", "TableParameters", "check_monotone"]

Pairs = str | int | list[tuple[int, int]]  # "auto", how many, or which columns


@dataclass(frozen=True)
class TableParameters:
    """The parameters of ``TableClassifier`` with their defaults, unchecked."""

    alpha: float | str = "auto"
    bands: float | None = None
    categorical: Any = "auto"
    class_weight: Any = None
    interactions: Any = "auto"
    l1_ratio: float | str = 1.0
    loss: str = "logistic"
    max_bins: int = 255
    max_iter: int = 1000
    monotone: Any = None
    n_jobs: int | None = -1
    penalty_factors: Any = "auto"
    random_state: Any = None
    time_limit: float | None = None
    tol: float = 1e-3
    verbose: int = 0

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return those of an estimator."""
        return cls(**{known.name: getattr(estimator, known.name) for known in fields(cls)})


@dataclass(frozen=True)
class TableOptions:
    """What the user asked for, checked."""

    loss: str
    alpha: float | str
    l1_ratio: float | str
    pairs: Pairs
    factors: Vector | None  # of columns; None: they are measured
    max_iter: int
    tol: float
    time_limit: float | None
    seed: int
    bands: float | None

    @classmethod
    def build(cls, parameters: TableParameters, frame: Frame | None) -> TableOptions:
        """Check the parameters, for this table; None: as far as they can be without one."""
        check_choice(parameters.loss, "loss", tuple(LOSSES))
        alpha = number_or_auto(parameters.alpha, "alpha", most=1e300)
        ratio = number_or_auto(parameters.l1_ratio, "l1_ratio", most=1.0)
        if ratio == "auto" and alpha != "auto":
            raise ValueError("l1_ratio='auto' is chosen on held-out rows: it needs alpha='auto'")
        check_verbose(parameters.verbose)
        check_max_bins(parameters.max_bins)
        limit = parameters.time_limit
        if limit is not None:
            limit = check_real(limit, "time_limit", least=0.0, above=True)
        return cls(
            parameters.loss,
            alpha,
            ratio,
            _check_interactions(parameters.interactions, frame),
            _check_factors(parameters.penalty_factors, frame),
            check_count(parameters.max_iter, "max_iter"),
            check_real(parameters.tol, "tol", least=0.0),
            limit,
            check_seed(parameters.random_state),
            _check_level(parameters.bands),
        )


def _check_factors(given: Any, frame: Frame | None) -> Vector | None:
    """Return a factor for each column; None: they are to be measured, or nobody knows the table."""
    if isinstance(given, str):
        if given != "auto":
            raise ValueError(
                "penalty_factors must be 'auto', None, a dict of columns and numbers or a number "
                f"for each column, got {shown(given)}"
            )
        return None
    n = np.size(given) if frame is None else frame.n_columns
    factors = np.ones(n)
    if isinstance(given, dict):
        for name, factor in given.items():
            k = 0 if frame is None else frame.position(name, "penalty_factors")
            factors[k] = check_real(factor, f"penalty_factors of {shown(name)}", least=0.0)
        given = None if frame is None else factors
    found = check_factors(given, n)
    return factors if found is None else found[0]


def _check_level(bands: Any) -> float | None:
    if bands is None:
        return None
    level = check_real(bands, "bands", least=0.0, most=1.0)
    if level in (0.0, 1.0):
        raise ValueError(f"bands must be a level between 0 and 1, such as 0.9, got {shown(bands)}")
    return level


def _check_interactions(
    interactions: Any, frame: Frame | None
) -> str | int | list[tuple[int, int]]:
    if isinstance(interactions, str) and interactions == "auto":
        return interactions
    if not isinstance(interactions, list | tuple | int | float | np.number):
        raise ValueError(
            f"interactions must be 'auto', a number or pairs, got {shown(interactions)}"
        )
    if isinstance(interactions, list | tuple):
        if frame is None:
            return []
        return list(dict.fromkeys(_check_pair(pair, frame) for pair in interactions))
    return check_count(interactions, "interactions", 0)


def _check_pair(pair: Any, frame: Frame) -> tuple[int, int]:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise ValueError(f"interactions must hold pairs of columns, got {shown(pair)}")
    first, second = (frame.position(column, "interactions") for column in pair)
    if first == second:
        raise ValueError(f"interactions pairs {shown(pair[0])} with itself")
    return min(first, second), max(first, second)


def check_monotone(
    monotone: Any, frame: Frame, columns: tuple[Column, ...], options: TableOptions
) -> NDArray[np.int8]:
    """Return the signs that are asked of the jumps and of the single bins of each column's lam."""
    signs = np.zeros((frame.n_columns, 2), dtype=np.int8)
    if monotone is None:
        return signs
    if not isinstance(monotone, dict):
        raise TypeError(f"monotone must be a dict of columns and 1 or -1, got {shown(monotone)}")
    for name, sign in monotone.items():
        k = frame.position(name, "monotone")
        is_number = isinstance(sign, int | float | np.number) and not isinstance(sign, bool)
        if not is_number or sign not in (1, -1, 0):
            raise ValueError(f"monotone must be 1, -1 or 0 for {shown(name)}, got {shown(sign)}")
        if sign != 0 and not columns[k].is_ordered:
            raise ValueError(
                f"monotone names {shown(name)}, whose values are categories and have no order"
            )
        signs[k, 0] = -sign  # the paper's lam has the opposite sign of a score
    if isinstance(options.pairs, list):
        for k in {k for pair in options.pairs for k in pair if signs[k, 0] != 0}:
            raise ValueError(
                f"{frame.names[k]!r} cannot be monotone and in a pair: leave one of the two out"
            )
    return signs
