"""A linear classifier as an ONNX graph, for servers and languages that do not have Python.

With H = X coef' + intercept and s = slope H + offset the graph computes ``label``, the class that H
points to, and ``probabilities``: for two classes 1/(1 + exp(-s)), for more the same for each class,
divided by their sum. It uses standard operators only. Columns that no class uses are left out, so a
sparse model over millions of features is a small file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from ..base.version import VERSION
from .tensors import excerpt

if TYPE_CHECKING:
    import onnx

__all__ = [
    "Graph",
    "add_label",
    "add_probabilities",
    "check_size",
    "finish",
    "onnx_graph",
    "start",
    "table_graph",
]


# Old enough for runtimes of the last years; every operator here is in it with float64.
OPSET, ML_OPSET, IR_VERSION = 13, 2, 8
MAX_BYTES = 2**31 - 1  # what protobuf can hold in one message

Array = NDArray[Any]


def onnx_graph(model: Any, dtype: DTypeLike = np.float32, name: str = "model") -> onnx.ModelProto:
    """Return the model as an ONNX graph whose input and arithmetic are float32 or float64.

    Of the model it takes ``classes``, ``coef``, ``intercept`` and ``link_slope``.
    """
    graph, n_features = start(dtype), model.coef.shape[1]
    columns, weights = _used_columns(model, graph.dtype)
    X = "X"
    if len(columns) < n_features:
        X = graph.add("Gather", X, graph.constant("columns", columns), axis=1)
    H = graph.add("MatMul", X, graph.real("coef", weights.T))
    H = graph.add("Add", H, graph.real("intercept", model.intercept))
    add_label(graph, H, model)
    add_probabilities(graph, H, model)
    real = graph.onnx.helper.np_dtype_to_tensor_dtype(graph.dtype)
    X = graph.onnx.helper.make_tensor_value_info("X", real, ["N", n_features])
    return finish(graph, model, name, [X])


def start(dtype: DTypeLike, prefix: str = "") -> Graph:
    """Return an empty graph with arithmetic of the given type."""
    real = np.dtype(dtype)
    if real not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {excerpt(dtype)}")
    return Graph(_import_onnx(), real, prefix)


def _import_onnx() -> Any:
    try:
        import onnx  # noqa: PLC0415
    except ImportError:
        raise ImportError("ONNX export needs onnx: pip install 'tauboost[onnx]'") from None
    return onnx


class Graph:
    """The nodes and constants of a graph that grows; their names begin with the prefix."""

    def __init__(self, onnx: Any, real: np.dtype[Any], prefix: str = "") -> None:
        self.onnx = onnx
        self.dtype = real
        self.prefix = prefix
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.once: dict[str, str] = {}

    def constant(self, name: str, values: Array) -> str:
        """Add a constant; return its name in the graph."""
        self.constants.append(self.onnx.numpy_helper.from_array(values, self.prefix + name))
        return self.prefix + name

    def shared(self, name: str, values: Array) -> str:
        """Add a constant unless it is there."""
        if name not in self.once:
            self.once[name] = self.constant(name, values)
        return self.once[name]

    def real(self, name: str, values: Any) -> str:
        """Add a constant of the graph's type."""
        with np.errstate(over="ignore"):
            cast = np.ascontiguousarray(values, dtype=self.dtype)
        if not np.all(np.isfinite(cast)):
            raise ValueError(f"{name} has values too large for {self.dtype}: use dtype='float64'")
        return self.constant(name, cast)

    def add(self, operator: str, *inputs: str, output: str | None = None, **options: Any) -> str:
        """Add a node; return the name of its output."""
        output = output or f"{self.prefix}{operator.lower()}_{len(self.nodes)}"
        node = self.onnx.helper.make_node(operator, list(inputs), [output], **options)
        self.nodes.append(node)
        return output


