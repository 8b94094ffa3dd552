"""The arrays of model files: what each kind of them is on disk, and the checks they have in common.

Numbers are one tensor, strings two, a CSR matrix three. Numbers may be stored in the narrowest type
that holds every one of them as it is, and sorted strings without what they share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import is_sparse
from . import tensors as strings
from .tensors import Array, excerpt, front_code, front_decode

__all__ = [
    "NARROW",
    "ArrayKind",
    "Csr",
    "Numbers",
    "SortedStrings",
    "Strings",
    "check_array",
    "check_classes",
    "check_numbers",
    "check_strings",
    "count_rows",
]


INTEGERS = frozenset({"I32", "I64"})
CSR = ("data", "indices", "indptr")
NARROW = frozenset({"F16", "F32", "F64"})

Tensors = dict[str, tuple[frozenset[str], tuple[int | None, ...]]]  # types, and None: any length


class ArrayKind(Protocol):
    """One array of a model as the tensors of a file."""

    def tensors(self, name: str) -> Tensors:
        """Return which types and which shapes they must have."""

    def pack(self, array: Any, name: str) -> dict[str, Array]:
        """Return the tensors of an array."""

    def unpack(self, tensors: dict[str, Array], name: str) -> Any:
        """Return the array that was packed."""


@dataclass(frozen=True)
class Numbers:
    """An array of numbers as one tensor; None in the shape stands for any length."""

    types: frozenset[str]
    shape: tuple[int | None, ...]

    def tensors(self, name: str) -> Tensors:
        """Return which type and which shape it must have."""
        return {name: (self.types, self.shape)}

    def pack(self, array: Any, name: str) -> dict[str, Array]:
        """Return the tensor, in the narrowest type that holds each number where it may be."""
        return {name: narrowed(array) if self.types == NARROW else array}

    def unpack(self, tensors: dict[str, Array], name: str) -> Any:
        """Return the array that was packed."""
        found = tensors[name]
        return found.astype(np.float64) if self.types == NARROW else found


@dataclass(frozen=True)
class Strings:
    """An object array of strings as two tensors."""

    n: int | None

    def tensors(self, name: str) -> Tensors:
        """Return what the text and its offsets must be."""
        n_offsets = None if self.n is None else self.n + 1
        return {
            f"{name}.text": (frozenset({"U8"}), (None,)),
            f"{name}.offsets": (frozenset({"I64"}), (n_offsets,)),
        }

    def pack(self, array: Any, name: str) -> dict[str, Array]:
        """Return the text of all strings, and where each begins."""
        text, offsets = strings.pack(array.tolist(), name)
        return {f"{name}.text": text, f"{name}.offsets": offsets}

    def unpack(self, tensors: dict[str, Array], name: str) -> Any:
        """Return the array that was packed."""
        text, offsets = tensors[f"{name}.text"], tensors[f"{name}.offsets"]
        return strings.object_array(strings.unpack(text, offsets, name))


@dataclass(frozen=True)
class Csr:
    """A CSR matrix as three tensors."""

    shape: tuple[int, int]

    def tensors(self, name: str) -> Tensors:
        """Return what values, indices and pointers must be."""
        return {
            f"{name}.data": (frozenset({"F64"}), (None,)),
            f"{name}.indices": (INTEGERS, (None,)),
            f"{name}.indptr": (INTEGERS, (self.shape[0] + 1,)),
        }

    def pack(self, array: Any, name: str) -> dict[str, Array]:
        """Return the three arrays of the matrix."""
        return {f"{name}.{part}": getattr(array, part) for part in CSR}

    def unpack(self, tensors: dict[str, Array], name: str) -> Any:
        """Return the matrix; what is in its rows is not checked."""
        import scipy.sparse as sp  # noqa: PLC0415

        data, indices, indptr = (tensors[f"{name}.{part}"] for part in CSR)
        # SciPy would cut off what the pointers leave over.
        if indptr[0] != 0 or not indptr[-1] == len(indices) == len(data):
            raise ValueError(
                f"{name} has {len(data)} values, but its pointers run from {indptr[0]} to "
                f"{indptr[-1]}"
            )
        return sp.csr_array((data, indices, indptr), shape=self.shape)


@dataclass(frozen=True)
class SortedStrings:
    """The text and the offsets of strings that ascend, of each only what the last one has not."""

    n: int

    def tensors(self, name: str) -> Tensors:
        """Return what the rest of the text, and what is shared, must be."""
        return {
            f"{name}.text": (frozenset({"U8"}), (None,)),
            f"{name}.shared": (frozenset({"U8"}), (self.n,)),
            f"{name}.lengths": (frozenset({"U8", "U16", "U32"}), (self.n,)),
        }

    def pack(self, array: Any, name: str) -> dict[str, Array]:
        """Return the text without what is shared."""
        text, shared, rest = front_code(*array)
        kind = np.min_scalar_type(int(rest.max(initial=0)))
        return {
            f"{name}.text": text,
            f"{name}.shared": shared,
            f"{name}.lengths": rest.astype(kind),
        }

    def unpack(self, tensors: dict[str, Array], name: str) -> Any:
        """Return the text and the offsets."""
        return front_decode(*(tensors[f"{name}.{part}"] for part in ("text", "shared", "lengths")))


def narrowed(numbers: NDArray[np.float64]) -> NDArray[Any]:
    """Return numbers in the narrowest type that holds each of them."""
    for dtype in (np.float16, np.float32):
        with np.errstate(over="ignore", under="ignore"):
            narrow = numbers.astype(dtype)
        if np.array_equal(narrow.astype(np.float64), numbers):
            return narrow
    return numbers


def count_rows(n_classes: int) -> int:
    """Return k, the number of tasks: the two classes of a binary model share one."""
    return 1 if n_classes == 2 else n_classes


def check_classes(classes: Any) -> None:
    """Check that labels are of one kind, and different."""
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
        raise ValueError(f"classes must be an array of two labels or more, got {excerpt(classes)}")
    kind = classes.dtype.kind
    if kind not in "biufUO" or (kind == "O" and not _are_strings(classes)):
        raise TypeError(
            "classes must be all booleans, all integers, all floats or all strings, got "
            f"{excerpt(classes)}"
        )
    if kind == "f" and not np.all(np.isfinite(classes)):
        raise ValueError("classes contains NaN or infinity")
    if len(set(classes.tolist())) != len(classes):
        raise ValueError("classes has a label twice")


def check_strings(values: Any, name: str, length: int | None) -> None:
    """Check an array of strings; None stands for any length."""
    if not isinstance(values, np.ndarray) or values.dtype != object or not _are_strings(values):
        raise TypeError(f"{name} must be an object array of strings, got {excerpt(values)}")
    length = len(values) if length is None else length
    if values.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), got {values.shape}")


def _are_strings(values: NDArray[Any]) -> bool:
    return all(isinstance(value, str) for value in values.flat)


def check_numbers(array: Any, shape: tuple[int, ...], name: str) -> None:
    """Check that an array has finite float64 numbers and this shape; coef may be CSR."""
    sparse = name == "coef" and is_sparse(array) and array.format == "csr"
    if not sparse and not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be an array of numbers, got {excerpt(array)}")
    if array.dtype != np.float64 or array.shape != shape:
        raise ValueError(
            f"{name} must be float64 of shape {shape}, got {array.dtype} of shape {array.shape}"
        )
    if sparse:
        _check_csr(array)
    if not np.all(np.isfinite(array.data if sparse else array)):
        raise ValueError(f"{name} contains NaN or infinity")


def check_array(array: Any, dtype: Any, shape: tuple[int, ...], name: str) -> None:
    """Check the type and the shape of an array."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        found = f"{array.dtype} of shape {array.shape}" if hasattr(array, "dtype") else "no array"
        raise ValueError(f"{name} must be {np.dtype(dtype)} of shape {shape}, got {found}")


def _check_csr(coef: Any) -> None:
    """Check that the pointers cut the entries into rows, in which the columns increase."""
    indptr, indices, (rows, columns) = coef.indptr, coef.indices, coef.shape
    if len(indptr) != rows + 1 or indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        raise ValueError("coef.indptr must begin with 0 and never decrease")
    if not indptr[-1] == len(indices) == len(coef.data):
        raise ValueError(
            f"coef.indptr ends at {indptr[-1]}, but coef has {len(indices)} indices and "
            f"{len(coef.data)} values"
        )
    if len(indices) == 0:
        return
    if indices.min() < 0 or indices.max() >= columns:
        raise ValueError(f"coef.indices must be within 0..{columns - 1}")
    increasing = indices[1:] > indices[:-1]
    starts = indptr[1:-1]
    # Between the last entry of a row and the first of the next, any order is fine.
    increasing[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    if not np.all(increasing):
        raise ValueError("coef.indices must increase within each row")
