"""The arguments and options of commands, in order of who has them; loading them takes no time."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..parameters import LinearParameters, TableParameters

Loss = StrEnum("Loss", ["logistic", "exponential", "auto"])
Format = StrEnum("Format", ["jsonl", "csv", "tsv", "parquet", "arrow", "fasttext", "lines"])
OnErrors = StrEnum("OnErrors", ["strict", "replace", "skip"])
AnalyzerName = StrEnum("AnalyzerName", ["word", "char_wb", "char"])

# Of several commands.
DataPaths = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA...",
        help="svmlight file, a store, a table (CSV, TSV, Parquet, Arrow), texts (JSON lines, CSV, "
        "TSV, Parquet, Arrow, fastText's lines; several files), or - for standard input. Text may "
        "be compressed (gz, bz2, xz, zst).",
        show_default=False,
    ),
]
ZeroBased = Annotated[
    bool | None,
    typer.Option(
        "--zero-based/--one-based",
        help="What the indices of files count from; found out if not given.",
        show_default=False,
    ),
]
Threads = Annotated[int | None, typer.Option(metavar="N", help="Threads; all cores if not given.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ModelPath = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that fit wrote.", show_default=False)
]
# Not found out from the data: predictions begin before all of a stream has been read.
CountsFrom = Annotated[
    bool, typer.Option("--zero-based/--one-based", help="What the indices of files count from.")
]
Text = Annotated[
    str | None, typer.Option(metavar="FIELD", help="Texts: the field or column that holds them.")
]
FormatName = Annotated[
    Format | None,
    typer.Option("--format", help="Texts: what DATA is; by its name or first bytes if not given."),
]


Errors = Annotated[
    OnErrors | None,
    typer.Option(
        help="Texts: what becomes of a line that is not UTF-8: an error (strict, if not given), "
        "bad bytes replaced, or left out (skip; of plain lines, taken for an empty text)."
    ),
]

# Of inspect and report: which rows contradict each other.
CONTRADICTIONS = "--verdict"

# Of fit.
Out = Annotated[
    Path | None, typer.Option(metavar="MODEL", help="Where to write the model; replaced if there.")
]
Alpha = Annotated[
    str,
    typer.Option(metavar="NUMBER", help="Weight of the penalty; auto: chosen on a validation set."),
]
L1Ratio = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="0 is ridge, 1 is lasso; auto: chosen on a validation set. If not given: "
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
        "kept for testing; duplicates stay together.",
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
Ngrams = Annotated[
    str | None,
    typer.Option(metavar="RANGE", help="Texts: words in a row that are a feature, as in 1-2 or 1."),
]


Analyzer = Annotated[
    AnalyzerName | None,
    typer.Option(
        help="Texts: what --ngrams counts: words, or characters, within words (char_wb) or across."
    ),
]
MinDf = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Texts: leave out features that fewer texts have; below 1, a part of the texts.",
    ),
]
Hash = Annotated[
    int | None,
    typer.Option(
        "--hash",
        metavar="N",
        help="Texts: hash words to N features in place of a vocabulary; a feature is whether a "
        "word is there. Texts are read in parts, so they may be larger than the memory.",
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Texts: the largest file of the model; words that matter least are left out.",
    ),
]
