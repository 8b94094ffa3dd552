"""Estimators with scikit-learn's interface, and their files."""

from .classifier import TauBoostClassifier
from .persistence import load_model, save_model, to_onnx

__all__ = ["TauBoostClassifier", "load_model", "save_model", "to_onnx"]
