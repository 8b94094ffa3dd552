"""A picture of one solve: the objective against epochs and against seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base.arrays import Vector
from .figure import FOR, new_figure

__all__ = ["plot_trace"]


def plot_trace(trace: Mapping[str, Vector], title: str) -> Any:
    """Draw the way of the objective; returns a matplotlib Figure."""
    figure = new_figure(8, 3.8)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name, label in zip(
        panels, ("epoch", "seconds"), ("epochs", "time (seconds)"), strict=True
    ):
        axes.plot(trace[name], trace["objective"], "o-", color=FOR, markersize=3)
        axes.set_xlabel(label)
        axes.grid(color="#dddddd")
        axes.set_axisbelow(True)
    panels[0].set_ylabel("objective, lower is better")
    figure.suptitle(title, parse_math=False)
    return figure
