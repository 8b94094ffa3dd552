"""The command line: one Typer application, one function per command, each in a separate file.

A command's file, and all that it needs, is imported when the command is run. Its name and its
summary are written down here, so that ``tauboost --help`` waits for none of them. Whatever a
command raises becomes one line on stderr, and an exit code a script can rely on: bad input of any
kind ends with 2, Ctrl-C with 130. Whatever is left is a fault of ours, and keeps its traceback.
"""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from importlib import import_module
from importlib.abc import MetaPathFinder
from inspect import cleandoc
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, TextIO, cast, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from ..base.messages import printable
from ..base.version import VERSION
from .interrupts import of_process, unwinding

__all__ = ["Command", "app", "main"]


BAD_INPUT, INTERRUPTED = 2, 130

# The parent of BadParameter is the error that every wrong command line raises. It has no name
# that all versions of Typer share.
UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])

# The first sentence of each command's docstring.
SUMMARIES = {
    "fit": "Fit a classifier to a data set, and write it to a model file.",
    "predict": "Predict the label of every sample, one a line.",
    "report": "Write a report on a model: one HTML page to send, to read offline, to print.",
    "compare": "Compare the methods on one data set, as in the paper's Figures 1 and 2.",
    "convert": "Convert data files to a store, which opens in milliseconds.",
    "generate": "Generate a data set like one of the paper's, as a store or as svmlight text.",
    "inspect": "Show the shape, the constants and the expected speed-up of a data set.",
    "demo": "Take a tour: texts, a table and sparse data, with reports and a comparison.",
}
MODULES = {"generate": "convert"}  # of commands that are not in a module of their own


class Command(TyperCommand):
    """One command, which may be told the types of its parameters."""

    types: Mapping[str, Any] = {}

    def get_params(self, ctx: Any) -> Any:
        """Return its arguments and options."""
        return spared(super().get_params(ctx), self.types)

    def invoke(self, ctx: Any) -> Any:
        """Run it."""
        with unwinding():
            return super().invoke(ctx)


def spared(params: list[Any], types: Mapping[str, Any]) -> list[Any]:
    """Spare parameters a conversion to what they are; of unknown types, where they are absent.

    To convert a value, Typer loads Pydantic, which takes nearly as long as NumPy. Most values need
    no conversion: what was not given, defaults, paths, text and names out of a list. All others are
    left to Typer, with its checks and messages.
    """
    for param in params:
        if "process_value" not in vars(param):
            param.process_value = _processing(param, types.get(param.name))
    return params


def _processing(param: Any, hint: Any) -> Any:
    convert = param.process_value
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not NoneType]
    takes_many = param.nargs == -1 or getattr(param, "multiple", False)

    def process(ctx: Any, value: Any) -> Any:
        if value is None and not param.required:
            return () if takes_many else None
        if ctx.resilient_parsing and not value:
            return value  # a line that is being completed: nothing is there yet
        if len(kinds) == 1 and isinstance(kinds[0], type):
            is_many = isinstance(value, list | tuple)
            found = [_plain(kinds[0], item) for item in (value if is_many else [value])]
            if found and None not in found:
                return found if is_many else found[0]
        return convert(ctx, value)

    return process


def _plain(kind: type, value: Any) -> Any:
    """Return a value of this kind; None where that takes more than to see it as one."""
    if isinstance(value, kind):
        return value
    if kind is Path and isinstance(value, str):
        return Path(value)
    if issubclass(kind, Enum) and value in [member.value for member in kind]:
        return kind(value)
    return None


class Commands(TyperGroup):
    """The commands by name and summary; the one that is run is loaded first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, summary in SUMMARIES.items():
            self.add_command(Command(name, short_help=summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, the first of the arguments."""
        if args[0] in SUMMARIES:
            self.add_command(loaded(args[0]))
        return super().resolve_command(ctx, args)

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


def loaded(name: str) -> Any:
    """Import a command."""
    module = import_module(f".{MODULES.get(name, name)}", __package__)
    function = getattr(module, name)
    # Typer would keep the line breaks of the docstring, whatever the width of the terminal.
    paragraphs = cleandoc(function.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command, help=text, epilog=module.EXAMPLES[name])(function)
    command: Any = typer.main.get_command(alone)
    command.types = get_type_hints(function)
    return command


app = typer.Typer(
    name="tauboost",
    cls=Commands,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: Rich's takes as long to load as all the rest
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Example: tauboost fit data.svm --test 0.2 --out data.tauboost",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tauboost {VERSION}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    help="Parallel AdaBoost as one convex problem with certified gaps; classifiers that tune "
    "themselves.",
)
def tauboost(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Show the help where there is no command."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


class WithoutPandas(MetaPathFinder):
    """Arrow loads pandas where it is installed, for half a second, and no command needs it.

    None in ``sys.modules`` would hide it as well, but scikit-learn takes what it finds there.
    """

    def find_spec(self, fullname: str, *_: Any) -> None:
        """Say of pandas that it is not there, and leave all else to others."""
        if fullname == "pandas":
            raise ModuleNotFoundError("the command line does without pandas", name=fullname)


def main() -> None:
    """Run the command line."""
    sys.meta_path.insert(0, WithoutPandas())
    prepare_streams()
    with of_process():
        app(prog_name="tauboost")


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
    except OSError:  # the exit code still shows it
        _drop(sys.stderr)


def _on_one_line(text: str) -> str:
    return printable(" ".join(text.splitlines()))
