"""Comparisons of methods, and pictures of classifiers: traces, tables and figures."""

from .classifier_plots import plot_explanation, plot_margins, plot_path, plot_top_features
from .comparison import Comparison, Level, MethodSetting, Row, Run, compare
from .plots import plot_comparison

__all__ = [
    "Comparison",
    "Level",
    "MethodSetting",
    "Row",
    "Run",
    "compare",
    "plot_comparison",
    "plot_explanation",
    "plot_margins",
    "plot_path",
    "plot_top_features",
]
