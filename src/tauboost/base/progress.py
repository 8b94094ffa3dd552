"""A bar on stderr with rate and time left, for work that may take minutes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import Progress

__all__ = ["Bars", "progress_bar"]


PATIENCE = 0.5  # seconds after which a user wants to see something


@contextmanager
def progress_bar(
    title: str, total: float | None, unit: str, *, visible: bool, scale: float = 1.0
) -> Iterator[Callable[[float], None]]:
    """Yield a function to be called with the amount done so far, out of ``total`` if known.

    The bar appears after half a second, if stderr is a terminal, and vanishes in the end. Amounts
    are shown divided by ``scale``, in ``unit``.
    """
    if not visible:
        yield lambda _: None
        return
    began = time.monotonic()
    bar: Any = None

    def show(done: float) -> None:
        nonlocal bar
        if bar is None and time.monotonic() >= began + PATIENCE:
            bar = _new_bar(title, total, unit, scale)
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()


def _new_bar(title: str, total: float | None, unit: str, scale: float) -> Any:
    """Return a bar of Rich, which is loaded only where something takes long enough."""
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import BarColumn, Task, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from .messages import printable  # noqa: PLC0415

    class Rate(TextColumn):
        def render(self, task: Task) -> Text:
            speed = f", {task.speed / scale:,.0f} {unit}/s" if task.speed else ""
            return Text(f"{task.completed / scale:,.0f} {unit}{speed}")

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), Rate(""), TimeRemainingColumn())
    bar = Bars(*columns, console=console, transient=True, disable=not console.is_terminal)
    bar.add_task(escape(printable(title)), total=total)
    return bar


# Bars of Rich that leave nothing behind where they are not shown.


class Bars(Progress):
    """As Rich's own, which in older versions end with an empty line even if disabled."""

    def stop(self) -> None:
        """Remove the bars, or leave them at their end."""
        if not self.disable:
            super().stop()
