"""Estimators in the manner of scikit-learn."""

from .classifier import TauBoostClassifier

__all__ = ["TauBoostClassifier"]
