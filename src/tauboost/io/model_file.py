"""Model files: named arrays and a header of plain values, safe to load from a stranger.

The arrays are tensors of a safetensors file; all else stands in a versioned JSON header in its
metadata. What a kind of model has in it, its `Format` says: the fields of the header, the arrays,
and a check of all of it. Reading runs nothing that the file says. It checks the sizes before it
allocates, the checksum, and then what the format asks for; memory stays at a small multiple of the
file's size. What does not pass is a ``ModelFileError`` with one line that names the file and what
is wrong.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..base.version import VERSION as PACKAGE_VERSION
from ..parameters import of_old_names
from .model_arrays import ArrayKind, Numbers, Strings, check_classes, check_numbers, count_rows
from .tensors import (
    Array,
    Entry,
    decode,
    encode,
    excerpt,
    file_size,
    layout,
    object_array,
    open_regular,
    parse,
    read_header,
    read_tensors,
    write_tensors,
)

__all__ = [
    "Format",
    "FormatOf",
    "ModelFile",
    "ModelFileError",
    "check_file",
    "file_bytes",
    "is_size",
    "read_file",
    "write_file",
]


FORMAT = "tauboost-model"
HEADER = "tauboost"  # the key of our JSON among the metadata
GROUPS = ("params", "fitted")  # values of any name, among them arrays of numbers
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}", re.ASCII)
CLASSES = re.compile(r"numbers|object|U[1-9][0-9]{0,8}", re.ASCII)
LABELS = frozenset({"BOOL", "U8", "U16", "U32", "U64", "I8", "I16", "I32", "I64"})
LABELS |= {"F16", "F32", "F64"}

Fields = dict[str, Callable[[Any], bool]]


def is_size(value: Any) -> bool:
    """Return True if a header may say this of how many there are."""
    return type(value) is int and 0 < value < 2**62


# What each field of a header may be that every kind of model has.
SHARED: Fields = {
    "tauboost": lambda value: isinstance(value, str),
    "kind": lambda value: isinstance(value, str),
    "n_classes": is_size,
    "classes": lambda value: isinstance(value, str) and bool(CLASSES.fullmatch(value)),
    "params": lambda value: isinstance(value, dict),
    "fitted": lambda value: isinstance(value, dict),
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


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a model file holds.

    Parameters
    ----------
    header : dict
        ``version`` of the format; ``kind``, the name of the estimator's class; ``params``, its
        constructor parameters, and ``fitted``, what else the fit found: plain values and arrays of
        numbers; and the fields of the format.
    arrays : dict
        ``classes``: at least two different labels, booleans, integers, floats or strings;
        ``intercept``: one number for each task; and the arrays of the format.
    """

    header: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def kind(self) -> str:
        """The name of the estimator's class."""
        return str(self.header["kind"])

    @property
    def params(self) -> dict[str, Any]:
        """The constructor parameters of the estimator, by the names that they have today."""
        return of_old_names(self.header["params"])

    @property
    def fitted(self) -> dict[str, Any]:
        """What else the fit found."""
        found: dict[str, Any] = self.header["fitted"]
        return found

    @property
    def feature_names(self) -> Array | None:
        """The names of the features of a linear model, where it has them."""
        return self.arrays.get("feature_names")


class Format(NamedTuple):
    """What the files of one kind of model hold beside what all of them do."""

    version: int
    fields: Fields  # what each field of the header may be
    arrays: Callable[[Mapping[str, Any]], dict[str, ArrayKind]]  # by a header with ``n_classes``
    check: Callable[[ModelFile], None]  # that everything fits together


FormatOf = Callable[[int], Format | None]  # by version; None: there is no such format


def write_file(file: ModelFile, path: str | os.PathLike[str], format_of: FormatOf) -> None:
    """Check a model file and write it; it appears at once and complete, or not at all."""
    check_file(file, format_of)
    write_tensors(path, *_contents(file, format_of))


def file_bytes(file: ModelFile, format_of: FormatOf) -> int:
    """Return how many bytes a file has."""
    return file_size(*_contents(file, format_of))


def check_file(file: ModelFile, format_of: FormatOf) -> None:
    """Check what is in a file: a model of ours and one from a file are held to the same rules."""
    if not NAME.fullmatch(file.kind):
        raise ValueError(f"kind must be the name of a class, got {excerpt(file.kind)}")
    for group in GROUPS:
        for name in file.header[group]:
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise ValueError(f"{group} has a value named {excerpt(name)}, which is no name")
    classes = file.arrays["classes"]
    check_classes(classes)
    check_numbers(file.arrays["intercept"], (count_rows(len(classes)),), "intercept")
    _format(file, format_of).check(file)


def _format(file: ModelFile, format_of: FormatOf) -> Format:
    found = format_of(file.header["version"])
    assert found is not None
    return found


