"""Errors for people: one line on stderr, and an exit code a script can rely on.

Bad input of any kind ends with code 2, Ctrl-C with 130. Whatever is left is a fault of ours, and
keeps its traceback.
"""

import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

import typer
from typer.core import TyperGroup

from ..base.printable import printable
from .parameters import spared

__all__ = ["Commands", "prepare_streams"]

BAD_INPUT, INTERRUPTED = 2, 130

# The parent of BadParameter is the error that every wrong command line raises. It has no name
# that all versions of Typer share.
UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])


class Commands(TyperGroup):
    """The group of all commands: whatever one of them raises passes through here."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, turning a wrong command line into one line in place of a framed page."""
        if not kwargs.get("standalone_mode", True):
            return super().main(*args, **kwargs)
        try:
            with _tidy():
                code = super().main(*args, **(kwargs | {"standalone_mode": False}))
        except UsageError as error:
            _complain(_usage_line(error))
            code = BAD_INPUT
        except typer.Exit as ended:
            code = ended.exit_code
        sys.exit(code if isinstance(code, int) else 0)

    def get_params(self, ctx: Any) -> Any:
        """Return the options that come before a command."""
        return spared(super().get_params(ctx), {})

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        with _tidy():
            return super().invoke(ctx)


def prepare_streams() -> None:
    """Let output in any encoding show what it has no letters for, and warnings be one line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.formatwarning = lambda message, *_: f"warning: {_on_one_line(str(message))}\n"


@contextmanager
def _tidy() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        raise
    except (ValueError, TypeError, OSError, MemoryError) as error:
        _complain(_of_full_output() or _words_for(error))
        raise typer.Exit(BAD_INPUT) from None
    except ImportError as error:
        if error.name is not None:
            raise  # a fault of ours; the other kind says what to install
        _complain(_words_for(error))
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _words_for(error: BaseException) -> str:
    """Say what went wrong."""
    if isinstance(error, OSError) and error.strerror is not None:
        text = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        text = f"not enough memory ({error})" if str(error) else "not enough memory"
    else:
        # What is an argument in Python is an option here.
        text = str(error).replace("overwrite=True", "--overwrite") or type(error).__name__
        text = re.sub(r"\b(text|label)= ", r"--\1 ", text)
    return text


def _usage_line(error: Any) -> str:
    text = " ".join(str(error.format_message()).replace("Value error, ", "").split())
    context = getattr(error, "ctx", None)
    return text if context is None else f"{text} (see {context.command_path} --help)"


def _of_full_output() -> str:
    """Return what to say if standard output takes no more."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        _drop(sys.stdout)
        return f"standard output: {error.strerror}"
    return ""


def _drop(stream: TextIO) -> None:
    """Let what waits to be written, and all that follows, go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _complain(line: str) -> None:
    try:
        typer.echo(f"error: {_on_one_line(line)}", err=True)
    except OSError:  # the exit code still tells
        _drop(sys.stderr)


def _on_one_line(text: str) -> str:
    return printable(" ".join(text.splitlines()))
