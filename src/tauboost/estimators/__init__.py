"""Estimators with scikit-learn's interface, and their files; each is imported when it is used."""

from typing import TYPE_CHECKING

from ..base.lazy import lazy_names

if TYPE_CHECKING:
    from .linear import TauBoostClassifier, TauBoostClassifierCV
    from .path import PathResult, regularization_path
    from .persistence import load_model, save_model, to_onnx
    from .table import TableClassifier
    from .text import TextClassifier
    from .vectorizer import TextVectorizer

__all__ = [
    "PathResult",
    "TableClassifier",
    "TauBoostClassifier",
    "TauBoostClassifierCV",
    "TextClassifier",
    "TextVectorizer",
    "load_model",
    "regularization_path",
    "save_model",
    "to_onnx",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "linear": {"TauBoostClassifier", "TauBoostClassifierCV"},
        "path": {"PathResult", "regularization_path"},
        "persistence": {"load_model", "save_model", "to_onnx"},
        "table": {"TableClassifier"},
        "text": {"TextClassifier"},
        "vectorizer": {"TextVectorizer"},
    },
)
