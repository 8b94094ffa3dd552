"""The old name of ``tauboost.paper`` (comparisons) and ``tauboost.plots``, for one release."""

import warnings

from .paper import Comparison, Level, MethodSetting, Row, Run, compare, describe, plot_comparison
from .plots import plot_explanation, plot_margins, plot_path, plot_top_features

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
    "tauboost.comparing is now tauboost.paper and tauboost.plots",
    DeprecationWarning,
    stacklevel=2,
)
