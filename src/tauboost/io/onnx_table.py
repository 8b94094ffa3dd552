"""A table classifier as an ONNX graph with one input for each column.

A numeric column is a tensor of numbers, of shape (N, 1), with NaN for missing: its code is the
number of edges below it. A category column is a tensor of strings, "" for missing (unless "" is one
of its categories). Codes look up scores, which are added in the order of the terms: with float64
the decision values are those of ``decision_function``, bit for bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from .onnx import Graph, add_label, add_probabilities, check_size, finish, start
from .plain_json import excerpt
from .table_data import TableData, TermPart

if TYPE_CHECKING:
    import onnx

__all__ = ["table_graph"]

OUTPUTS = ("label", "probabilities")
ML = "ai.onnx.ml"


def table_graph(data: TableData, dtype: DTypeLike = np.float64) -> onnx.ModelProto:
    """Return the model as an ONNX graph; ``dtype`` is that of numeric inputs and of all sums.

    With float32, edges are rounded as the inputs are: a value that is above an edge by less than
    the rounding falls into the bin below it.
    """
    check_size(data.scores.size * np.dtype(dtype).itemsize, "fit with fewer pairs of columns")
    _check_names(data)
    graph = start(dtype, _free_prefix(data))
    parts = list(data.terms())
    codes = {
        k: _add_code(graph, data, k) for k in sorted({0, *(c for p in parts for c in p.columns)})
    }
    H = graph.real("intercept", data.intercept)
    if not parts:  # as many rows as there are codes
        nothing = graph.real("nothing", np.zeros((data.n_bins(0), len(data.intercept))))
        H = graph.add("Add", H, graph.add("Gather", nothing, codes[0]))
    for k, part in enumerate(parts):
        H = graph.add("Add", H, _add_term(graph, data, part, codes, k))
    add_label(graph, H, data)
    add_probabilities(graph, H, data)
    return finish(graph, data, _inputs(graph, data), [ML])


def _check_names(data: TableData) -> None:
    for name in data.names.tolist():
        if name in OUTPUTS or not name:
            raise ValueError(
                f"a column is named {excerpt(name)}, which no input of an ONNX graph can be: "
                "rename it and fit again"
            )


def _free_prefix(data: TableData) -> str:
    """Return what no column's name begins with: inputs and inner values share their names."""
    prefix = "_"
    while any(name.startswith(prefix) for name in data.names.tolist()):
        prefix += "_"
    return prefix


def _inputs(graph: Graph, data: TableData) -> list[Any]:
    helper = graph.onnx.helper
    real = helper.np_dtype_to_tensor_dtype(graph.dtype)
    types = [graph.onnx.TensorProto.STRING if c else real for c in data.is_category.tolist()]
    return [
        helper.make_tensor_value_info(name, of, ["N", 1])
        for name, of in zip(data.names.tolist(), types, strict=True)
    ]


def _add_code(graph: Graph, data: TableData, column: int) -> str:
    """Add the code of a column, of shape (N,)."""
    name: str = data.names[column]
    missing = data.n_bins(column) - 1
    axis = graph.shared("column axis", np.array([1]))
    if data.is_category[column]:
        categories = data.categories_of(column).tolist()
        keys = categories if "" in categories else [*categories, ""]
        values = [*range(len(categories)), missing][: len(keys)]
        code = graph.add(
            "LabelEncoder", name, domain=ML, keys_strings=keys, values_int64s=values,
            default_int64=len(categories),
        )  # fmt: skip
        return graph.add("Squeeze", code, axis)
    is_missing = graph.add("Squeeze", graph.add("IsNaN", name), axis)
    edges = data.edges_of(column)
    if len(edges) == 0:
        return graph.add("Cast", is_missing, to=graph.onnx.TensorProto.INT64)
    with np.errstate(over="ignore"):  # an edge beyond float32 is above all inputs
        row = graph.constant(f"edges {column}", edges[None, :].astype(graph.dtype))
    above = graph.add("Cast", graph.add("Greater", name, row), to=graph.onnx.TensorProto.INT32)
    count = graph.add("ReduceSum", above, axis, keepdims=0)
    code = graph.add("Cast", count, to=graph.onnx.TensorProto.INT64)
    return graph.add(
        "Where", is_missing, graph.constant(f"missing {column}", np.array(missing)), code
    )


def _add_term(graph: Graph, data: TableData, part: TermPart, codes: dict[int, str], k: int) -> str:
    """Add the scores of a term, of shape (N, tasks)."""
    scores = graph.real(f"scores {k}", data.scores[part.cells])
    cells = [codes[column] for column in part.columns]
    if len(part.columns) == 2:
        first, second = (
            graph.add(
                "Gather", graph.constant(f"map {k} {i}", data.maps[where].astype(np.int64)), code
            )
            for i, (where, code) in enumerate(zip(part.maps, cells, strict=True))
        )
        width = graph.constant(f"width {k}", np.array(part.shape[1]))
        cells = [graph.add("Add", graph.add("Mul", first, width), second)]
    return graph.add("Gather", scores, cells[0])
