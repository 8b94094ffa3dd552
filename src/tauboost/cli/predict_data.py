"""``tauboost predict`` by what the model was fitted on: rows, a table, or texts."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.threads import resolve_threads
from ..io.model import ModelFile
from ..models import FittedModel, model_of, read_model
from ..tuning.metrics import in_words, metrics
from ..tuning.model import Model
from ..tuning.table_model import TableModel
from ..tuning.text_model import TextModel
from ..validation import as_csr
from .answers import check_lines, output, write_answers
from .data import blocks, is_table, name_of, naming, only
from .inspect_model import check_model, label_of

__all__ = ["Question", "predict_data"]

NUMBERS_AT_ONCE = 2**20  # decision values: one for each row and, of more than two, class


@dataclass(frozen=True)
class Question:
    """What is asked of a model."""

    paths: list[Path]
    text: str | None
    label: str | None
    kind: str | None  # of files with texts
    errors: str | None  # what becomes of lines that are not UTF-8
    what: str
    with_metrics: bool
    threads: int | None
    zero_based: bool


def predict_data(path: Path, question: Question, out: Path | None, as_json: bool) -> None:
    """Predict by the model at a path."""
    began = time.perf_counter()
    n_threads = resolve_threads(question.threads)
    check_model(path)
    saved = read_model(path)
    model = model_of(saved, path)
    if question.what == "predict" and not as_json:
        check_lines(model.classes, "give --json, --proba or --decision, or predict in Python")
    if isinstance(model, TextModel):
        from .predict_texts import explain_texts, source_for, text_parts  # noqa: PLC0415

        names = (question.text, question.label, question.kind, question.errors)
        source = source_for(saved, question.paths, *names)
        if question.what == "explain":
            with output(out, is_quiet=as_json) as file:
                n_samples, found = explain_texts(model, source, file, n_threads)
            if as_json:
                _print(began, out, {"n_samples": n_samples, "kind": "explain"}, explanations=found)
            return
        parts = text_parts(model, source, n_threads, with_labels=question.with_metrics)
    else:
        _refuse_options_of_texts(path, question)
        parts = _parts_of_others(model, saved, question, n_threads)
    n_samples, predictions, scores = _answer(model, question, parts, out, is_quiet=as_json)
    if as_json:
        document = {"n_samples": n_samples, "kind": question.what, "metrics": scores}
        _print(began, out, document, predictions=predictions)
    elif scores is not None:
        typer.echo(in_words(scores), err=True)


def _refuse_options_of_texts(model: Path, question: Question) -> None:
    is_explained = question.what == "explain" or None
    options = {
        "--text": question.text,
        "--format": question.kind,
        "--errors": question.errors,
        "--explain": is_explained,
    }
    for option, value in options.items():
        if value is not None:
            raise ValueError(f"{option}: for models of texts, and {name_of(model)} is not one")


def _parts_of_others(
    model: Model | TableModel, saved: ModelFile, question: Question, n_threads: int
) -> Iterator[tuple[Vector, Any]]:
    """Yield decision values and labels of rows or of a table."""
    path = only(question.paths)
    if isinstance(model, TableModel):
        label = _label(question.label, label_of(saved)) if question.with_metrics else None
        return _table_parts(model, path, label, n_threads)
    return _parts(model, path, question.threads, question.zero_based)


def _answer(
    model: FittedModel,
    question: Question,
    parts: Iterator[tuple[Vector, Any]],
    out: Path | None,
    *,
    is_quiet: bool,
) -> tuple[int, list[Any], dict[str, Any] | None]:
    """Write all predictions; return how many, those that are in no file, and how good they are."""
    n_samples, predictions = 0, list[Any]()
    seen: list[tuple[Any, Any]] = []
    with output(out, is_quiet=is_quiet) as file:
        for decisions, y in parts:
            found = _predictions(model, question.what, decisions)
            n_samples += len(found)
            if file is not None:
                write_answers(found, file)
            else:
                predictions += found.tolist()
            if question.with_metrics:
                seen.append((decisions, y))
        scores = metrics(model, *map(np.concatenate, zip(*seen, strict=True))) if seen else None
    return n_samples, predictions, scores


def _print(began: float, out: Path | None, document: dict[str, Any], **found: list[Any]) -> None:
    """Print one document, with what was found if that is not in a file."""
    document["seconds"] = time.perf_counter() - began
    document |= found if out is None else {"out": str(out)}
    typer.echo(json.dumps(document, indent=None if out is None else 2, allow_nan=False))


def _label(given: str | None, known: str | None) -> str:
    label = known if given is None else given
    if label is None:
        raise ValueError("--metrics: say by --label which column holds the labels")
    return label


def _parts(
    model: Model, data: Path, threads: int | None, zero_based: bool
) -> Iterator[tuple[Vector, NDArray[Any]]]:
    """Yield decision values and labels, a part of the data at a time."""
    if is_table(data):
        raise ValueError(
            f"{name_of(data)} is a table, and the model was fitted on rows of indices and values"
        )
    n_tasks, n_features = model.coef.shape
    step = max(1, NUMBERS_AT_ONCE // n_tasks)
    for block in blocks(data, threads, zero_based, n_features):
        rows, y = as_csr(block), np.array(block.y)
        with rows.reading():
            for begin in range(0, len(y), step):
                end = min(begin + step, len(y))
                some = rows if len(y) <= step else rows.rows(begin, end)
                yield model.decisions(some, resolve_threads(threads)), y[begin:end]


def _table_parts(
    model: TableModel, data: Path, label: str | None, n_threads: int
) -> Iterator[tuple[Vector, NDArray[Any] | None]]:
    """Yield the decision values of a table, and its labels where they are asked for."""
    if not is_table(data):
        raise ValueError(
            f"the model was fitted on a table: {name_of(data)} must be one, as in new.csv"
        )
    from .tables import open_for_model  # noqa: PLC0415

    with naming(data):
        codes, y = open_for_model(data, model, label, n_threads)
    yield model.decisions(codes), y


def _predictions(model: FittedModel, what: str, decisions: Vector) -> NDArray[Any]:
    if what == "predict":
        return model.labels(decisions)
    values = decisions if what == "decision_function" else model.probabilities(decisions)
    return values[:, -1] if len(model.classes) == 2 else values
