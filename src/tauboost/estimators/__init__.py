"""Estimators in the manner of scikit-learn."""

from .adaboost_pl import AdaBoostPLClassifier

__all__ = ["AdaBoostPLClassifier"]
