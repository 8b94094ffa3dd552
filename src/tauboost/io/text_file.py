"""What a model file has of a text classifier beside its linear model, format version 3.

Numbers are stored in the narrowest type that holds every one of them as it is, terms with what
they share left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .front_coding import front_code, front_decode
from .model_data import ModelData
from .model_parts import Array, Schema
from .plain_json import decode, encode
from .text_data import TextData

__all__ = ["FIELDS", "REAL", "add_arrays", "assemble", "schema", "widened"]

TERMS, HASHES, KEPT = "terms", "hashes", "some hashes"  # what the features are
FIELDS: dict[str, Callable[[Any], bool]] = {
    "coef": lambda value: value == "dense",
    "options": lambda value: isinstance(value, dict),
    "features": lambda value: value in (TERMS, HASHES, KEPT),
    "idf": lambda value: isinstance(value, bool),
    "unicode": lambda value: isinstance(value, str),
}
REAL = frozenset({"F16", "F32", "F64"})
LENGTHS = frozenset({"U8", "U16", "U32"})
NARROW = ("coef", "idf")


def add_arrays(data: TextData, tensors: dict[str, Array]) -> dict[str, Any]:
    """Add what is beside the linear model, whose arrays become narrow; return the header's part."""
    if data.text is not None and data.offsets is not None:
        text, shared, rest = front_code(data.text, data.offsets)
        kind = np.min_scalar_type(int(rest.max(initial=0)))
        tensors |= {"terms.text": text, "terms.shared": shared, "terms.lengths": rest.astype(kind)}
    elif data.kept is not None:
        tensors["kept"] = data.kept
    if data.idf is not None:
        tensors["idf"] = data.idf
    for name in tensors.keys() & set(NARROW):
        tensors[name] = narrowed(tensors[name])
    kept = HASHES if data.kept is None else KEPT
    return {
        "options": {name: encode(value, name) for name, value in data.options.items()},
        "features": kept if data.text is None else TERMS,
        "idf": data.idf is not None,
        "unicode": data.unicode,
    }


def narrowed(numbers: NDArray[np.float64]) -> NDArray[Any]:
    """Return numbers in the narrowest type that holds each of them."""
    for dtype in (np.float16, np.float32):
        with np.errstate(over="ignore", under="ignore"):
            narrow = numbers.astype(dtype)
        if np.array_equal(narrow.astype(np.float64), numbers):
            return narrow
    return numbers


def widened(tensors: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays with numbers as wide as a model has them."""
    return tensors | {name: tensors[name].astype(np.float64) for name in NARROW if name in tensors}


def schema(header: dict[str, Any]) -> Schema:
    """Return which types and which shape each array beside those of the linear model must have."""
    n = header["n_features"]
    found: Schema = {"idf": (REAL, (n,))} if header["idf"] else {}
    if header["features"] == KEPT:
        found["kept"] = (frozenset({"I32"}), (n,))
    elif header["features"] == TERMS:
        found["terms.text"] = (frozenset({"U8"}), (None,))
        found["terms.shared"] = (frozenset({"U8"}), (n,))
        found["terms.lengths"] = (LENGTHS, (n,))
    return found


def assemble(header: dict[str, Any], tensors: dict[str, Array], linear: ModelData) -> TextData:
    """Return the model that a file holds."""
    text = offsets = None
    if header["features"] == TERMS:
        parts = (tensors[f"terms.{part}"] for part in ("text", "shared", "lengths"))
        text, offsets = front_decode(*parts)
    return TextData(
        linear=linear,
        options={name: decode(value, name) for name, value in header["options"].items()},
        text=text,
        offsets=offsets,
        kept=tensors.get("kept"),
        idf=tensors.get("idf"),
        unicode=header["unicode"],
    )
