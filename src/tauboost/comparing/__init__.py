"""Comparisons of methods, descriptions of data, pictures of classifiers."""

from ..plots.path import plot_path
from .classifier_plots import plot_explanation, plot_margins, plot_top_features
from .comparison import Comparison, Level, MethodSetting, Row, Run, compare
from .facts import describe
from .plots import plot_comparison

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
