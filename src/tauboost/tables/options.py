"""What a fit makes of the parameters of a table classifier, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown
from ..losses import LOSSES
from ..parameters import TableParameters, parameters_of
from ..penalty import check_factors
from ..search.options import check_shared
from ..validation import check_count, check_real, check_seed
from ..validation.frames import Frame
from .binning import check_max_bins
from .columns import Column

__all__ = ["TableOptions", "check_monotone"]


Pairs = str | int | list[tuple[int, int]]  # "auto", how many, or which columns


@dataclass(kw_only=True, eq=False, repr=False)
class TableOptions(TableParameters):
    """Parameters that have been checked, for one table."""

    pairs: Pairs
    factors: Vector | None  # of columns; None: they are measured
    seed: int

    @classmethod
    def build(cls, parameters: TableParameters, frame: Frame | None) -> TableOptions:
        """Check the parameters, for this table; None: as far as they can be without one."""
        check_max_bins(parameters.max_bins)
        return cls(
            **vars(parameters_of(TableParameters, parameters))
            | check_shared(parameters, tuple(LOSSES))
            | {"bands": _check_level(parameters.bands)},
            pairs=_check_interactions(parameters.interactions, frame),
            factors=_check_factors(parameters.penalty_factors, frame),
            seed=check_seed(parameters.random_state),
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


def _check_level(given: Any) -> float | None:
    if given is None:
        return None
    level = check_real(given, "bands", least=0.0, most=1.0)
    if level in (0.0, 1.0):
        raise ValueError(f"bands must be a level between 0 and 1, such as 0.9, got {shown(given)}")
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
    given: Any, frame: Frame, columns: tuple[Column, ...], options: TableOptions
) -> NDArray[np.int8]:
    """Return the signs that are asked of the jumps and of the single bins of each column's lam."""
    signs = np.zeros((frame.n_columns, 2), dtype=np.int8)
    for name, sign in _monotone_columns(given, frame):
        k = frame.position(name, "monotonic_cst")
        is_number = isinstance(sign, int | float | np.number) and not isinstance(sign, bool)
        if not is_number or sign not in (1, -1, 0):
            raise ValueError(
                f"monotonic_cst must be 1, -1 or 0 for {shown(name)}, got {shown(sign)}"
            )
        if sign != 0 and not columns[k].is_ordered:
            raise ValueError(
                f"monotonic_cst names {shown(name)}, whose values are categories and have no order"
            )
        signs[k, 0] = -sign  # the paper's lam has the opposite sign of a score
    if isinstance(options.pairs, list):
        for k in {k for pair in options.pairs for k in pair if signs[k, 0] != 0}:
            raise ValueError(
                f"{frame.names[k]!r} cannot be monotone and in a pair: leave one of the two out"
            )
    return signs


def _monotone_columns(given: Any, frame: Frame) -> list[tuple[Any, Any]]:
    """Return columns with their signs: those that a dict names, or all, in order."""
    if given is None:
        return []
    if isinstance(given, dict):
        return list(given.items())
    if isinstance(given, str) or np.ndim(given) != 1 or len(given) != frame.n_columns:
        raise TypeError(
            "monotonic_cst must be a dict of columns and 1 or -1, or one number for each column, "
            f"got {shown(given)}"
        )
    return [(frame.names[k], sign) for k, sign in enumerate(given)]
