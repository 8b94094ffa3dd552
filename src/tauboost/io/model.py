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

from ..base.kinds import is_sparse
from ..base.version import VERSION as PACKAGE_VERSION
from . import strings, table_file, text_file
from .model_data import ModelData, count_rows
from .model_parts import (
    FIELDS as SHARED,
)
from .model_parts import (
    GROUPS,
    INTEGERS,
    Array,
    Schema,
    add_classes,
    add_strings,
    classes_schema,
    encode_group,
    is_size,
    read_classes,
    read_groups,
    read_strings,
    strings_schema,
)
from .plain_json import excerpt, parse
from .table_data import TableData
from .tensors import (
    Entry,
    file_size,
    layout,
    open_regular,
    read_header,
    read_tensors,
    write_tensors,
)
from .text_data import TextData

__all__ = [
    "AnyData",
    "ModelData",
    "ModelFileError",
    "TableData",
    "TextData",
    "model_size",
    "read_model",
    "write_model",
]

FORMAT = "tauboost-model"
LINEAR, TABLE, TEXT = 1, 2, 3  # versions; a file has the lowest that can hold it
HEADER = "tauboost"  # the key of our JSON among the metadata

AnyData = ModelData | TableData | TextData

# What each field of the header may be.
OF_LINEAR = SHARED | {"n_features": is_size, "coef": lambda value: value in ("dense", "sparse")}
FIELDS: dict[int, dict[str, Callable[[Any], bool]]] = {
    LINEAR: OF_LINEAR,
    TABLE: table_file.FIELDS,
    TEXT: OF_LINEAR | text_file.FIELDS,
}


class ModelFileError(ValueError):
    """A file that is not a model file, is damaged, or was written by a newer tauboost.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tauboost as tb
    >>> from tauboost.io import ModelFileError
    >>> _ = Path("letter.txt").write_text("Dear all, this is no model.")
    >>> try:
    ...     tb.load_model("letter.txt")
    ... except ModelFileError as error:
    ...     print(error)
    letter.txt cannot be loaded: it does not begin like a model file
    """


def write_model(data: AnyData, path: str | os.PathLike[str]) -> None:
    """Write a model file; it appears at once and complete, or not at all.

    Raises
    ------
    TypeError, ValueError
        When ``params`` or ``fitted`` hold something that cannot be stored; it is named.
    OSError
        When the file cannot be written.
    """
    write_tensors(path, *_contents(data))


def model_size(data: AnyData) -> int:
    """Return how many bytes the file of a model has."""
    return file_size(*_contents(data))


def _contents(data: AnyData) -> tuple[dict[str, Array], dict[str, str]]:
    """Return the arrays and the strings of a file."""
    tensors: dict[str, Array] = {"intercept": data.intercept}
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": LINEAR,
        "tauboost": PACKAGE_VERSION,
        "kind": data.kind,
        "n_classes": len(data.classes),
        "classes": add_classes(tensors, data.classes),
    }
    if isinstance(data, TableData):
        header |= {"version": TABLE} | table_file.add_arrays(data, tensors)
    elif isinstance(data, TextData):
        header |= {"version": TEXT} | _add_arrays(data.linear, tensors)
        header |= text_file.add_arrays(data, tensors)
    else:
        header |= _add_arrays(data, tensors)
    for group in GROUPS:
        header[group] = encode_group(tensors, group, getattr(data, group))
    return tensors, {HEADER: json.dumps(header, separators=(",", ":"))}


def _add_arrays(data: ModelData, tensors: dict[str, Array]) -> dict[str, Any]:
    """Add the arrays of a linear model; return its part of the header."""
    if is_sparse(data.coef):
        for part in ("data", "indices", "indptr"):
            tensors[f"coef.{part}"] = getattr(data.coef, part)
    else:
        tensors["coef"] = data.coef
    if data.feature_names is not None:
        add_strings(tensors, "feature_names", data.feature_names)
    return {
        "n_features": data.n_features,
        "coef": "sparse" if is_sparse(data.coef) else "dense",
        "feature_names": data.feature_names is not None,
    }


def read_model(path: str | os.PathLike[str]) -> AnyData:
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
        if header["version"] == TABLE:
            return table_file.assemble(header, tensors)
        if header["version"] == TEXT:
            tensors = text_file.widened(tensors)
            return text_file.assemble(header, tensors, _assemble(header, tensors))
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
    if version not in FIELDS:
        raise ValueError(_newer(header, version))
    fields = FIELDS[version]
    odd = sorted(header.keys() ^ {"format", "version", *fields})
    if odd:
        raise ValueError(f"its header lacks, or should not have, {excerpt(odd)}")
    for name, accepts in fields.items():
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
    schema = table_file.schema(header) if header["version"] == TABLE else _schema(header)
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
    n_features, rows = header["n_features"], count_rows(header["n_classes"])
    is_text = header["version"] == TEXT
    real = text_file.REAL if is_text else frozenset({"F64"})
    schema: Schema = {"intercept": (frozenset({"F64"}), (rows,))}
    if header["coef"] == "dense":
        schema["coef"] = (real, (rows, n_features))
    else:
        schema["coef.data"] = (real, (None,))
        schema["coef.indices"] = (INTEGERS, (None,))
        schema["coef.indptr"] = (INTEGERS, (rows + 1,))
    schema |= classes_schema(header)
    if header["feature_names"]:
        schema |= strings_schema("feature_names", n_features)
    return schema | text_file.schema(header) if is_text else schema


def _assemble(header: dict[str, Any], tensors: dict[str, Array]) -> ModelData:
    names = None
    if header["feature_names"]:
        names = strings.object_array(read_strings(tensors, "feature_names"))
    return ModelData(
        coef=_coef(header, tensors),
        intercept=tensors["intercept"],
        classes=read_classes(header["classes"], tensors),
        feature_names=names,
        n_features=header["n_features"],
        kind=header["kind"],
        **read_groups(header, tensors),
    )


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
