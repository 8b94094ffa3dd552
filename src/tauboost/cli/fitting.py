"""A run of ``tauboost fit``: what it shows of its stages, and the files that it writes."""

from __future__ import annotations

import csv
import io
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ..base.messages import FitWarning
from ..io.atomic import new_file
from ..io.checkpoint import FILE_NAME
from ..io.model_file import ModelFile
from ..kinds.kind import Kind, fact_rows
from ..models import write_model
from ..plots.plots import plot_fit, require_matplotlib
from ..search.diagnosis import in_words
from ..search.search import Event, Report, describe
from .outputs import check_outputs
from .terminal import Console, table_of

__all__ = ["Outputs", "Stages", "show_fit"]


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


@dataclass(frozen=True)
class Outputs:
    """The files that a fit writes."""

    model: Path | None
    trace: Path | None
    plot: Path | None
    failures: list[str] = field(default_factory=list, init=False)

    def check(self, inputs: Iterable[Path | None], checkpoint: Path | None) -> None:
        """Fail now: after an hour of work is too late to find that a file cannot be written."""
        files = [("--out", self.model), ("--trace", self.trace), ("--plot", self.plot)]
        state = [] if checkpoint is None else [("--checkpoint", checkpoint / FILE_NAME)]
        check_outputs(files, inputs, state)
        if self.plot is not None:
            require_matplotlib()

    def write(self, model: ModelFile, events: list[Event], name: str) -> dict[str, str]:
        """Write them, the model first, as it is worth the most; return what was written."""
        files = {}
        if self.model is not None:
            write_model(model, self.model)
            files["model"] = str(self.model)
        pictures: tuple[tuple[str, Path | None, Callable[[BinaryIO], object]], ...] = (
            ("trace", self.trace, lambda file: file.write(_csv(events).encode())),
            ("plot", self.plot, lambda file: plot_fit(events, name, file)),
        )
        for kind, path, write in pictures:
            if path is None:
                continue
            try:
                with new_file(path, overwrite=True) as file:
                    write(file)
                files[kind] = str(path)
            except OSError as error:
                self.failures.append(f"--{kind}: {path}: {error.strerror or error}")
        return files

    def complain(self) -> None:
        """Say which files could not be written, when all else is done."""
        if self.failures:
            model = "" if self.model is None else f"; the model is in {self.model}"
            raise OSError(f"{'; '.join(self.failures)}{model}")


def _csv(events: list[Event]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(asdict(events[0])), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(event) for event in events if event.phase != "build")
    return text.getvalue()
