"""A bar that shows how far reading has come, for files that take their time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["reading_bar"]

PATIENCE = 0.5  # seconds after which a user wants to see something


@contextmanager
def reading_bar(name: str, total: int | None, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Give a function to be told how many bytes have been read, of ``total`` if that is known.

    The bar goes to stderr where that is a terminal, appears after half a second and vanishes in
    the end. With ``shown=False`` there is none.
    """
    if not shown:
        yield lambda _: None
        return
    # Imported here because only the command line shows bars.
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task(f"reading {escape(Path(name).name)}", total=total)
    began, is_started = time.monotonic(), False

    def update(position: int) -> None:
        nonlocal is_started
        bar.update(task, completed=position)
        if not is_started and time.monotonic() > began + PATIENCE:
            bar.start()
            is_started = True

    try:
        yield update
    finally:
        if is_started:
            bar.stop()
