"""What people see: tables and lines on a terminal, the course of a fit, predictions on stdout.

Names, labels and texts come from files of strangers. Whatever is printed passes through
``printable``, here or in ``app.py``, so that none of them can steer a terminal or forge a line.
"""

import io
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

import rich.console
from rich.box import SIMPLE_HEAD
from rich.status import Status
from rich.table import Table
from rich.text import Text

from ..base.fit_warning import FitWarning
from ..base.printable import printable
from ..kinds.kind import Kind, fact_rows
from ..search.watch import Event, Report, describe
from ..tuning.metrics import in_words

__all__ = ["Console", "Stages", "show_fit", "standard_output", "table_of"]


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


@dataclass
class Stages:
    """Seconds of each stage, the events of the fit, and what it warns of."""

    is_quiet: bool
    seconds: dict[str, float] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    is_announced: bool = False

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Time a stage."""
        began = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - began

    @contextmanager
    def fitting(self, name: str, *, reads: bool = False) -> Iterator[Report]:
        """Give what a fit reports to; a terminal shows where it is.

        A fit that ``reads`` shows that itself, until it reports for the first time.
        """
        console = Console(stderr=True)
        began = time.perf_counter()
        status = console.status(f"building {name}") if console.is_terminal else None

        def report(event: Event) -> bool:
            self.events.append(event)
            if event.phase == "build":
                self.seconds["building"] = time.perf_counter() - began
            if status is not None:
                status.update(describe(event))
                status.start()
            return False

        if status is not None and not reads:
            status.start()
        try:
            with self._listening():
                yield report
        finally:
            if status is not None:
                status.stop()
        self.seconds["solving"] = time.perf_counter() - began - self.seconds["building"]

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Keep what a fit warns of; other warnings go their way."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FitWarning)
            yield
        for warning in caught:
            if issubclass(warning.category, FitWarning):
                self.warnings.append(str(warning.message))
            else:
                warnings.warn_explicit(
                    warning.message, warning.category, warning.filename, warning.lineno
                )

    def announce(self, name: str, facts: Sequence[tuple[str, str]]) -> None:
        """Show what is known of the data before the fit."""
        if self.is_quiet:
            return
        Console().print(name)
        if facts:
            Console().print(table_of((), facts))
        self.is_announced = True


def show_fit(kind: Kind, document: dict[str, Any], stages: Stages) -> None:
    """Print for people what all fits have, with the size of the data and what was found."""
    if not stages.is_announced:
        stages.announce(document["name"], ())
    data, found = kind.summary(document)
    rows = [("data", data), ("ended", document["message"]), *fact_rows(document), *found]
    if document["test"] is not None:
        rows.append(("test", in_words(document["test"])))
    spent = (f"{stage} {seconds:.2f}" for stage, seconds in document["seconds"].items())
    console = Console()
    console.print(table_of((), [*rows, ("seconds", ", ".join(spent))]))
    for warning in document["warnings"]:
        console.print(f"warning: {warning}", soft_wrap=True)
    if document.get("resumed"):
        console.print("resumed from the checkpoint", soft_wrap=True)
    for name, path in document["files"].items():
        console.print(f"{'kept' if name == 'checkpoint' else 'wrote'} {path}", soft_wrap=True)
    if "model" not in document["files"]:
        console.print("no model was written: give --out MODEL to keep it", soft_wrap=True)
