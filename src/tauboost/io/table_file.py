"""The arrays of a table classifier in a model file, format version 2."""

from __future__ import annotations

from typing import Any

from . import strings
from .model_data import count_rows
from .model_parts import (
    FIELDS as SHARED,
)
from .model_parts import (
    Array,
    Schema,
    add_strings,
    classes_schema,
    is_size,
    read_classes,
    read_groups,
    read_strings,
    strings_schema,
)
from .table_data import TableData

__all__ = ["FIELDS", "add_arrays", "assemble", "schema"]

FIELDS = SHARED | {
    "n_columns": is_size,
    "n_terms": lambda value: type(value) is int and 0 <= value < 2**62,
}
NUMBERS = (
    "is_category", "edges", "edge_offsets", "category_offsets", "term_columns", "term_cells",
    "maps", "scores", "weights",
)  # fmt: skip


def add_arrays(data: TableData, tensors: dict[str, Array]) -> dict[str, Any]:
    """Add the arrays of a model, but for what all kinds share; return its part of the header."""
    for name in NUMBERS:
        tensors[name] = getattr(data, name)
    add_strings(tensors, "names", data.names)
    add_strings(tensors, "categories", data.categories)
    return {
        "n_columns": data.n_columns,
        "n_terms": len(data.term_columns),
        "feature_names": data.feature_names,
    }


def schema(header: dict[str, Any]) -> Schema:
    """Return which types and which shape each array must have; None stands for any length."""
    n_columns, n_terms = header["n_columns"], header["n_terms"]
    tasks = count_rows(header["n_classes"])
    real, integer = frozenset({"F64"}), frozenset({"I64"})
    return {
        "intercept": (real, (tasks,)),
        "is_category": (frozenset({"BOOL"}), (n_columns,)),
        "edges": (real, (None,)),
        "edge_offsets": (integer, (n_columns + 1,)),
        "category_offsets": (integer, (n_columns + 1,)),
        "term_columns": (integer, (n_terms, 2)),
        "term_cells": (integer, (n_terms, 2)),
        "maps": (frozenset({"U8", "U16"}), (None,)),
        "scores": (real, (None, tasks)),
        "weights": (real, (None,)),
        **strings_schema("names", n_columns),
        **strings_schema("categories", None),
        **classes_schema(header),
    }


def assemble(header: dict[str, Any], tensors: dict[str, Array]) -> TableData:
    """Return the model that a file holds."""
    if len(tensors["categories.offsets"]) == 0:
        raise ValueError("the offsets of categories do not cut its text into strings")
    numbers: dict[str, Any] = {name: tensors[name] for name in NUMBERS}
    groups: dict[str, Any] = read_groups(header, tensors)
    return TableData(
        names=strings.object_array(read_strings(tensors, "names")),
        categories=strings.object_array(read_strings(tensors, "categories")),
        **numbers,
        intercept=tensors["intercept"],
        classes=read_classes(header["classes"], tensors),
        feature_names=header["feature_names"],
        kind=header["kind"],
        **groups,
    )
