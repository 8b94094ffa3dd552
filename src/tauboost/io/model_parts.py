"""What files of all kinds of models share: labels, strings, and groups of plain values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import strings
from .plain_json import decode, encode

__all__ = [
    "FIELDS",
    "GROUPS",
    "INTEGERS",
    "Array",
    "Schema",
    "add_classes",
    "add_strings",
    "classes_schema",
    "encode_group",
    "is_size",
    "read_classes",
    "read_groups",
    "read_strings",
    "strings_schema",
]

GROUPS = ("params", "fitted")
CLASSES = re.compile(r"numbers|object|U[1-9][0-9]{0,8}", re.ASCII)
INTEGERS = frozenset({"I32", "I64"})
NUMBERS = frozenset({"BOOL", "U8", "U16", "U32", "U64", "I8", "I16", "I32", "I64"})
NUMBERS |= {"F16", "F32", "F64"}

Array = NDArray[Any]
Schema = dict[str, tuple[frozenset[str], tuple[int | None, ...]]]


def is_size(value: Any) -> bool:
    """Tell whether a header may say this of how many there are."""
    return type(value) is int and 0 < value < 2**62


# What each field of a header may be that every kind of model has.
FIELDS: dict[str, Callable[[Any], bool]] = {
    "tauboost": lambda value: isinstance(value, str),
    "kind": lambda value: isinstance(value, str),
    "n_classes": is_size,
    "classes": lambda value: isinstance(value, str) and bool(CLASSES.fullmatch(value)),
    "feature_names": lambda value: isinstance(value, bool),
    "params": lambda value: isinstance(value, dict),
    "fitted": lambda value: isinstance(value, dict),
}


def add_strings(tensors: dict[str, Array], name: str, values: Array) -> None:
    """Add an array of strings as two arrays of numbers."""
    tensors[f"{name}.text"], tensors[f"{name}.offsets"] = strings.pack(values.tolist(), name)


def read_strings(tensors: dict[str, Array], name: str) -> list[str]:
    """Return the strings that were added."""
    return strings.unpack(tensors[f"{name}.text"], tensors[f"{name}.offsets"], name)


def strings_schema(name: str, count: int | None) -> Schema:
    """Return what the two arrays must be."""
    n_offsets = None if count is None else count + 1
    return {
        f"{name}.text": (frozenset({"U8"}), (None,)),
        f"{name}.offsets": (frozenset({"I64"}), (n_offsets,)),
    }


def add_classes(tensors: dict[str, Array], classes: Array) -> str:
    """Add the labels; return numbers, object (Python strings), or U and the width of the text."""
    if classes.dtype.kind not in "UO":
        tensors["classes"] = classes
        return "numbers"
    add_strings(tensors, "classes", classes)
    return "object" if classes.dtype.kind == "O" else f"U{classes.dtype.itemsize // 4}"


def classes_schema(header: dict[str, Any]) -> Schema:
    """Return what the arrays of the labels must be."""
    n_classes = header["n_classes"]
    if header["classes"] == "numbers":
        return {"classes": (NUMBERS, (n_classes,))}
    return strings_schema("classes", n_classes)


def read_classes(kind: str, tensors: dict[str, Array]) -> Array:
    """Return the labels that were added."""
    if kind == "numbers":
        return tensors["classes"]
    labels = read_strings(tensors, "classes")
    if kind == "object":
        return strings.object_array(labels)
    width = int(kind[1:])
    if any(len(label) > width or label.endswith("\0") for label in labels):
        raise ValueError(f"its class labels are not text of at most {width} characters")
    # A wide array of many labels can be far larger than the file, which must not fill the memory.
    if 4 * width * len(labels) > max(2**20, 8 * len(tensors["classes.text"])):
        return strings.object_array(labels)
    return np.array(labels, dtype=kind)


def encode_group(tensors: dict[str, Array], group: str, values: dict[str, Any]) -> dict[str, Any]:
    """Encode a dict of values; its arrays go to the tensors."""
    plain = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            tensors[f"{group}.{name}"] = value
        else:
            plain[name] = encode(value, name)
    return plain


def read_groups(header: dict[str, Any], tensors: dict[str, Array]) -> dict[str, dict[str, Any]]:
    """Return the dicts that were encoded."""
    groups = {
        group: {name: decode(value, name) for name, value in header[group].items()}
        for group in GROUPS
    }
    for name, array in tensors.items():
        group, _, rest = name.partition(".")
        if group in groups:
            groups[group][rest] = array
    return groups