def _used_columns(model: Any, real: np.dtype[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the columns with a nonzero coefficient, and those columns of ``coef``, dense."""
    # As triplets, because other ways to pick columns allocate one entry for each of n_features.
    entries = sp.coo_array(model.coef)
    entries.eliminate_zeros()
    columns, position = np.unique(entries.col.astype(np.int64), return_inverse=True)
    if len(columns) == 0:
        columns = np.zeros(1, dtype=np.int64)  # a product needs at least one
    shape = (len(model.intercept), len(columns))
    n_bytes = shape[0] * shape[1] * real.itemsize + columns.nbytes
    check_size(n_bytes, "fit with an l1 penalty, so that fewer features are used")
    weights = np.zeros(shape)
    weights[entries.row, position] = entries.data
    return columns, weights


def check_size(n_bytes: int, advice: str) -> None:
    """Refuse what no ONNX file can hold."""
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"the model takes {n_bytes:,} bytes, but an ONNX file holds at most {MAX_BYTES:,}: "
            f"{advice}"
        )


def add_label(graph: Graph, H: str, model: Any) -> None:
    """Add the output ``label``: the class that decision values point to."""
    if len(model.classes) == 2:
        positive = graph.add("Greater", H, graph.real("zero", 0.0))
        flat = graph.add("Squeeze", positive, graph.constant("axis", np.array([1])))
        index = graph.add("Cast", flat, to=graph.onnx.TensorProto.INT64)
    else:
        index = graph.add("ArgMax", H, axis=1, keepdims=0)
    classes = graph.constant("classes", _onnx_classes(model.classes))
    graph.add("Gather", classes, index, output="label")


def _onnx_classes(classes: Array) -> Array:
    if classes.dtype.kind in "UO":
        return classes.astype(object)
    if classes.dtype.kind in "iu" and np.can_cast(classes.dtype, np.int64):
        return classes.astype(np.int64)
    return classes


def add_probabilities(graph: Graph, H: str, model: Any) -> None:
    """Add the output ``probabilities``."""
    slope, offset = (
        graph.real(name, value) for name, value in (("slope", model.link_slope), ("offset", 0.0))
    )
    s = graph.add("Add", graph.add("Mul", H, slope), offset)
    if len(model.classes) == 2:
        # Both from s: 1 - p would be 0 where p is within rounding of 1.
        both = graph.add("Concat", graph.add("Neg", s), s, axis=1)
        graph.add("Sigmoid", both, output="probabilities")
        return
    # p_k / sum p is the softmax of log p_k, which cannot become 0/0 when every p_k underflows.
    # log p_k = min(s, 0) - log(1 + exp(-|s|))
    decay = graph.add("Exp", graph.add("Neg", graph.add("Abs", s)))
    log_term = graph.add("Log", graph.add("Add", decay, graph.real("one", 1.0)))
    capped = graph.add("Min", s, graph.real("zero", 0.0))
    log_p = graph.add("Sub", capped, log_term)
    graph.add("Softmax", log_p, axis=1, output="probabilities")


def finish(
    graph: Graph, model: Any, name: str, inputs: list[Any], domains: Sequence[str] = ()
) -> onnx.ModelProto:
    """Return the graph with its inputs and outputs, checked."""
    helper = graph.onnx.helper
    real = helper.np_dtype_to_tensor_dtype(graph.dtype)
    label = next(c.data_type for c in graph.constants if c.name == f"{graph.prefix}classes")
    outputs = [
        helper.make_tensor_value_info("label", label, ["N"]),
        helper.make_tensor_value_info("probabilities", real, ["N", len(model.classes)]),
    ]
    proto = helper.make_graph(graph.nodes, name, inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", OPSET)]
    opsets += [helper.make_opsetid(domain, ML_OPSET) for domain in domains]
    exported: onnx.ModelProto = helper.make_model(
        proto,
        opset_imports=opsets,
        ir_version=IR_VERSION,
        producer_name="tauboost",
        producer_version=VERSION,
    )
    graph.onnx.checker.check_model(exported)
    return exported


# A table classifier as an ONNX graph with one input for each column.
#
# A numeric column is a tensor of numbers, of shape (N, 1), with NaN for missing: its code is the
# number of edges below it. A category column is a tensor of strings, "" for missing (unless "" is
# one of its categories). Codes are indices of scores, which are added in the order of the terms:
# with float64 the decision values are bit-identical to those of ``decision_function``.


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
