"""``tauboost predict``: one prediction a line, for data of any size."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options

if TYPE_CHECKING:
    from ..base.arrays import Vector
    from ..models import FittedModel

__all__ = ["EXAMPLES", "predict"]


EXAMPLES = {
    "predict": """Examples:

tauboost predict spam.tauboost mails.svm > labels.txt

tauboost predict reviews.tauboost new.jsonl --proba > probabilities.txt

tail -f chat.log | tauboost predict reviews.tauboost -

tauboost predict adult.tauboost new.csv --proba --out probabilities.txt

tauboost predict spam.tauboost test.svm.xz --proba --metrics --out probabilities.txt

zcat mails.svm.gz | tauboost predict spam.tauboost - --decision | sort -g | tail"""
}

Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where to write; standard output if not given.")
]
Proba = Annotated[
    bool,
    typer.Option(
        "--proba",
        help="Probabilities in place of labels: that of the larger label, or, of more than two "
        "labels, one of each in ascending order.",
    ),
]
Decision = Annotated[
    bool, typer.Option("--decision", help="Decision values in place of labels, in the same way.")
]
Metrics = Annotated[
    bool,
    typer.Option("--metrics", help="Compare with the labels in DATA: AUC, accuracy, log-loss."),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD",
        help="Texts, tables: what to compare with, if not that of the fit; needs --metrics.",
    ),
]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Texts: what each word adds to the decision value, per text."),
]
KINDS = {"--proba": "predict_proba", "--decision": "decision_function", "--explain": "explain"}


def predict(
    model: options.ModelPath,
    data: options.DataPaths,
    *,
    out: Out = None,
    proba: Proba = False,
    decision: Decision = False,
    with_metrics: Metrics = False,
    explain: Explain = False,
    text: options.Text = None,
    label: Label = None,
    kind: options.FormatName = None,
    errors: options.Errors = None,
    threads: options.Threads = None,
    zero_based: options.CountsFrom = False,
    as_json: options.AsJson = False,
) -> None:
    """Predict the label of every sample, one a line.

    Files are read in parts, so they may be larger than the memory. Indices count from 1 unless
    --zero-based says otherwise. Features that the model does not know are passed over.

    Columns of a table are found by their names; those that the model does not know, and the label,
    are passed over.

    Texts are looked for where the fit found them, unless --text says otherwise. A file without
    names is a text a line. So is standard input, unless its first line is a JSON object with
    the field of the fit: then it is JSON lines. Every line is answered at once.
    """
    wanted = {"--proba": proba, "--decision": decision, "--explain": explain}
    chosen = [option for option, is_given in wanted.items() if is_given]
    if len(chosen) > 1:
        raise ValueError(f"{' and '.join(chosen)}: choose one")
    what = KINDS[chosen[0]] if chosen else "predict"
    from ..base.threads import resolve_threads
    from ..kinds import Source, open_model
    from ..kinds.hold_out import check_labels_in_lines
    from .outputs import check_outputs, output

    check_outputs([("--out", out)], [model, *data])
    began = time.perf_counter()
    source = Source(tuple(data), text, label, kind, errors, zero_based, threads)
    resolve_threads(threads)  # a wrong number shall not wait for the model
    saved, fitted, adapter = open_model(model)
    if what == "predict" and not as_json:
        advice = "give --json, --proba or --decision, or predict in Python"
        check_labels_in_lines(fitted.classes, advice)
    for_texts = {"--text": text, "--format": kind, "--errors": errors, "--explain": explain or None}
    adapter.refuse_options_of_texts(for_texts, model.name)
    with output(out, is_quiet=as_json) as file:
        document: dict[str, Any]
        if explain:
            from ..kinds.text import explain_texts

            n_samples, found = explain_texts(saved, fitted, source, file)
            document, name = {"n_samples": n_samples, "kind": what}, "explanations"
        else:
            parts = adapter.answers(saved, fitted, source, with_labels=with_metrics)
            n_samples, found, scores = _answer(fitted, what, parts, file, with_metrics)
            document = {"n_samples": n_samples, "kind": what, "metrics": scores}
            name = "predictions"
    if as_json:
        document["seconds"] = time.perf_counter() - began
        document |= {name: found} if out is None else {"out": str(out)}
        typer.echo(json.dumps(document, indent=None if out is None else 2, allow_nan=False))
    elif document.get("metrics") is not None:
        from ..search.diagnosis import in_words

        typer.echo(in_words(document["metrics"]), err=True)


def _answer(
    model: FittedModel,
    what: str,
    parts: Iterator[tuple[Vector, Any]],
    file: Any,
    with_metrics: bool,
) -> tuple[int, list[Any], dict[str, Any] | None]:
    """Write all predictions; return how many, those that are in no file, and how good they are."""
    import numpy as np

    from ..search.diagnosis import metrics
    from .outputs import write_answers

    n_samples, predictions = 0, list[Any]()
    seen: list[tuple[Any, Any]] = []
    for decisions, y in parts:
        found = _predictions(model, what, decisions)
        n_samples += len(found)
        if file is not None:
            write_answers(found, file)
        else:
            predictions += found.tolist()
        if with_metrics:
            seen.append((decisions, y))
    scores = metrics(model, *map(np.concatenate, zip(*seen, strict=True))) if seen else None
    return n_samples, predictions, scores


def _predictions(model: FittedModel, what: str, decisions: Vector) -> Any:
    if what == "predict":
        return model.labels(decisions)
    values = decisions if what == "decision_function" else model.probabilities(decisions)
    return values[:, -1] if len(model.classes) == 2 else values
