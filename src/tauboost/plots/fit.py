"""A picture of one fit: the objective, and the loss on held-out samples, against seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO

from ..base.printable import printable
from .figure import new_figure

if TYPE_CHECKING:
    from ..search.watch import Event

__all__ = ["plot_fit", "require_matplotlib"]


def require_matplotlib() -> None:
    """Fail before the work where no picture can be drawn after it."""
    try:
        new_figure(1, 1)
    except ImportError as error:
        raise ValueError(str(error)) from None


def plot_fit(events: Sequence[Event], title: str, file: BinaryIO) -> None:
    """Draw the sweeps of a fit into a PNG file."""
    chosen = [event for event in events if event.phase == "select"]
    figure = new_figure(8, 4.6)
    axes = figure.subplots(1, 2 if chosen else 1, squeeze=False)[0]
    for phase, marker, label in (("select", "o", "choosing"), ("fit", "s", "fitting")):
        some = [event for event in events if event.phase == phase]
        if some:
            seconds, objective = [e.seconds for e in some], [e.objective for e in some]
            axes[0].plot(seconds, objective, marker=marker, markersize=4, label=label)
    axes[0].set(xlabel="time (seconds)", ylabel="objective, lower is better")
    axes[0].legend(frameon=False)
    if chosen:
        axes[1].plot(
            [e.seconds for e in chosen], [e.held_out_loss for e in chosen], "o-", markersize=4
        )
        axes[1].set(xlabel="time (seconds)", ylabel="log-loss on held-out samples, best candidate")
    for panel in axes:
        panel.grid(color="#dddddd")
        panel.set_axisbelow(True)
    figure.suptitle(printable(title), parse_math=False)
    figure.savefig(file, format="png", dpi=150)
