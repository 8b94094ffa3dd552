"""Running the command line inside a test, and reading its one line of complaint."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from tauboost.cli.app import app


def run(*arguments: Any, stdin: Any = None, **environment: str) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin, env=environment)


def complaint(result: Any) -> str:
    """Return the one line of a refusal."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("error: ")
    return lines[0].removeprefix("error: ")
