"""Estimators with scikit-learn's interface, and their files."""

from .persistence import load_model, save_model, to_onnx

__all__ = ["load_model", "save_model", "to_onnx"]
