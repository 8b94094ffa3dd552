"""A progress bar on stderr with rate and time left, for work that may take minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(
    title: str, total: float | None, unit: str, *, visible: bool, scale: float = 1.0
) -> Iterator[Callable[[float], None]]:
    """Yield a function to be called with the amount done so far, out of ``total``.

    Nothing is shown where stderr is not a terminal. Amounts are shown divided by ``scale``, as so
    many ``unit``. A total of None stands for one that is not known.
    """
    if not visible:
        yield lambda done: None  # noqa: ARG005
        return
    # Imported here because it takes a while, and most uses show no bar.
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text  # noqa: PLC0415

    class Rate(TextColumn):
        def render(self, task: Task) -> Text:
            speed = f", {task.speed / scale:,.0f} {unit}/s" if task.speed else ""
            return Text(f"{task.completed / scale:,.0f} {unit}{speed}")

    console = Console(stderr=True)
    left = TimeRemainingColumn() if total is not None else TimeElapsedColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), Rate(""), left)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(escape(title), total=total)
        yield lambda done: progress.update(task, completed=done)
