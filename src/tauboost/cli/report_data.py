"""``tauboost report`` by what the model was fitted on: rows, a table, or texts."""

import json
import time
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..base.threads import resolve_threads
from ..io.model import ModelFile
from ..models import model_of, read_model
from ..reporting.builder import Wishes, build
from ..reporting.door import labelled
from ..reporting.result import Report
from ..reporting.rows import Data, GivenRows, LinearRows, TableRows, TextRows
from ..reporting.subject import Subject, checked_names
from ..tuning.model import Model
from ..tuning.table_model import TableModel
from ..tuning.text_model import TextModel
from ..validation import as_csr
from .data import Data as CliData
from .data import is_table, name_of, naming, only, open_data, used_columns
from .held_out import fraction_of, held_out, split
from .inspect_model import check_model, label_of
from .terminal import Console

if TYPE_CHECKING:
    from ..proofs import HardCore

__all__ = ["Asked", "write_report"]


@dataclass(frozen=True)
class Asked:
    """What a model is to be measured on."""

    paths: list[Path]
    text: str | None
    label: str | None
    kind: str | None  # of files with texts
    names: Path | None
    positive: str | None
    verdict: bool
    test: float | None  # the part of the data that the fit was tested on
    threads: int | None
    zero_based: bool


def write_report(
    path: Path, asked: Asked, out: Path, title: str | None, notes: Path | None, as_json: bool
) -> None:
    """Write the report on the model at a path, and say what it says first."""
    began = time.perf_counter()
    check_model(path)
    words = None if notes is None else _text_of(notes, "--notes")
    saved = read_model(path)
    subject = _subject(saved, path, asked)
    data, core = _data(subject, saved, asked)
    report = build(subject, data, Wishes(title, words, core))
    report.save(out)
    document = {
        "out": str(out),
        "bytes": len(report.html.encode()),
        "verdict": report.verdict,
        "warnings": report.warnings,
        "metrics": report.metrics,
        "seconds": time.perf_counter() - began,
    }
    typer.echo(json.dumps(document, indent=2, allow_nan=False)) if as_json else _show(report, out)


def _show(report: Report, out: Path) -> None:
    console = Console()
    console.print(report.verdict, soft_wrap=True)
    for warning in report.warnings:
        console.print(f"warning: {warning}", soft_wrap=True)
    console.print(f"wrote {out}", soft_wrap=True)


def _text_of(path: Path, option: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{option}: {path} is not UTF-8 text") from None


def _subject(saved: ModelFile, path: Path, asked: Asked) -> Subject:
    model = model_of(saved, path)
    names: NDArray[Any] | None = None
    if isinstance(model, Model):
        names = saved.feature_names
        if asked.names is not None:
            lines = _text_of(asked.names, "--names").splitlines()
            names = checked_names(lines, model.coef.shape[1])
    elif asked.names is not None:
        raise ValueError(f"--names: for models of sparse rows, and {path.name} is not one")
    terms = None
    if isinstance(model, TableModel):
        from ..estimators.terms import make_terms  # noqa: PLC0415

        terms = make_terms(model)
    subject = Subject(saved.kind, model, saved.params, names, path.name, terms)
    return subject if asked.positive is None else subject.with_positive(asked.positive)


def _data(
    subject: Subject, saved: ModelFile, asked: Asked
) -> tuple[Data | None, "HardCore | None"]:
    """Read the data, if there are any, and ask for the verdict on them, if it is wanted."""
    if not asked.paths:
        for option, value in (("--verdict", asked.verdict), ("--test", asked.test)):
            if value:
                raise ValueError(f"{option}: give DATA, which it is about")
        return None, None
    if asked.test is not None:
        fraction_of(str(asked.test))  # which says what is no fraction
    n_threads = resolve_threads(asked.threads)
    if isinstance(subject.model, TextModel):
        rows, y, name = _texts(subject, saved, asked, n_threads)
    else:
        rows, y, name = _others(subject, saved, asked, n_threads)
    name = name if asked.test is None else f"the test part of {name}"
    data = labelled(subject, rows, y, name, first=1)
    return data, _core(subject, rows, y, n_threads) if asked.verdict else None


def _texts(
    subject: Subject, saved: ModelFile, asked: Asked, n_threads: int
) -> tuple[GivenRows, Any, str]:
    from .predict_texts import source_for  # noqa: PLC0415
    from .texts import test_prints  # noqa: PLC0415

    source = source_for(saved, asked.paths, asked.text, asked.label, asked.kind)
    texts, y = source.read(subject.model.classes)
    if asked.test is not None:
        with naming(asked.paths[0]):
            held = held_out(test_prints(texts, _seed(saved)), y, asked.test)
        texts, y = list(compress(texts, held)), y[held]
    return TextRows(subject, texts, n_threads), y, source.name


def _others(
    subject: Subject, saved: ModelFile, asked: Asked, n_threads: int
) -> tuple[GivenRows, Any, str]:
    for option, value in (("--text", asked.text), ("--format", asked.kind)):
        if value is not None:
            raise ValueError(f"{option}: for models of texts, and {subject.name} is not one")
    path, model = only(asked.paths), subject.model
    if isinstance(model, TableModel):
        label = label_of(saved) if asked.label is None else asked.label
        frame, y = _table(saved, model, path, label, asked.test, n_threads)
        return TableRows(subject, frame, n_threads), y, name_of(path)
    if is_table(path):
        raise ValueError(
            f"{name_of(path)} is a table, and the model was fitted on rows of indices and values"
        )
    assert isinstance(model, Model)
    opened: CliData = open_data(path, asked.threads, asked.zero_based, model.coef.shape[1])
    if asked.test is not None:
        with naming(path):
            _, opened = split(opened, asked.test, _seed(saved), asked.threads)
    return LinearRows(subject, as_csr(opened), n_threads), np.array(opened.y), name_of(path)


def _seed(saved: ModelFile) -> int:
    """Return the seed by which a fit chose what to test on."""
    seed = saved.params.get("random_state")
    if type(seed) is not int:
        raise ValueError("--test: the model does not know the seed of its fit")
    return seed


def _table(
    saved: ModelFile,
    model: TableModel,
    path: Path,
    label: str | None,
    test: float | None,
    n_threads: int,
) -> tuple[Any, Any]:
    from .tables import open_as_model, split_table  # noqa: PLC0415

    if not is_table(path):
        raise ValueError(
            f"the model was fitted on a table: {name_of(path)} must be one, as in new.csv"
        )
    if label is None:
        raise ValueError("say by --label which column holds the labels")
    if test is None:
        data = open_as_model(path, model, label)
    else:
        with naming(path):  # the columns of the fit alone, by which rows are equal
            whole = open_as_model(path, model, label, is_bare=True)
            _, data = split_table(whole, test, _seed(saved), n_threads)
    return data.frame, data.y


def _core(subject: Subject, rows: GivenRows, y: Any, n_threads: int) -> "HardCore":
    if not subject.is_binary:
        raise ValueError("--verdict: for two classes, and the model has more")
    from ..problem import Problem  # noqa: PLC0415
    from ..proofs import hard_core  # noqa: PLC0415
    from ..table_problem import TableProblem  # noqa: PLC0415

    if isinstance(rows, TableRows):
        return hard_core(TableProblem(rows.frame, y, n_threads=n_threads), n_threads=n_threads)
    assert isinstance(rows, LinearRows | TextRows)
    problem = Problem(used_columns(rows.arrays), y, fit_intercept=True, n_threads=n_threads)
    return hard_core(problem, n_threads=n_threads)
