"""``tauboost report``: a model, and how good it is on some data, as one page."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options

if TYPE_CHECKING:
    from ..certificates.hard_core import HardCore
    from ..kinds import Source
    from ..kinds.rows import NamedModel
    from ..reporting.quality import ReportData

__all__ = ["EXAMPLES", "report"]


EXAMPLES = {
    "report": """Examples:

tauboost report spam.tauboost test.svm --out report.html

tauboost report adult.tauboost adult.csv --test 0.2

tauboost report adult.tauboost test.csv --notes intended-use.txt --out adult.html

tauboost report reviews.tauboost test.jsonl.xz --title "Film reviews" --positive neg

tauboost report spam.tauboost --out model-alone.html"""
}

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
        help="Use only the rows of DATA that fit --test FRACTION kept from the model.",
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
Contradictions = Annotated[
    bool,
    typer.Option(
        options.CONTRADICTIONS,
        help="Of two classes: which rows of DATA contradict each other, with the proof; may take "
        "long.",
    ),
]


def report(
    model: options.ModelPath,
    data: DataPaths = None,
    *,
    out: Out = Path("report.html"),
    title: Title = None,
    notes: Notes = None,
    names: Names = None,
    positive: Positive = None,
    contradictions: Contradictions = False,
    test: TestPart = None,
    text: options.Text = None,
    label: Label = None,
    kind: options.FormatName = None,
    threads: options.Threads = None,
    zero_based: options.CountsFrom = False,
    as_json: options.AsJson = False,
) -> None:
    """Write a report on a model: one HTML page to send, to read offline, to print.

    It begins with a summary, and shows how good the model is on DATA, its terms, single rows
    with their explanations, what it was fitted on and how, what is proved, and a model card. The
    same model and data give the same bytes.
    """
    from ..kinds import Source, open_model
    from ..kinds.rows import NamedModel
    from ..reporting.page import build, checked_names
    from .outputs import check_outputs
    from .terminal import Console

    check_outputs([("--out", out)], [model, *(data or []), notes, names])
    began = time.perf_counter()
    words = None if notes is None else _text_of(notes, "--notes")
    saved, fitted, adapter = open_model(model)
    if names is not None and not adapter.has_names:
        raise ValueError(f"--names: for models of sparse rows, and {model.name} is not one")
    own = saved.feature_names if adapter.has_names else None
    lines = None if names is None else _text_of(names, "--names").splitlines()
    columns = own if lines is None else checked_names(lines, adapter.n_columns(fitted))
    terms = adapter.terms(fitted)
    named = NamedModel(saved.kind, adapter, fitted, saved.params, columns, model.name, terms)
    named = named if positive is None else named.with_positive(positive)
    if not data:
        for option, value in ((options.CONTRADICTIONS, contradictions), ("--test", test)):
            if value:
                raise ValueError(f"{option}: give DATA, which it is about")
    rows, core = None, None
    if data:
        source = Source(tuple(data), text, label, kind, None, zero_based, threads)
        rows, core = _data(saved, named, source, test, contradictions)
    page = build(named, rows, title, words, core)
    page.save(out)
    document = {
        "out": str(out),
        "bytes": len(page.html.encode()),
        "verdict": page.verdict,
        "warnings": page.warnings,
        "metrics": page.metrics,
        "seconds": time.perf_counter() - began,
    }
    if as_json:
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
        return
    warned = [f"warning: {text}" for text in page.warnings]
    for line in (page.verdict, *warned, f"wrote {out}"):
        Console().print(line, soft_wrap=True)


def _text_of(path: Path, option: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{option}: {path} is not UTF-8 text") from None


def _data(
    saved: Any, named: NamedModel, source: Source, test: float | None, contradictions: bool
) -> tuple[ReportData, HardCore | None]:
    """Read the rows to measure the model on, and find which contradict each other, if asked."""
    from ..kinds.hold_out import fraction_of
    from ..kinds.kind import Data
    from ..reporting.page import labelled

    kind, name = named.kind, source.name
    if test is not None:
        fraction_of(str(test))  # which refuses what is no fraction
    kind.refuse_options_of_texts({"--text": source.text, "--format": source.format}, named.name)
    data = kind.read_for(saved, named.model, source, is_part=test is not None)
    if test is not None:
        data, name = kind.part(saved, data, test, source), f"the test part of {name}"
    rows = kind.rows(named, data.X, source.n_threads)
    found = labelled(named, rows, data.y, name, first=1)
    if not contradictions:
        return found, None
    if not named.is_binary:
        raise ValueError(f"{options.CONTRADICTIONS}: for two classes, and the model has more")
    from ..certificates.hard_core import hard_core

    problem = kind.problem(Data(rows.X, data.y), source.n_threads)
    return found, hard_core(problem, n_threads=source.n_threads)
