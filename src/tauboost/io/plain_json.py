"""JSON for plain Python values, strict in both directions.

What an estimator's parameters hold and JSON has no word for is written as an object with one key:
``{"$float": "inf"}``, ``{"$tuple": [...]}``, ``{"$dict": [[key, value], ...]}`` (keys that are not
strings). Reading refuses whatever writing could not have produced, and never runs anything.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

import numpy as np

__all__ = ["decode", "encode", "excerpt", "parse"]

MAX_DEPTH = 16
MAX_INTEGER = 2**63
SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def excerpt(value: object, length: int = 40) -> str:
    """Show any value in one short line."""
    # Cut first: the repr of a long string is up to ten times as long.
    text = repr(value[:length] if isinstance(value, str | bytes) else value)
    return text if len(text) <= length else text[: length - 3] + "..."


def parse(text: str) -> Any:
    """Parse standard JSON: no NaN, no key twice in one object; ValueError for anything else."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"the JSON is damaged ({error.msg} at {error.pos})") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("the JSON has a key twice in one object")
    return result


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"the JSON holds {name}, which is no number")


def encode(value: Any, name: str, depth: int = 0) -> Any:
    """Return what JSON can hold for ``value``.

    A random number generator becomes null: the state of the one that a fit has used is of no use.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"{name} is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        items = [encode(item, name, depth + 1) for item in value]
        return items if isinstance(value, list) else {"$tuple": items}
    if isinstance(value, dict):
        return _encode_dict(value, name, depth)
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    _check_scalar(value, name)
    return value


def _encode_dict(value: dict[Any, Any], name: str, depth: int) -> Any:
    pairs = [(encode(key, name, depth + 1), encode(v, name, depth + 1)) for key, v in value.items()]
    for key, _ in pairs:
        _check_scalar(key, f"a key of {name}")
    if all(isinstance(key, str) and not key.startswith("$") for key, _ in pairs):
        return dict(pairs)
    return {"$dict": [list(pair) for pair in pairs]}


def decode(value: Any, name: str, depth: int = 0) -> Any:
    """Return the value that :func:`encode` was given."""
    if depth > MAX_DEPTH:
        raise ValueError(f"{name} is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, list):
        return [decode(item, name, depth + 1) for item in value]
    if isinstance(value, dict):
        if any(key.startswith("$") for key in value):
            return _decode_tagged(value, name, depth)
        for key in value:
            _check_scalar(key, f"a key of {name}")
        return {key: decode(item, name, depth + 1) for key, item in value.items()}
    _check_scalar(value, name)
    return value


def _decode_tagged(value: dict[str, Any], name: str, depth: int) -> Any:
    match value:
        case {"$float": str(text)} if len(value) == 1 and text in SPECIAL_FLOATS:
            return SPECIAL_FLOATS[text]
        case {"$tuple": list(items)} if len(value) == 1:
            return tuple(decode(item, name, depth + 1) for item in items)
        case {"$dict": list(pairs)} if len(value) == 1:
            return _decode_pairs(pairs, name, depth)
    raise ValueError(f"{name} holds an unknown kind of value, {excerpt(value)}")


def _decode_pairs(pairs: list[Any], name: str, depth: int) -> dict[Any, Any]:
    result = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or isinstance(pair[0], list | dict):
            raise ValueError(f"{name} holds {excerpt(pair)} where a key and a value belong")
        _check_scalar(pair[0], f"a key of {name}")
        result[pair[0]] = decode(pair[1], name, depth + 1)
    if len(result) != len(pairs):
        raise ValueError(f"{name} has a key twice")
    return result


def _check_scalar(value: Any, name: str) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} holds text that is not Unicode") from None
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{name} holds {value}, which is no number")
    elif isinstance(value, int):
        if not -MAX_INTEGER <= value < MAX_INTEGER:
            raise ValueError(f"{name} holds an integer of more than 64 bits")
    elif value is not None:
        raise TypeError(
            f"{name} holds {excerpt(value)}, which a model file cannot store: accepted are None, "
            "booleans, numbers, strings, and lists, tuples and dicts of them"
        )
