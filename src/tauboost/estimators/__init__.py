"""Estimators with scikit-learn's interface, and their files."""

from .adaboost_pl import AdaBoostPLClassifier
from .classifier import TauBoostClassifier
from .classifier_cv import TauBoostClassifierCV
from .p_adaboost import PAdaBoostClassifier
from .path import regularization_path
from .path_result import PathResult
from .persistence import load_model, save_model, to_onnx
from .table_classifier import TableClassifier
from .text_classifier import TextClassifier

__all__ = [
    "AdaBoostPLClassifier",
    "PAdaBoostClassifier",
    "PathResult",
    "TableClassifier",
    "TauBoostClassifier",
    "TauBoostClassifierCV",
    "TextClassifier",
    "load_model",
    "regularization_path",
    "save_model",
    "to_onnx",
]
