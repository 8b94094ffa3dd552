"""Comparisons of methods and descriptions of data: traces, tables and figures."""

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
]
