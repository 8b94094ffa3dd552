"""Comparisons of methods: traces, tables and figures."""

from .comparison import Comparison, Level, MethodSetting, Row, Run, compare
from .plots import plot_comparison

__all__ = ["Comparison", "Level", "MethodSetting", "Row", "Run", "compare", "plot_comparison"]
