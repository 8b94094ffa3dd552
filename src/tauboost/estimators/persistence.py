"""Estimators to files and back: model files, safe to load from a stranger, and ONNX.

Which class a file makes is looked up by name in a fixed table. Nothing else can be made from a
file, and no code is run that a file names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.utils.validation import check_is_fitted

from ..io.atomic import new_file
from ..io.onnx import onnx_graph, table_graph
from ..models import loading, model_of, read_model, write_model
from ..texts.shrink import Shrinkage
from .linear import TauBoostClassifier, TauBoostClassifierCV
from .table import GlassBoxMixin, TableClassifier
from .text import TextClassifier

if TYPE_CHECKING:
    import onnx

__all__ = ["load_model", "save_model", "to_onnx"]


# The classes that files can hold, by the name that stands in the file.
ESTIMATORS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (TauBoostClassifier, TauBoostClassifierCV, TableClassifier, TextClassifier)
}


def save_model(
    clf: Any, path: str | os.PathLike[str], *, max_bytes: int | None = None
) -> Shrinkage | None:
    """Save a fitted classifier.

    The file is a safetensors file. It appears at once and complete: if anything goes wrong, what
    was there before is still there. A ``random_state`` that is a generator is stored as None.

    Parameters
    ----------
    clf : TauBoostClassifier, TableClassifier or TextClassifier
    path : str or path-like
    max_bytes : int, optional
        The most that the file of a text classifier may have: numbers are rounded and terms left
        out until it fits. ``clf.shrink`` does the same, and measures the loss on texts.

    Returns
    -------
    Shrinkage or None
        What was left out, where ``max_bytes`` is given; it prints as a sentence.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        When ``clf`` is not fitted.
    TypeError
        When ``clf`` is something else, or has a parameter that a file cannot hold, such as a
        function.

    Examples
    --------
    >>> import tauboost as tb
    >>> clf = tb.TextClassifier(random_state=0).fit(["buy now", "see you"] * 9, ["spam", "ham"] * 9)
    >>> tb.save_model(clf, "spam.tauboost")
    >>> tb.load_model("spam.tauboost").predict(["buy now"]).tolist()
    ['spam']
    """
    _check_fitted(clf, "save_model")
    if max_bytes is None:
        write_model(clf._to_file(), path)
        return None
    if not isinstance(clf, TextClassifier):
        raise TypeError(f"max_bytes is for a TextClassifier, got {type(clf).__name__}")
    small = clf.shrink(max_bytes)
    write_model(small._to_file(), path)
    lost: Shrinkage = small.shrinkage_
    return lost


def load_model(path: str | os.PathLike[str], *, trusted: bool = False) -> Any:
    """Load a classifier that :func:`save_model` has saved; safe on files from anyone.

    Parameters
    ----------
    path : str or path-like
    trusted : bool
        Load a text classifier with its own ``token_pattern``, too. There are regular
        expressions that run for hours on some texts, so that takes a file that you trust.

    Returns
    -------
    TauBoostClassifier, TableClassifier or TextClassifier
        Fitted, with the same parameters; predictions are bit-identical to those of the saved one.

    Raises
    ------
    ModelFileError
        A ValueError: the file is damaged, no model file, or from a newer version of tauboost.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> clf = tb.TauBoostClassifier(random_state=0).fit(X, y)
    >>> tb.save_model(clf, "pages.tauboost")
    >>> again = tb.load_model("pages.tauboost")
    >>> bool((again.predict_proba(X) == clf.predict_proba(X)).all())
    True
    """
    file = read_model(path)
    model = model_of(file, path, trusted)
    with loading(path):
        return ESTIMATORS[file.kind]._from_file(file, model)


def to_onnx(
    clf: Any, path: str | os.PathLike[str] | None = None, *, dtype: DTypeLike | None = None
) -> onnx.ModelProto:
    """Export a fitted classifier to ONNX; needs the extra ``onnx``.

    The graph has the input ``X``, of shape (N, n_features), and the outputs ``label`` and
    ``probabilities``, which are what ``predict`` and ``predict_proba`` return. For a table
    classifier it has one input for each column, with its name and of shape (N, 1): numbers, NaN for
    missing, or strings, "" for missing; strings that the fit has not seen may be given.

    Parameters
    ----------
    clf : TauBoostClassifier or TableClassifier
    path : str or path-like, optional
        Where to write the graph.
    dtype : float32 or float64, optional
        Type of the input and of all arithmetic: by default float32, and float64 for a table
        classifier, whose thresholds are values of the data. ``predict`` works with float64: with
        float32 a probability may differ in the seventh digit, and a label where two classes are as
        close.

    Examples
    --------
    >>> import tauboost as tb
    >>> clf = tb.TauBoostClassifier(alpha=0.01).fit([[0.0, 1.0], [1.0, 0.0]] * 9, ["a", "b"] * 9)
    >>> graph = tb.to_onnx(clf, "model.onnx").graph
    >>> [node.name for node in graph.output]
    ['label', 'probabilities']
    """
    _check_fitted(clf, "to_onnx")
    if isinstance(clf, TextClassifier):
        raise TypeError(
            "to_onnx takes no TextClassifier, as ONNX has no operator that finds words as Python "
            "does: export a TauBoostClassifier that was fitted to the rows of a TextVectorizer, "
            "and give the graph such rows"
        )
    name = type(clf).__name__
    if isinstance(clf, GlassBoxMixin):
        graph = table_graph(clf.model_, np.float64 if dtype is None else dtype, name)
    else:
        graph = onnx_graph(clf.model_, np.float32 if dtype is None else dtype, name)
    if path is not None:
        with new_file(path, overwrite=True) as file:
            file.write(graph.SerializeToString())
    return graph


def _check_fitted(clf: Any, caller: str) -> None:
    # By identity: what a subclass adds would not come back.
    if ESTIMATORS.get(type(clf).__name__) is not type(clf):
        accepted = " or ".join(ESTIMATORS)
        hint = "; to_local() gives one" if hasattr(clf, "to_local") else ""
        raise TypeError(f"{caller} takes a {accepted}, got {type(clf).__name__}{hint}")
    check_is_fitted(clf)
