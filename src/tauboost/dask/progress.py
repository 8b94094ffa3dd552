"""A line on the driver's terminal that says where a solve is."""

from __future__ import annotations

from typing import Self

from rich.progress import BarColumn, TextColumn

from ..base.bars import Bars
from ..solvers import Snapshot
from .crew import Crew

__all__ = ["ProgressLine"]


class ProgressLine:
    """Shows epochs, objective, rounds, bytes and seconds after every look; a context manager."""

    def __init__(self, crew: Crew, max_epochs: float, *, is_shown: bool) -> None:
        self.crew = crew
        self._progress = Bars(
            TextColumn("epoch {task.completed:.1f}"),
            BarColumn(bar_width=20),
            TextColumn("{task.description}"),
            disable=not is_shown,
            transient=False,
        )
        self._task = self._progress.add_task("", total=max_epochs)

    def look(self, at: Snapshot) -> None:
        """Show the point at hand."""
        crew = self.crew
        rebuilt = f", {crew.rebuilt} parts rebuilt" if crew.rebuilt else ""
        self._progress.update(
            self._task,
            completed=at.epoch,
            description=f"objective {at.objective:.6f}, {crew.done} rounds, "
            f"{crew.bytes / 1e6:.1f} MB, {at.seconds:.1f} s{rebuilt}",
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
