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

if TYPE_CHECKING:
    import onnx

__all__ = ["table_graph"]

OUTPUTS = ("label", "probabilities")
ML = "ai.onnx.ml"


def table_graph(model: Any, dtype: DTypeLike = np.float64, name: str = "model") -> onnx.ModelProto:
    """Return the model as an ONNX graph; ``dtype`` is that of numeric inputs and of all sums.

    With float32, edges are rounded as the inputs are: a value that is above an edge by less than
    the rounding falls into the bin below it. Of the model it takes ``classes``, ``columns``,
    ``terms``, ``intercept`` and ``link_slope``.
    """
    n_scores = sum(term.scores.size for term in model.terms)
    check_size(n_scores * np.dtype(dtype).itemsize, "fit with fewer pairs of columns")
    names = [column.name for column in model.columns]
    _check_names(names)
    graph = start(dtype, _free_prefix(names))
    used = sorted({0, *(k for term in model.terms for k in term.columns)})
    codes = {k: model.columns[k].add_code(graph, k) for k in used}
    H = graph.real("intercept", model.intercept)
    if not model.terms:  # as many rows as there are codes
        nothing = np.zeros((model.columns[0].n_bins, len(model.intercept)))
        H = graph.add("Add", H, graph.add("Gather", graph.real("nothing", nothing), codes[0]))
    for k, term in enumerate(model.terms):
        H = graph.add("Add", H, _add_term(graph, term, codes, k))
    add_label(graph, H, model)
    add_probabilities(graph, H, model)
    return finish(graph, model, name, _inputs(graph, model.columns), [ML])


def _check_names(names: list[str]) -> None:
    for name in names:
        if name in OUTPUTS or not name:
            raise ValueError(
                f"a column is named {excerpt(name)}, which no input of an ONNX graph can be: "
                "rename it and fit again"
            )


def _free_prefix(names: list[str]) -> str:
    """Return what no column's name begins with: inputs and inner values share their names."""
    prefix = "_"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix


def _inputs(graph: Graph, columns: tuple[Any, ...]) -> list[Any]:
    helper = graph.onnx.helper
    real, text = helper.np_dtype_to_tensor_dtype(graph.dtype), graph.onnx.TensorProto.STRING
    return [
        helper.make_tensor_value_info(c.name, real if c.is_ordered else text, ["N", 1])
        for c in columns
    ]


def _add_term(graph: Graph, term: Any, codes: dict[int, str], k: int) -> str:
    """Add the scores of a term, of shape (N, tasks)."""
    scores = graph.real(f"scores {k}", term.scores.reshape(-1, term.scores.shape[-1]))
    cells = [codes[column] for column in term.columns]
    if len(term.columns) == 2:
        first, second = (
            graph.add("Gather", graph.constant(f"map {k} {i}", cell_of.astype(np.int64)), code)
            for i, (cell_of, code) in enumerate(zip(term.maps, cells, strict=True))
        )
        width = graph.constant(f"width {k}", np.array(term.scores.shape[1]))
        cells = [graph.add("Add", graph.add("Mul", first, width), second)]
    return graph.add("Gather", scores, cells[0])
