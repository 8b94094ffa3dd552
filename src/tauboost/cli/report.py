"""``tauboost report``: a model, and how good it is on some data, as one page."""

from pathlib import Path
from typing import Annotated

import typer

from .arguments import AsJson, Threads
from .predict import ModelPath, ZeroBased
from .text_options import FormatName, Text

__all__ = ["EXAMPLES", "report"]

EXAMPLES = """Examples:

tauboost report spam.tauboost test.svm --out report.html

tauboost report adult.tauboost adult.csv --test 0.2

tauboost report adult.tauboost test.csv --notes intended-use.txt --out adult.html

tauboost report reviews.tauboost test.jsonl.xz --title "Film reviews" --positive neg

tauboost report spam.tauboost --out model-alone.html"""

DataPaths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[DATA]...",
        help="What to measure the model on, with labels: as for predict. Better other data than "
        "those of the fit. Without DATA, the page says what the model is.",
        show_default=False,
    ),
]
Out = Annotated[Path, typer.Option(metavar="FILE", help="Where to write; replaced if there.")]
Title = Annotated[str | None, typer.Option(metavar="TEXT", help="The title of the page.")]
Notes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="A text on intended use, for the model card; empty lines part it."
    ),
]
Names = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Names of the columns of a sparse model, one a line."),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD", help="Texts, tables: what holds the labels, if not that of the fit."
    ),
]
TestPart = Annotated[
    float | None,
    typer.Option(
        "--test",
        metavar="FRACTION",
        help="Look only at the rows of DATA that fit --test FRACTION kept from the model.",
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL",
        help="Of two classes, the one that AUC, curves and thresholds are about; default: the "
        "second.",
        show_default=False,
    ),
]
Verdict = Annotated[
    bool,
    typer.Option(
        "--verdict",
        help="Of two classes: which rows of DATA contradict each other, with the proof; may take "
        "long.",
    ),
]


def report(
    model: ModelPath,
    data: DataPaths = None,
    *,
    out: Out = Path("report.html"),
    title: Title = None,
    notes: Notes = None,
    names: Names = None,
    positive: Positive = None,
    verdict: Verdict = False,
    test: TestPart = None,
    text: Text = None,
    label: Label = None,
    kind: FormatName = None,
    threads: Threads = None,
    zero_based: ZeroBased = False,
    as_json: AsJson = False,
) -> None:
    """Write a report on a model: one HTML page to send, to read offline, to print.

    It begins with a verdict, and shows how good the model is on DATA, what it says, single rows
    with their explanations, what it was fitted on and how, what is proved, and a model card. The
    same model and data give the same bytes.
    """
    from .outputs import check_outputs  # noqa: PLC0415
    from .report_data import Asked, write_report  # noqa: PLC0415

    check_outputs([("--out", out)], [model, *(data or []), notes, names])

    asked = Asked(
        data or [], text, label, kind, names, positive, verdict, test, threads, zero_based
    )
    write_report(model, asked, out, title, notes, as_json)
