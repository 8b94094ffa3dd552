"""The command line: one Typer application, one function per command in a file of its own."""

from collections.abc import Callable
from importlib.metadata import version
from inspect import cleandoc
from typing import Annotated

import typer

from . import compare, convert, fit, generate, inspect, predict
from .errors import Commands

__all__ = ["app", "main"]

app = typer.Typer(
    name="tauboost",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Example: tauboost fit data.svm --test 0.2 --out data.tauboost",
)


def _add(name: str, function: Callable[..., None], examples: str) -> None:
    # Typer would keep the line breaks of the docstring, whatever the width of the terminal.
    paragraphs = cleandoc(function.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    app.command(name, help=text, epilog=examples)(function)


_add("fit", fit.fit, fit.EXAMPLES)
_add("predict", predict.predict, predict.EXAMPLES)
_add("compare", compare.compare, compare.EXAMPLES)
_add("convert", convert.convert, convert.EXAMPLES)
_add("generate", generate.generate, generate.EXAMPLES)
_add("inspect", inspect.inspect, inspect.EXAMPLES)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tauboost {version('tauboost')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def tauboost(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """AdaBoost as one convex problem over a huge sparse matrix, solved in parallel."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line."""
    app(prog_name="tauboost")
