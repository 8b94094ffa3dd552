"""The old name of ``tauboost.paper``, for one release."""

import warnings

from .paper.comparison import Comparison, Level, MethodSetting, Row, Run, compare, describe
from .paper.figures import plot_comparison
from .plots.classifier import plot_explanation, plot_margins, plot_top_features
from .plots.plots import plot_path

__all__ = [
    "Comparison",
    "Level",
    "MethodSetting",
    "Row",
    "Run",
    "compare",
    "describe",
    "plot_comparison",
    "plot_explanation",
    "plot_margins",
    "plot_path",
    "plot_top_features",
]

warnings.warn(
    "tauboost.comparing is now tauboost.paper.comparison, tauboost.paper.figures and "
    "tauboost.plots",
    DeprecationWarning,
    stacklevel=2,
)
