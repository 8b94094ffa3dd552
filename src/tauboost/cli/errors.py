"""Errors for people: one line on stderr, and an exit code a script can rely on.

Bad input of any kind ends with code 2, Ctrl-C with 130. Whatever is left is a fault of ours, and
keeps its traceback.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import typer
from typer.core import TyperGroup

from .parameters import spared

__all__ = ["Commands", "one_line"]

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
            code = super().main(*args, **(kwargs | {"standalone_mode": False}))
        except UsageError as error:
            _complain(_usage_line(error))
            code = BAD_INPUT
        sys.exit(code if isinstance(code, int) else 0)

    def get_params(self, ctx: Any) -> Any:
        """Return the options that come before a command."""
        return spared(super().get_params(ctx), {})

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        with _tidy():
            return super().invoke(ctx)


@contextmanager
def _tidy() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        raise
    except (ValueError, TypeError, OSError, MemoryError) as error:
        _complain(one_line(error))
        raise typer.Exit(BAD_INPUT) from None
    except ImportError as error:
        if error.name is not None:
            raise  # a fault of ours; the other kind says what to install
        _complain(one_line(error))
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None


def one_line(error: BaseException) -> str:
    """Say in one line what went wrong."""
    if isinstance(error, OSError) and error.strerror is not None:
        text = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        text = f"not enough memory ({error})" if str(error) else "not enough memory"
    else:
        # What is an argument in Python is an option here.
        text = str(error).replace("overwrite=True", "--overwrite") or type(error).__name__
        text = re.sub(r"\b(text|label)= ", r"--\1 ", text)
    return " ".join(text.splitlines())


def _usage_line(error: Any) -> str:
    text = " ".join(str(error.format_message()).split())
    context = getattr(error, "ctx", None)
    return text if context is None else f"{text} (see {context.command_path} --help)"


def _complain(line: str) -> None:
    typer.echo(f"error: {line}", err=True)
