"""``tauboost fit`` by what the data are: texts, a table, or rows of indices and values."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..base.printable import printable
from ..base.threads import resolve_threads
from .data import is_table, name_of, only
from .fit_stages import Outputs
from .held_out import fraction_of
from .texts import TextSource, are_texts

__all__ = ["Task", "fit_data"]


@dataclass(frozen=True)
class Task:
    """What to learn from: files, what in them, and what to test on."""

    paths: list[Path]
    text: str | None
    label: str | None
    kind: str | None  # of files with texts
    test: str | None

    @property
    def inputs(self) -> list[Path]:
        """All that is read."""
        is_file = self.test is not None and fraction_of(self.test) is None
        return [*self.paths, Path(str(self.test))] if is_file else self.paths

    def report_command(self, model: Path | None) -> str | None:
        """Return the command for a report on the part that was held out, if there is one."""
        is_part = self.test is not None and fraction_of(self.test) is not None
        if model is None or not is_part or not all(path.exists() for path in self.paths):
            return None
        words = ["tauboost", "report", model, *self.paths, "--test", self.test]
        words += [] if self.kind is None else ["--format", self.kind]
        return shlex.join(map(str, words))


def fit_data(
    task: Task,
    given: dict[str, Any],
    wishes: dict[str, dict[str, Any]],
    files: tuple[Path | None, Path | None, Path | None],
    as_json: bool,
) -> None:
    """Fit, given the parameters and the options that are for one kind of data only."""
    outputs = Outputs(*files)
    # A wrong option shall not wait for the data.
    outputs.check(task.inputs, wishes["rows"]["--checkpoint"])
    resolve_threads(None if given["n_jobs"] == -1 else given["n_jobs"])
    _fit_data(task, given, wishes, outputs, as_json)
    command = None if as_json else task.report_command(outputs.model)
    if command is not None:
        typer.echo(f"a report on the test part alone: {printable(command)}")
    outputs.complain()


def _fit_data(
    task: Task,
    given: dict[str, Any],
    wishes: dict[str, dict[str, Any]],
    outputs: Outputs,
    as_json: bool,
) -> None:
    if are_texts(task.paths, task.text, task.kind):
        _refuse(wishes["tables"] | wishes["rows"], task.paths[0], "holds texts")
        from .fit_texts import fit_text_files  # noqa: PLC0415

        errors = wishes["texts"]["--errors"]
        names = (task.text, task.label, task.kind)
        source = TextSource(tuple(task.paths), *names, errors=errors)
        fit_text_files(source, wishes["texts"], given, task.test, outputs, as_json=as_json)
        return
    path, of_tables = only(task.paths), {"--label": task.label} | wishes["tables"]
    if is_table(path):
        _refuse(wishes["texts"] | wishes["rows"], path, "is a table")
        from .fit_table import fit_table  # noqa: PLC0415

        fit_table(path, of_tables, given, task.test, outputs, as_json=as_json)
        return
    _refuse(wishes["texts"], path, "holds no texts")
    _refuse(of_tables, path, "is no table")
    from .fit_rows import fit_rows  # noqa: PLC0415

    fit_rows(path, wishes["rows"], given, task.test, outputs, as_json=as_json)


def _refuse(options: dict[str, Any], path: Path, what: str) -> None:
    """Refuse options that are for other kinds of data."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(f"{option}: {name_of(path)} {what}, and has no use for it")
