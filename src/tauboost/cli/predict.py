"""``tauboost predict``: one prediction a line, for data of any size."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import numpy as np
import typer
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.threads import resolve_threads
from ..io import is_store
from ..io.atomic import new_file
from ..io.model import read_model
from ..tuning.metrics import in_words, metrics
from ..tuning.model import Model
from ..tuning.table_model import TableModel, model_of
from ..validation import as_csr
from .data import AsJson, DataPath, Threads, blocks, is_table, name_of
from .inspect_model import label_of

__all__ = ["EXAMPLES", "predict"]

EXAMPLES = """Examples:

tauboost predict spam.tauboost mails.svm > labels.txt

tauboost predict adult.tauboost new.csv --proba --out probabilities.txt

tauboost predict spam.tauboost test.svm.xz --proba --metrics --out probabilities.txt

zcat mails.svm.gz | tauboost predict spam.tauboost - --decision | sort -g | tail"""

ModelPath = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that fit wrote.", show_default=False)
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where to write; standard output if not given."),
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
# Not found out from the data: predictions begin before all of a stream has been read.
ZeroBased = Annotated[
    bool,
    typer.Option("--zero-based/--one-based", help="What the indices of files count from."),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Tables: the column to compare with, if not that of the fit; needs --metrics.",
    ),
]
LINES_AT_ONCE = 2**16


def predict(
    model: ModelPath,
    data: DataPath,
    out: Out = None,
    proba: Proba = False,
    decision: Decision = False,
    with_metrics: Metrics = False,
    label: Label = None,
    threads: Threads = None,
    zero_based: ZeroBased = False,
    as_json: AsJson = False,
) -> None:
    """Predict the label of every sample, one a line.

    Files are read in parts, so they may be larger than the memory. Indices count from 1 unless
    --zero-based says otherwise. Features that the model does not know are passed over.

    Columns of a table are found by their names; those that the model does not know, and the label,
    are passed over.
    """
    if proba and decision:
        raise ValueError("--proba and --decision: choose one")
    began = time.perf_counter()
    n_threads = resolve_threads(threads)
    if model.is_dir():
        what = "a store" if is_store(model) else "a folder"
        raise ValueError(f"MODEL: {model} is {what}, and a model is a file that fit wrote")
    saved = read_model(model)
    fitted = model_of(saved, model)
    what = "predict_proba" if proba else "decision_function" if decision else "predict"
    seen: list[tuple[Any, Any]] = []
    parts: Iterator[tuple[Vector, Any]]
    if isinstance(fitted, TableModel):
        wanted = _label(label, label_of(saved)) if with_metrics else None
        parts = _table_parts(fitted, data, wanted, n_threads)
    else:
        parts = _parts(fitted, data, threads, zero_based)
    n_samples, predictions = 0, list[Any]()
    with _output(out, is_quiet=as_json) as file:
        for decisions, y in parts:
            found = _predictions(fitted, what, decisions)
            n_samples += len(found)
            if file is not None:
                _write(found, file)
            else:
                predictions += found.tolist()
            if with_metrics:
                seen.append((decisions, y))
        scores = metrics(fitted, *map(np.concatenate, zip(*seen, strict=True))) if seen else None
    if as_json:
        document: dict[str, Any] = {"n_samples": n_samples, "kind": what, "metrics": scores}
        document["seconds"] = time.perf_counter() - began
        document |= {"predictions": predictions} if out is None else {"out": str(out)}
        typer.echo(json.dumps(document, indent=None if out is None else 2, allow_nan=False))
    elif scores is not None:
        typer.echo(in_words(scores), err=True)


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
    for block in blocks(data, threads, zero_based, model.coef.shape[1]):
        yield model.decisions(as_csr(block), resolve_threads(threads)), np.array(block.y)


def _table_parts(
    model: TableModel, data: Path, label: str | None, n_threads: int
) -> Iterator[tuple[Vector, NDArray[Any] | None]]:
    """Yield the decision values of a table, and its labels where they are asked for."""
    if not is_table(data):
        raise ValueError(
            f"the model was fitted on a table: {name_of(data)} must be one, as in new.csv"
        )
    from .tables import open_for_model  # noqa: PLC0415

    codes, y = open_for_model(data, model, label, n_threads)
    yield model.decisions(codes), y


def _predictions(model: Model | TableModel, what: str, decisions: Vector) -> NDArray[Any]:
    if what == "predict":
        return model.labels(decisions)
    values = decisions if what == "decision_function" else model.probabilities(decisions)
    return values[:, -1] if len(model.classes) == 2 else values


@contextmanager
def _output(out: Path | None, is_quiet: bool) -> Iterator[BinaryIO | None]:
    """Give the file to write to; None where the predictions become part of a document."""
    if out is not None:
        with new_file(out, overwrite=True) as file:
            yield file
    elif is_quiet:
        yield None
    else:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


def _write(found: NDArray[Any], file: BinaryIO) -> None:
    for start in range(0, len(found), LINES_AT_ONCE):
        part = found[start : start + LINES_AT_ONCE].tolist()
        rows = part if found.ndim > 1 else [[value] for value in part]
        lines = (" ".join(map(_text, row)) for row in rows)
        file.write(("\n".join(lines) + "\n").encode())


def _text(value: Any) -> str:
    """Write a number so that it can be read back; a whole one without a point."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)
