"""One column of a table, whatever its cells were: numbers with NaN for missing, or words.

Words are kept once each, with the place of its word for every row: what follows reads a few
words in place of a million cells.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector, readable
from ..base.messages import shown
from .labels import is_missing

__all__ = [
    "Values",
    "Words",
    "as_words",
    "check_numbers",
    "from_array",
    "from_distinct",
    "refuse",
    "words_of",
]


# Types of cells that are refused, with the reason.
KINDS = (
    ((dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64), "dates"),
    ((complex, np.complexfloating), "complex"),
    ((list, tuple, dict, set, frozenset, np.ndarray), "nested"),
    ((bytes, bytearray, memoryview), "bytes"),
)
REFUSALS = {
    "dates": "holds dates or times: give numbers, such as the days since a day, or the year and "
    "the month as columns of their own",
    "complex": "holds complex numbers: give their parts as columns of their own",
    "nested": "holds lists or other nested values: give each part as a column of its own",
    "bytes": "holds bytes: decode them to strings",
    "mixed": "holds both strings and numbers: make them all strings, or all numbers",
}


# Whole floats below it, as large as any integer of 64 bits, are named by their digits.
MOST_WHOLE = 2**64


@dataclass(frozen=True, eq=False)
class Words:
    """A column of categories: ``words[place]`` is the value of a row, and place -1 is missing.

    The words are different from each other; some may occur in no row.
    """

    words: tuple[str, ...]
    places: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.places)


Values = Vector | Words


def refuse(name: str, why: str) -> TypeError:
    """Return the error for a column of a kind that has no order and no categories."""
    return TypeError(f"column {name!r} {REFUSALS[why]}")


def from_array(array: NDArray[Any], name: str, is_category: bool = False) -> Values:
    """Return the values of a 1-D array of any type; those of categories are words."""
    kind = array.dtype.kind
    if is_category and kind in "iu":  # float64 cannot tell all of them apart
        return _words_of_numbers(array)
    if kind in "biuf":
        numbers = check_numbers(array, name)
        return as_words(numbers) if is_category else numbers
    if kind in "mM":
        raise refuse(name, "dates")
    if kind == "c":
        raise refuse(name, "complex")
    if kind == "S":
        raise refuse(name, "bytes")
    if kind == "V":
        raise refuse(name, "nested")
    return _from_objects(array.tolist(), name, is_category)


def check_numbers(array: NDArray[Any], name: str) -> Vector:
    """Return numbers as float64, NaN for missing; none may be infinite."""
    with np.errstate(over="ignore"):  # what is too large for a float is found to be infinite
        numbers = readable(array, np.float64)
    if np.isinf(numbers).any():
        raise ValueError(
            f"column {name!r} holds infinity ({int(np.isinf(numbers).sum()):,} of its values): "
            "give NaN where the value is missing, or a large number"
        )
    return numbers


def _from_objects(cells: list[Any], name: str, is_category: bool) -> Values:
    """Check every distinct cell once; unhashable cells have no distinct ones."""
    if len(cells) == 1 and (value := _single_cell(cells[0], is_category)) is not None:
        return value
    place: dict[Any, int] = {}
    try:
        for cell in dict.fromkeys(cells):
            place[cell] = len(place)
    except TypeError:
        raise _odd({of for of in map(type, cells) if of.__hash__ is None}, cells, name) from None
    places = np.fromiter(map(place.__getitem__, cells), np.int32, len(cells))
    return from_distinct(list(place), places, name, is_category)


def _single_cell(cell: Any, is_category: bool) -> Values | None:
    """Return a column of one string or number, without the work that many cells take."""
    if type(cell) is str:
        return Words((cell,), np.zeros(1, np.int32))
    if is_category or (type(cell) is not float and type(cell) is not int):
        return None
    return np.array([float(cell)]) if abs(cell) < MOST_WHOLE else None  # nor infinity


def from_distinct(
    cells: list[Any], places: NDArray[np.int32], name: str, is_category: bool = False
) -> Values:
    """Return the values of rows by their places among different cells; place -1 is missing.

    The types of the cells tell what they are, unless they are categories in any case. None, NaN
    and NA are missing.
    """
    if is_category:  # what pandas.cut makes
        cells = [str(cell) if type(cell).__name__ == "Interval" else cell for cell in cells]
    there = [None if is_missing(cell) else cell for cell in cells]
    types = set(map(type, there)) - {type(None)}
    if types and all(issubclass(of, str) for of in types):
        distinct: Values = words_of(there)
    else:
        distinct = _numbers_from(there, types, name)
        if is_category:
            distinct = words_of(None if cell is None else _name_of(cell) for cell in there)
    if isinstance(distinct, Words):
        return Words(distinct.words, np.append(distinct.places, np.int32(-1))[places])
    return np.asarray(np.append(distinct, np.nan)[places])


def _numbers_from(cells: list[Any], types: set[type], name: str) -> Vector:
    odd = {of for of in types if not _is_real(of)}
    if odd:
        raise _odd(odd, cells, name, has_others=odd != types)
    try:
        numbers = np.array([math.nan if cell is None else float(cell) for cell in cells])
    except OverflowError:  # an integer of hundreds of digits
        raise ValueError(f"column {name!r} holds numbers too large for a float") from None
    return check_numbers(numbers, name)


def _is_real(of: type) -> bool:
    return issubclass(of, Real | Decimal | np.bool_) and not issubclass(of, np.timedelta64)


def _odd(types: set[type], cells: list[Any], name: str, has_others: bool = True) -> TypeError:
    """Return what to say of types that are no numbers, where not all are strings."""
    for classes, why in KINDS:
        if any(issubclass(of, classes) or of.__name__ == "Period" for of in types):
            return refuse(name, why)
    if has_others and all(issubclass(of, str) for of in types):
        return refuse(name, "mixed")
    cell = next(cell for cell in cells if type(cell) in types and not isinstance(cell, str))
    return TypeError(f"column {name!r} holds {shown(cell)}: give numbers or strings")


def words_of(cells: Iterable[str | None]) -> Words:
    """Return strings and None as words."""
    cells = list(cells)
    words = tuple(str(word) for word in dict.fromkeys(cells) if word is not None)
    place: dict[str | None, int] = {word: i for i, word in enumerate(words)}
    place[None] = -1
    return Words(words, np.fromiter(map(place.__getitem__, cells), np.int32, len(cells)))


def as_words(values: Values) -> Words:
    """Return numbers as categories; whole ones have no point."""
    return values if isinstance(values, Words) else _words_of_numbers(values + 0.0)  # no -0


def _words_of_numbers(array: NDArray[Any]) -> Words:
    numbers, places = np.unique(array, return_inverse=True)
    n = len(numbers) - int(len(numbers) > 0 and np.isnan(numbers[-1]))
    words = tuple(map(_name_of, numbers[:n].tolist()))
    return Words(words, np.where(places < n, places, -1).astype(np.int32))


def _name_of(number: Any) -> str:
    """Write a number; a whole one by all of its digits, for it may be an identifier."""
    if isinstance(number, Integral) or (abs(number) < MOST_WHOLE and number == int(number)):
        return str(int(number))
    return repr(float(number))
