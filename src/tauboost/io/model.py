"""Model files: a fitted classifier in safetensors, safe to load from a stranger.

The arrays are tensors; all else stands in a versioned JSON header in the file's metadata. Reading
runs nothing that the file says. It checks the sizes before it allocates, the checksum, and then
every rule of ``ModelData``; memory stays at a small multiple of the file's size. What does not pass
is a ``ModelFileError`` with one line that names the file and what is wrong.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.kinds import is_sparse
from ..base.version import VERSION as PACKAGE_VERSION
from . import strings
from .model_data import ModelData, count_rows
from .plain_json import decode, encode, excerpt, parse
from .tensors import Entry, layout, open_regular, read_header, read_tensors, write_tensors

__all__ = ["ModelData", "ModelFileError", "read_model", "write_model"]

FORMAT, VERSION = "tauboost-model", 1
HEADER = "tauboost"  # the key of our JSON among the metadata
CLASSES = re.compile(r"numbers|object|U[1-9][0-9]{0,8}", re.ASCII)
INTEGERS = frozenset({"I32", "I64"})
NUMBERS = frozenset({"BOOL", "U8", "U16", "U32", "U64", "I8", "I16", "I32", "I64"})
NUMBERS |= {"F16", "F32", "F64"}

Array = NDArray[Any]
Schema = dict[str, tuple[frozenset[str], tuple[int | None, ...]]]

# What each field of the header may be.
FIELDS: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: value == FORMAT,
    "version": lambda value: value == VERSION,
    "tauboost": lambda value: isinstance(value, str),
    "kind": lambda value: isinstance(value, str),
    "n_features": lambda value: type(value) is int and 0 < value < 2**62,
    "n_classes": lambda value: type(value) is int and 0 < value < 2**62,
    "coef": lambda value: value in ("dense", "sparse"),
    "classes": lambda value: isinstance(value, str) and bool(CLASSES.fullmatch(value)),
    "feature_names": lambda value: isinstance(value, bool),
    "params": lambda value: isinstance(value, dict),
    "fitted": lambda value: isinstance(value, dict),
}


class ModelFileError(ValueError):
    """A file that is not a model file, is damaged, or was written by a newer tauboost."""


def write_model(data: ModelData, path: str | os.PathLike[str]) -> None:
    """Write a model file; it appears at once and complete, or not at all.

    Raises
    ------
    TypeError, ValueError
        When ``params`` or ``fitted`` hold something that cannot be stored; it is named.
    OSError
        When the file cannot be written.
    """
    tensors: dict[str, Array] = {"intercept": data.intercept}
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tauboost": PACKAGE_VERSION,
        "kind": data.kind,
        "n_features": data.n_features,
        "n_classes": len(data.classes),
        "coef": "sparse" if is_sparse(data.coef) else "dense",
        "classes": _kind_of_classes(data.classes.dtype),
        "feature_names": data.feature_names is not None,
    }
    if is_sparse(data.coef):
        for part in ("data", "indices", "indptr"):
            tensors[f"coef.{part}"] = getattr(data.coef, part)
    else:
        tensors["coef"] = data.coef
    if header["classes"] == "numbers":
        tensors["classes"] = data.classes
    else:
        _add_strings(tensors, "classes", data.classes)
    if data.feature_names is not None:
        _add_strings(tensors, "feature_names", data.feature_names)
    for group, values in (("params", data.params), ("fitted", data.fitted)):
        header[group] = _encode_group(tensors, group, values)
    write_tensors(path, tensors, {HEADER: json.dumps(header, separators=(",", ":"))})


def _kind_of_classes(dtype: np.dtype[Any]) -> str:
    """Return numbers, object (Python strings), or U and the width of an array of text."""
    if dtype.kind == "U":
        return f"U{dtype.itemsize // 4}"
    return "object" if dtype.kind == "O" else "numbers"


def _add_strings(tensors: dict[str, Array], name: str, values: Array) -> None:
    tensors[f"{name}.text"], tensors[f"{name}.offsets"] = strings.pack(values.tolist(), name)


def _encode_group(tensors: dict[str, Array], group: str, values: dict[str, Any]) -> dict[str, Any]:
    """Encode a dict of values; its arrays go to the tensors."""
    plain = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            tensors[f"{group}.{name}"] = value
        else:
            plain[name] = encode(value, name)
    return plain


def read_model(path: str | os.PathLike[str]) -> ModelData:
    """Read a model file.

    Raises
    ------
    ModelFileError
        When the file is not a model file, is damaged, or was written by a newer tauboost.
    OSError
        When there is no such file, or it cannot be read.
    """
    path = Path(path)
    try:
        with open_regular(path) as file:
            tensor_header = read_header(file)
            header = _parse_header(tensor_header.metadata)
            entries = layout(tensor_header)
            _check_schema(entries, header)
            tensors = read_tensors(file, tensor_header, entries)
        return _assemble(header, tensors)
    except ValueError as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}") from None


def _parse_header(metadata: dict[str, str]) -> dict[str, Any]:
    """Parse our own header; the version comes first, as all else may change with it."""
    if HEADER not in metadata:
        raise ValueError("it is a safetensors file, but not one that tauboost wrote")
    header = parse(metadata[HEADER])
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"its header does not say that its format is {FORMAT!r}")
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise ValueError(f"its format version is {excerpt(version)}")
    if version > VERSION:
        raise ValueError(_newer(header, version))
    if header.keys() != FIELDS.keys():
        odd = sorted(header.keys() ^ FIELDS.keys())
        raise ValueError(f"its header lacks, or should not have, {excerpt(odd)}")
    for name, accepts in FIELDS.items():
        if not accepts(header[name]):
            raise ValueError(f"its header says {excerpt(header[name])} for {name}")
    return header


def _newer(header: dict[str, Any], version: int) -> str:
    author = header.get("tauboost")
    if not isinstance(author, str) or not re.fullmatch(r"[\w.+!-]{1,32}", author, re.ASCII):
        author = "(unknown)"
    return (
        f"it was written by tauboost {author} in format {excerpt(version)} and needs a newer "
        f"version than this one, {PACKAGE_VERSION}"
    )


def _check_schema(entries: dict[str, Entry], header: dict[str, Any]) -> None:
    """Check that the arrays are those the header speaks of, before any of them is read."""
    schema = _schema(header)
    for name, entry in entries.items():
        group, _, rest = name.partition(".")
        if group in ("params", "fitted") and rest and rest not in header[group]:
            continue  # an array of numbers of any shape; its name is checked with the others
        if name not in schema:
            raise ValueError(f"it has an array {excerpt(name)} that does not belong there")
        types, shape = schema.pop(name)
        fits = len(shape) == len(entry.shape) and all(
            wanted in (None, found) for wanted, found in zip(shape, entry.shape, strict=True)
        )
        if entry.dtype not in types or not fits:
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            raise ValueError(
                f"{excerpt(name)} is {entry.dtype} of shape {excerpt(entry.shape)}, expected "
                f"{' or '.join(sorted(types))} of shape ({wanted})"
            )
    if schema:
        raise ValueError(f"it lacks the array {excerpt(min(schema))}")


def _schema(header: dict[str, Any]) -> Schema:
    """Return which types and which shape each array must have; None stands for any length."""
    n_features, n_classes = header["n_features"], header["n_classes"]
    rows = count_rows(n_classes)
    real, bytes_, offsets = frozenset({"F64"}), frozenset({"U8"}), frozenset({"I64"})
    schema: Schema = {"intercept": (real, (rows,))}
    if header["coef"] == "dense":
        schema["coef"] = (real, (rows, n_features))
    else:
        schema["coef.data"] = (real, (None,))
        schema["coef.indices"] = (INTEGERS, (None,))
        schema["coef.indptr"] = (INTEGERS, (rows + 1,))
    if header["classes"] == "numbers":
        schema["classes"] = (NUMBERS, (n_classes,))
    else:
        schema["classes.text"] = (bytes_, (None,))
        schema["classes.offsets"] = (offsets, (n_classes + 1,))
    if header["feature_names"]:
        schema["feature_names.text"] = (bytes_, (None,))
        schema["feature_names.offsets"] = (offsets, (n_features + 1,))
    return schema


def _assemble(header: dict[str, Any], tensors: dict[str, Array]) -> ModelData:
    groups = {
        group: {name: decode(value, name) for name, value in header[group].items()}
        for group in ("params", "fitted")
    }
    for name, array in tensors.items():
        group, _, rest = name.partition(".")
        if group in groups:
            groups[group][rest] = array
    names = None
    if header["feature_names"]:
        names = strings.object_array(_strings(tensors, "feature_names"))
    return ModelData(
        coef=_coef(header, tensors),
        intercept=tensors["intercept"],
        classes=_classes(header["classes"], tensors),
        feature_names=names,
        n_features=header["n_features"],
        kind=header["kind"],
        **groups,
    )


def _strings(tensors: dict[str, Array], name: str) -> list[str]:
    return strings.unpack(tensors[f"{name}.text"], tensors[f"{name}.offsets"], name)


def _coef(header: dict[str, Any], tensors: dict[str, Array]) -> Any:
    if header["coef"] == "dense":
        return tensors["coef"]
    import scipy.sparse as sp  # noqa: PLC0415

    data, indices, indptr = (tensors[f"coef.{part}"] for part in ("data", "indices", "indptr"))
    # SciPy would cut off what the pointers leave over; the rest is checked with the other rules.
    if indptr[0] != 0 or not indptr[-1] == len(indices) == len(data):
        raise ValueError(
            f"coef has {len(data)} values, but its pointers run from {indptr[0]} to {indptr[-1]}"
        )
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, header["n_features"]))


def _classes(kind: str, tensors: dict[str, Array]) -> Array:
    if kind == "numbers":
        return tensors["classes"]
    labels = _strings(tensors, "classes")
    if kind == "object":
        return strings.object_array(labels)
    width = int(kind[1:])
    if any(len(label) > width or label.endswith("\0") for label in labels):
        raise ValueError(f"its class labels are not text of at most {width} characters")
    # A wide array of many labels can be far larger than the file, which must not fill the memory.
    if 4 * width * len(labels) > max(2**20, 8 * len(tensors["classes.text"])):
        return strings.object_array(labels)
    return np.array(labels, dtype=kind)
