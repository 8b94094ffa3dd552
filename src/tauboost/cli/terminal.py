"""What people see: tables and lines on a terminal, and predictions where stdout is one.

Names, labels and texts come from files of strangers. Whatever is printed passes through
``printable``, here or in ``app.py``, so that none of them can steer a terminal or forge a line.
"""

from __future__ import annotations

import io
import sys
from typing import Any, BinaryIO, cast

import rich.console
from rich.box import SIMPLE_HEAD
from rich.status import Status
from rich.table import Table
from rich.text import Text

from ..base.messages import printable

__all__ = ["Console", "standard_output", "table_of"]


class Console(rich.console.Console):
    """Rich's console for text as it is: without markup, and with what is no letter written out.

    All strings of lines and tables pass through ``render_str``. A break of lines is a line of its
    own, or a ``Text``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string as it is shown."""
        return super().render_str(printable(text), **options)

    def status(self, status: Any, **options: Any) -> Status:
        """Return a line that says what goes on."""
        return super().status(self.render_str(status), **options)


def standard_output() -> BinaryIO:
    """Return where predictions go: to a pipe or a file as they are, to a terminal as all else."""
    if sys.stdout is None:
        raise ValueError("standard output is closed: give --out FILE")
    return cast("BinaryIO", _Shown()) if sys.stdout.isatty() else sys.stdout.buffer


class _Shown(io.RawIOBase):
    """Standard output that is a terminal; whole lines are written to it, as bytes."""

    def write(self, content: Any) -> int:
        lines = bytes(content).decode(errors="replace").split("\n")
        sys.stdout.write("\n".join(map(printable, lines)))
        return len(content)

    def flush(self) -> None:
        if not self.closed:
            sys.stdout.flush()


def table_of(heads: Any, rows: Any, title: str | None = None, caption: str | None = None) -> Table:
    """Return a `PlainTable` as a table; without heads, pairs of a word and what it is."""
    styles: dict[str, Any] = {
        "left": {},
        "right": {"justify": "right"},
        "fold": {"overflow": "fold"},
    }
    table = (
        Table(box=SIMPLE_HEAD)
        if heads
        else Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    )
    table.title, table.title_justify = title, "left"
    table.caption, table.caption_justify = caption, "left"
    for head, style in heads:
        table.add_column(head, **styles[style])
    for row in rows:
        table.add_row(*row)
    return table
