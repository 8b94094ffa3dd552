"""A run of ``tauboost fit``: its stages with their times, what it shows, the files it writes.

What the fit warns of is kept, to be said in the end, once.
"""

import csv
import io
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..base.fit_warning import FitWarning
from ..io.atomic import new_file
from ..io.model import AnyData, write_model
from ..plots.fit import plot_fit, require_matplotlib
from ..tuning.events import describe
from ..tuning.options import Event, Report
from .terminal import Console

__all__ = ["Outputs", "Stages"]


@dataclass
class Stages:
    """Seconds of each stage, and the events of the fit."""

    seconds: dict[str, float] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

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


@dataclass(frozen=True)
class Outputs:
    """The files asked for."""

    model: Path | None
    trace: Path | None
    plot: Path | None

    def check(self) -> None:
        """Fail now: after an hour of work is too late to find that a file cannot be written."""
        for option, path in (("--out", self.model), ("--trace", self.trace), ("--plot", self.plot)):
            if path is None:
                continue
            if path.is_dir():
                raise ValueError(f"{option}: {path} is a folder")
            if not path.resolve().parent.is_dir():
                raise ValueError(f"{option}: there is no folder {path.parent}")
        if self.plot is not None:
            require_matplotlib()

    def write(self, model: AnyData, events: list[Event], name: str) -> dict[str, str]:
        """Write them, the model last; return what was written."""
        if self.trace is not None:
            with new_file(self.trace, overwrite=True) as file:
                file.write(_csv(events).encode())
        if self.plot is not None:
            with new_file(self.plot, overwrite=True) as file:
                plot_fit(events, name, file)
        if self.model is not None:
            write_model(model, self.model)
        return {kind: str(path) for kind, path in vars(self).items() if path is not None}


def _csv(events: list[Event]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(asdict(events[0])), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(event) for event in events if event.phase != "build")
    return text.getvalue()
