"""Estimators with scikit-learn's interface, and their files; each is imported when it is used."""

from typing import TYPE_CHECKING

from ..base.lazy import lazy_names

if TYPE_CHECKING:
    from .adaboost_pl import AdaBoostPLClassifier
    from .classifier import TauBoostClassifier
    from .classifier_cv import TauBoostClassifierCV
    from .p_adaboost import PAdaBoostClassifier
    from .path import regularization_path
    from .path_result import PathResult
    from .persistence import load_model, save_model, to_onnx
    from .table_classifier import TableClassifier
    from .text_classifier import TextClassifier
    from .text_vectorizer import TextVectorizer

__all__ = [
    "AdaBoostPLClassifier",
    "PAdaBoostClassifier",
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
        "adaboost_pl": {"AdaBoostPLClassifier"},
        "classifier": {"TauBoostClassifier"},
        "classifier_cv": {"TauBoostClassifierCV"},
        "p_adaboost": {"PAdaBoostClassifier"},
        "path": {"regularization_path"},
        "path_result": {"PathResult"},
        "persistence": {"load_model", "save_model", "to_onnx"},
        "table_classifier": {"TableClassifier"},
        "text_classifier": {"TextClassifier"},
        "text_vectorizer": {"TextVectorizer"},
    },
)
