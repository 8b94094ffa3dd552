"""The options of ``tauboost fit``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..parameters import LinearParameters, TableParameters

__all__ = [
    "Alpha",
    "Categorical",
    "CheckpointFolder",
    "Drop",
    "Every",
    "Interactions",
    "L1Ratio",
    "Label",
    "Loss",
    "LossName",
    "MaxBins",
    "MaxIter",
    "Monotone",
    "Out",
    "Plot",
    "Seed",
    "TestData",
    "TimeLimit",
    "Tol",
    "Trace",
    "number_or_auto",
]


class Loss(StrEnum):
    """The losses by name."""

    logistic = "logistic"
    exponential = "exponential"
    auto = "auto"


Out = Annotated[
    Path | None, typer.Option(metavar="MODEL", help="Where to write the model; replaced if there.")
]
Alpha = Annotated[
    str,
    typer.Option(
        metavar="NUMBER", help="Strength of the penalty; auto: chosen on held-out samples."
    ),
]
L1Ratio = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="0 is ridge, 1 is lasso; auto: chosen on held-out samples. If not given: "
        f"{LinearParameters.l1_ratio:g}, and {TableParameters.l1_ratio:g} for tables.",
    ),
]
LossName = Annotated[Loss, typer.Option(help="exponential is AdaBoost; auto is not for tables.")]
MaxIter = Annotated[
    int, typer.Option(metavar="N", help="Maximum number of sweeps over the features.")
]
Tol = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="A fit has converged when its objective is certified to be within this share of the "
        f"optimum ({LinearParameters.tol:g} if not given).",
    ),
]
TestData = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="DATA",
        help="A file or store to measure the model on; or a number below 1: this part of DATA is "
        "held out; equal samples stay together.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Stop after this time, with the best model so far."),
]
Seed = Annotated[
    int, typer.Option(metavar="N", min=0, help="Seed of the few things that need one.")
]
Trace = Annotated[
    Path | None, typer.Option(metavar="CSV", help="Write the objective after each sweep.")
]
Plot = Annotated[
    Path | None, typer.Option(metavar="PNG", help="Draw the objective after each sweep.")
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep the state of the fit there until it is complete. If the fit is killed, the same "
        "command resumes it. Not for texts and tables.",
    ),
]
Every = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS", min=0.0, help="Time between two saved states; 30 if not given."
    ),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="FIELD", help="Texts, tables: the field or column with the labels."),
]
Drop = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="Tables: columns to leave out, as in id,date.")
]
Categorical = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMNS",
        help="Tables: columns of numbers that are names, as in zip,branch; strings always are.",
    ),
]
Monotone = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN=SIGN",
        help="Tables: as in age=1,debt=-1: the score may not fall as age rises, nor rise as debt "
        "does.",
    ),
]
Interactions = Annotated[
    str | None,
    typer.Option(
        metavar="PAIRS",
        help="Tables: how many pairs of columns, or which, as in age:hours,sex:job; where they "
        "help if not given.",
    ),
]
MaxBins = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Tables: the most bins of a column; if not given "
        f"{TableParameters.max_bins}, which is the most.",
    ),
]


def number_or_auto(text: str, option: str) -> float | str:
    """Return the number that an option was given, or auto."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option} must be 'auto' or a number, got {text!r}") from None
