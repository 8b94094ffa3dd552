"""Estimators in the manner of scikit-learn."""

from .classifier import TauBoostClassifier
from .classifier_cv import TauBoostClassifierCV
from .path import regularization_path
from .path_result import PathResult

__all__ = ["PathResult", "TauBoostClassifier", "TauBoostClassifierCV", "regularization_path"]
