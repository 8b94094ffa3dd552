"""The layout of a store on disk: the arrays, the .npy headers and ``store.json``.

A store is a folder that holds X as the sum of two CSR matrices that share no entry, and the labels:

    ones_indptr, ones_indices                      the entries that are 1: no values are kept
    values_indptr, values_indices, values_data     all other entries
    y                                              one label a row

each in a file ``NAME.npy``. The header says how long they are and what their checksums are. No file
name is ever read from a header, and no header is believed where a file says otherwise.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

__all__ = ["ARRAY_NAMES", "HEADER_NAME", "MAX_INDEX", "NPY_HEADER_SIZE", "Header", "npy_header"]


FORMAT: Final = "tauboost-store"
VERSION: Final = 1
HEADER_NAME: Final = "store.json"
# The core keeps column numbers as int32, and so does the store.
MAX_INDEX: Final = 2**31 - 2

DTYPES: Final[dict[str, np.dtype[Any]]] = {
    "y": np.dtype("<f8"),
    "ones_indptr": np.dtype("<i8"),
    "ones_indices": np.dtype("<i4"),
    "values_indptr": np.dtype("<i8"),
    "values_indices": np.dtype("<i4"),
    "values_data": np.dtype("<f8"),
}
ARRAY_NAMES: Final = tuple(DTYPES)
NPY_HEADER_SIZE: Final = 128


def npy_header(name: str, length: int) -> bytes:
    """Return the .npy header (version 1.0) of an array of the store; it always has 128 bytes."""
    text = f"{{'descr': '{DTYPES[name].str}', 'fortran_order': False, 'shape': ({length},), }}"
    magic = b"\x93NUMPY\x01\x00"
    size = NPY_HEADER_SIZE - len(magic) - 2
    return magic + size.to_bytes(2, "little") + text.ljust(size - 1).encode() + b"\n"


@dataclass(frozen=True)
class Header:
    """What ``store.json`` says.

    ``labels`` pairs each label with the number of its rows, smallest label first; it is None where
    there are too many to list. ``source`` tells how the store was made, for people only.
    """

    n_samples: int
    n_features: int
    n_ones: int
    n_values: int
    labels: tuple[tuple[float, int], ...] | None
    checksums: dict[str, str]
    source: dict[str, Any]

    @property
    def lengths(self) -> dict[str, int]:
        """How many items each array has."""
        rows, ones, values = self.n_samples, self.n_ones, self.n_values
        return dict(zip(ARRAY_NAMES, (rows, rows + 1, ones, rows + 1, values, values), strict=True))

    def to_json(self) -> str:
        """Write the header as text, with a checksum of its own."""
        document = {
            "format": FORMAT,
            "version": VERSION,
            "shape": [self.n_samples, self.n_features],
            "nnz": self.n_ones + self.n_values,
            "labels": self.labels,
            "arrays": {
                name: {
                    "dtype": DTYPES[name].str,
                    "length": length,
                    "crc32": self.checksums[name],
                }
                for name, length in self.lengths.items()
            },
            "source": self.source,
        }
        return json.dumps(document | {"crc32": _checksum(document)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> Header:
        """Read a header; a ValueError says what is wrong with it."""
        try:
            document = json.loads(text)
            given = document.pop("crc32", None) if isinstance(document, dict) else None
            checksum = _checksum(document)
        except (ValueError, RecursionError):
            raise ValueError(f"{HEADER_NAME} is damaged: it is not JSON") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"{HEADER_NAME} is not the header of a tauboost store")
        version = document.get("version")
        if isinstance(version, int) and version > VERSION:
            raise ValueError(
                f"made by a newer tauboost: the store has version {version}, this tauboost reads "
                f"version {VERSION}"
            )
        if version != VERSION or given != checksum:
            raise ValueError(f"{HEADER_NAME} is damaged or was altered: its checksum does not fit")
        try:
            return cls._from_document(document)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise ValueError(f"{HEADER_NAME} is damaged: fields are missing or wrong") from None

    @classmethod
    def _from_document(cls, document: dict[str, Any]) -> Header:
        arrays = document["arrays"]
        n_samples, n_features = (_size(number) for number in document["shape"])
        labels = document["labels"]
        header = cls(
            n_samples=n_samples,
            n_features=n_features,
            n_ones=_size(arrays["ones_indices"]["length"]),
            n_values=_size(arrays["values_indices"]["length"]),
            labels=None if labels is None else tuple((float(x), _size(k)) for x, k in labels),
            checksums={name: str(arrays[name]["crc32"]) for name in ARRAY_NAMES},
            source=dict(document["source"]),
        )
        if not (n_samples and 0 < n_features <= MAX_INDEX + 1):
            raise ValueError("shape")
        if document["nnz"] != header.n_ones + header.n_values or len(arrays) != len(ARRAY_NAMES):
            raise ValueError("arrays")
        for name, length in header.lengths.items():
            if (arrays[name]["dtype"], arrays[name]["length"]) != (DTYPES[name].str, length):
                raise ValueError(name)
        return header


def _checksum(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return f"{zlib.crc32(text.encode()):08x}"


def _size(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**60:
        raise ValueError(f"{value!r} is no size")
    return value