def _contents(file: ModelFile, format_of: FormatOf) -> tuple[dict[str, Array], dict[str, str]]:
    """Return the arrays and the strings of a file."""
    classes = file.arrays["classes"]
    own = {k: v for k, v in file.header.items() if k not in ("version", "kind", *GROUPS)}
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": file.header["version"],
        "tauboost": PACKAGE_VERSION,
        "kind": file.kind,
        "n_classes": len(classes),
        "classes": _kind_of_labels(classes),
        **{name: _encoded(v) if isinstance(v, dict) else v for name, v in own.items()},
    }
    tensors: dict[str, Array] = {}
    for name, kind in _array_kinds(header, _format(file, format_of)).items():
        tensors |= kind.pack(file.arrays[name], name)
    for group in GROUPS:
        values = file.header[group]
        arrays = {name for name, value in values.items() if isinstance(value, np.ndarray)}
        tensors |= {f"{group}.{name}": values[name] for name in arrays}
        header[group] = _encoded({k: v for k, v in values.items() if k not in arrays})
    return tensors, {HEADER: json.dumps(header, separators=(",", ":"))}


def _encoded(values: dict[str, Any]) -> dict[str, Any]:
    return {name: encode(value, name) for name, value in values.items()}


def read_file(path: str | os.PathLike[str], format_of: FormatOf) -> ModelFile:
    """Read a model file; a ModelFileError says why it cannot be read."""
    path = Path(path)
    try:
        with open_regular(path) as file:
            tensor_header = read_header(file)
            header, found = _parse_header(tensor_header.metadata, format_of)
            entries = layout(tensor_header)
            kinds = _array_kinds(header, found)
            _check_schema(entries, kinds, header)
            tensors = read_tensors(file, tensor_header, entries)
        result = _assemble(header, kinds, tensors)
        check_file(result, format_of)
        return result
    except ValueError as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}") from None


def _parse_header(metadata: dict[str, str], format_of: FormatOf) -> tuple[dict[str, Any], Format]:
    """Parse our own header; the version comes first, as all else may change with it."""
    if HEADER not in metadata:
        raise ValueError("it is a safetensors file, but not one that tauboost wrote")
    header = parse(metadata[HEADER])
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"its header does not say that its format is {FORMAT!r}")
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise ValueError(f"its format version is {excerpt(version)}")
    found = format_of(version)
    if found is None:
        raise ValueError(_newer(header, version))
    fields = SHARED | found.fields
    odd = sorted(header.keys() ^ {"format", "version", *fields})
    if odd:
        raise ValueError(f"its header lacks, or should not have, {excerpt(odd)}")
    for name, accepts in fields.items():
        if not accepts(header[name]):
            raise ValueError(f"its header says {excerpt(header[name])} for {name}")
    return header, found


def _newer(header: dict[str, Any], version: int) -> str:
    author = header.get("tauboost")
    if not isinstance(author, str) or not re.fullmatch(r"[\w.+!-]{1,32}", author, re.ASCII):
        author = "(unknown)"
    return (
        f"it was written by tauboost {author} in format {excerpt(version)} and needs a newer "
        f"version than this one, {PACKAGE_VERSION}"
    )


def _array_kinds(header: dict[str, Any], found: Format) -> dict[str, ArrayKind]:
    """Return what the arrays of a file are, but for those of its groups of values."""
    n_classes = header["n_classes"]
    of_labels = header["classes"] == "numbers"
    return {
        "classes": Numbers(LABELS, (n_classes,)) if of_labels else Strings(n_classes),
        "intercept": Numbers(frozenset({"F64"}), (count_rows(n_classes),)),
        **found.arrays(header),
    }


def _check_schema(
    entries: dict[str, Entry], kinds: dict[str, ArrayKind], header: dict[str, Any]
) -> None:
    """Check that the tensors are those the header speaks of, before any of them is read."""
    schema = {part: wanted for name, k in kinds.items() for part, wanted in k.tensors(name).items()}
    for name, entry in entries.items():
        group, _, rest = name.partition(".")
        if group in GROUPS and rest and rest not in header[group]:
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


def _assemble(
    header: dict[str, Any], kinds: dict[str, ArrayKind], tensors: dict[str, Array]
) -> ModelFile:
    of_labels = header["classes"]
    drop = ("format", "tauboost", "n_classes", "classes")
    plain = {
        name: {k: decode(v, k) for k, v in value.items()} if isinstance(value, dict) else value
        for name, value in header.items()
        if name not in drop
    }
    for name, array in tensors.items():
        group, _, rest = name.partition(".")
        if group in GROUPS:
            plain[group][rest] = array
    arrays = {name: kind.unpack(tensors, name) for name, kind in kinds.items()}
    if of_labels.startswith("U"):
        width, n_bytes = int(of_labels[1:]), len(tensors["classes.text"])
        arrays["classes"] = _of_fixed_width(arrays["classes"], width, n_bytes)
    return ModelFile(plain, arrays)


def _kind_of_labels(classes: Array) -> str:
    """Return numbers, object (Python strings), or U and the width of the text."""
    if classes.dtype.kind not in "UO":
        return "numbers"
    return "object" if classes.dtype.kind == "O" else f"U{classes.dtype.itemsize // 4}"


def _of_fixed_width(labels: Array, width: int, n_bytes: int) -> Array:
    """Return labels as text of a fixed width, as NumPy has it."""
    if any(len(label) > width or label.endswith("\0") for label in labels):
        raise ValueError(f"its class labels are not text of at most {width} characters")
    # A wide array of many labels can be far larger than the file, which must not fill the memory.
    if 4 * width * len(labels) > max(2**20, 8 * n_bytes):
        return object_array(labels.tolist())
    return np.array(labels.tolist(), dtype=f"U{width}")
