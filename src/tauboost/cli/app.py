"""The command line: one Typer application, one function per command in a file of its own.

A command's file, and all that it needs, is imported when the command is run. Its name and its
summary are written down here, so that ``tauboost --help`` waits for none of them.
"""

import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from inspect import cleandoc
from typing import Annotated, Any, get_type_hints

import typer

from ..base.version import VERSION
from .errors import Commands, prepare_streams
from .interrupts import of_process
from .parameters import Command

__all__ = ["app", "main"]

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


class LateCommands(Commands):
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


def loaded(name: str) -> Any:
    """Import a command."""
    module = import_module(f".{name}", __package__)
    function = getattr(module, name)
    # Typer would keep the line breaks of the docstring, whatever the width of the terminal.
    paragraphs = cleandoc(function.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command, help=text, epilog=module.EXAMPLES)(function)
    command: Any = typer.main.get_command(alone)
    command.types = get_type_hints(function)
    return command


app = typer.Typer(
    name="tauboost",
    cls=LateCommands,
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
