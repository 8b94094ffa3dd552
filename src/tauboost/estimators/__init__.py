"""Estimators with scikit-learn's interface, and their files."""

from .adaboost_pl import AdaBoostPLClassifier
from .classifier import TauBoostClassifier
from .persistence import load_model, save_model, to_onnx

__all__ = ["AdaBoostPLClassifier", "TauBoostClassifier", "load_model", "save_model", "to_onnx"]
