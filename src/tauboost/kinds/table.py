"""Tables with a column of labels: an additive model, a step function for each column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..base.messages import listed, shown, shown_label, unknown
from ..io.tables import read_table
from ..io.text_lines import labels_like
from ..tables.binning import bin_column, bin_table, encode
from ..validation.frames import Frame, take_frame
from ..validation.values import Words
from .hold_out import check_labels_in_lines
from .kind import Data, Fitted, Kind, PlainTable, Watch, facts_of, label_of
from .rows import MOST_PARTS, GivenRows, NamedModel, RowExplanation
from .source import Source, is_table, name_of, naming

if TYPE_CHECKING:
    from ..io.model_file import ModelFile
    from ..tables.model import TableModel

__all__ = ["KIND", "open_table", "open_training_table", "terms_used"]


MOST_IN_A_LINE = 5  # terms
MOST_TERMS = 20
MOST_CLASSES = 10
WIDEST = 24  # letters of a category
SIGNS = {"1": 1, "+1": 1, "-1": -1}


class TableRows(GivenRows):
    """Rows of a table."""

    def __init__(self, model: TableModel, frame: Frame, n_threads: int) -> None:
        from ..search.duplicates import code_fingerprints

        self.model, self.codes = model, encode(model.columns, frame, n_threads)
        self.decisions = model.decisions(self.codes)
        self.prints = code_fingerprints(self.codes, 0)
        self.where = frame.places([column.name for column in model.columns])
        self.X = frame.with_categories(self.where[k] for k in model.category_columns)

    def explain(self, row: int, code: int) -> RowExplanation:
        task, sign = self._task(code)
        model = self.model
        added = sign * model.contributions(self.codes[:, [row]])[0, :, task]
        values = ["" for _ in model.terms]
        for k in np.argsort(-np.abs(added), kind="stable")[:MOST_PARTS].tolist():
            values[k] = ", ".join(self._value(column, row) for column in model.terms[k].columns)
        names = [model.term_name(term) for term in model.terms]
        return self._explanation(names, values, added, sign * float(model.intercept[task]))

    def _value(self, column: int, row: int) -> str:
        from ..explanation import as_text

        return as_text(self.X.column(self.where[column], np.array([row])))


class TableKind(Kind):
    """The adapter of tables."""

    name = "table"
    holds = "is a table"
    can_plan = False

    def fit(
        self,
        source: Source,
        test: str | None,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        watch: Watch,
    ) -> Fitted:
        """Fit an additive model."""
        from ..parameters import TableParameters
        from ..tables.fitting import fit_table

        categorical = _names(options["categorical"])
        parameters = TableParameters(**given, **_parameters(options, categorical))
        with naming(source.path), watch.timed("reading"):
            train = open_training_table(
                source.path, source.label, _names(options["drop"]), categorical
            )
            kinds = _kinds(train.X, categorical)
            by_kind = {
                kind: [name for name, found in kinds.items() if found == kind]
                for kind in ("numbers", "categories")
            }
            facts = [(f"{kind:17}", ", ".join(names)) for kind, names in by_kind.items() if names]
            categories = by_kind["categories"]
            train, tested = self.split_off(train, test, source, parameters.random_state, categories)
        check_labels_in_lines(train.y)
        watch.announce(source.name, facts)
        with naming(source.path), watch.fitting(source.name) as report:
            model = fit_table(
                train.X, train.y, parameters, n_threads=source.n_threads, report=report
            )
        document = {
            "name": source.name,
            "n_samples": train.X.n_rows,
            "n_columns": train.X.n_columns,
            "label": source.label,
            "columns": kinds,
            **facts_of(model),
            "terms": _term_facts(model),
            "message": model.message,
            "seconds": watch.seconds,
            "warnings": watch.warnings,
            "test": self.scores(model, tested, source.n_threads),
        }
        saved = model.to_arrays(vars(parameters))
        saved.fitted["label"] = source.label  # which `predict --metrics` asks for
        return Fitted(document, saved)

    def summary(self, document: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
        data = (
            f"{document['n_samples']:,} rows, {document['n_columns']:,} columns, "
            f"{len(document['classes'])} classes"
        )
        return data, terms_used(document["terms"])

    def prints(self, X: Frame, seed: int, n_threads: int) -> NDArray[np.uint64]:
        from ..search.duplicates import code_fingerprints

        return code_fingerprints(bin_table(X, n_threads=n_threads)[1], seed)

    def select(self, X: Frame, is_chosen: Mask) -> Frame:
        return X.select(np.flatnonzero(is_chosen))

    def decisions(self, model: TableModel, X: Frame, n_threads: int) -> Vector:
        return model.decisions(encode(model.columns, X, n_threads))

    def read(self, source: Source) -> Data:
        return open_training_table(source.path, source.label)

    def read_test(self, source: Source, train: Data, as_text: Sequence[str]) -> Data:
        if not is_table(source.path):
            raise ValueError(
                f"--test: {source.path} must be a table, as in new.csv, or a number below 1"
            )
        return _with_labels_like(np.unique(train.y), source.path, source.label, list(as_text))

    def read_for(
        self, saved: ModelFile, model: TableModel, source: Source, *, is_part: bool
    ) -> Data:
        label = self._label(saved, source)
        _refuse_others(source.path)
        if label is None:
            raise ValueError("say by --label which column holds the labels")
        if not is_part:
            return _open_as_model(source.path, model, label)
        with naming(source.path):  # the columns of the fit alone, by which rows are equal
            return _open_as_model(source.path, model, label, is_bare=True)

    def answers(
        self, saved: ModelFile, model: TableModel, source: Source, *, with_labels: bool
    ) -> Iterator[tuple[Vector, NDArray[Any] | None]]:
        """Yield the decision values of a table, and its labels where they are asked for."""
        label = self._label(saved, source) if with_labels else None
        if with_labels and label is None:
            raise ValueError("--metrics: say by --label which column holds the labels")
        _refuse_others(source.path)
        with naming(source.path):
            data = _open_as_model(source.path, model, label)
            codes = encode(model.columns, data.X, source.n_threads)
        yield model.decisions(codes), data.y

    @staticmethod
    def _label(saved: ModelFile, source: Source) -> str | None:
        return label_of(saved) if source.label is None else source.label

    def facts(self, saved: ModelFile, model: TableModel) -> dict[str, Any]:
        return {"n_columns": len(model.columns), "terms": _term_facts(model)}

    def facts_table(self, facts: dict[str, Any]) -> PlainTable:
        terms = facts["terms"]
        heads = [("term", "fold"), ("kind", "left")]
        heads += [(head, "right") for head in ("cells", "scores", "importance")]
        rows = [
            (
                term["name"],
                term["kind"],
                f"{term['cells']:,}",
                f"{term['least']:+.3g} to {term['most']:+.3g}",
                f"{term['importance']:.4g}",
            )
            for term in terms[:MOST_TERMS]
        ]
        n_more = len(terms) - MOST_TERMS
        return PlainTable(heads, rows, None, f"and {n_more:,} more terms" if n_more > 0 else None)

    def inspect(
        self, source: Source, status: Callable[[str], AbstractContextManager[Any]], *, verify: bool
    ) -> dict[str, Any]:
        """Return what each column is to a fit, and the classes of the label."""
        frame, labels = read_table(source.path, source.label)
        found, counts = ((), ()) if labels is None else np.unique(labels, return_counts=True)
        return {
            "name": source.name,
            "n_samples": frame.n_rows,
            "n_columns": frame.n_columns,
            "label": source.label,
            "classes": [
                {"label": label, "count": int(count)}
                for label, count in zip(np.asarray(found).tolist(), counts, strict=True)
            ],
            "columns": [_column_facts(frame, k) for k in range(frame.n_columns)],
        }

    def inspection(self, document: dict[str, Any]) -> Iterator[str | PlainTable]:
        n, classes, label = document["n_samples"], document["classes"], document["label"]
        yield f"{document['name']}: {n:,} rows, {document['n_columns']:,} columns"
        for entry in classes[:MOST_CLASSES]:
            count = entry["count"]
            yield f"{label} {shown_label(entry['label'])}: {count:,} ({count / n:.2%})"
        if len(classes) > MOST_CLASSES:
            yield f"and {len(classes) - MOST_CLASSES:,} more classes"
        heads = [("column", "left"), ("kind", "left"), ("bins", "right"), ("missing", "right")]
        rows = [
            (
                fact["name"],
                fact["kind"],
                "" if fact["kind"] == "refused" else f"{fact['n_bins']:,}",
                f"{fact['missing']:.1%}" if fact.get("missing") else "",
                _content_text(fact),
            )
            for fact in document["columns"]
        ]
        yield PlainTable([*heads, ("holds", "fold")], rows)

    def problem(self, data: Data, n_threads: int | None) -> Any:
        from ..tables.problem import TableProblem

        return TableProblem(data.X, data.y, n_threads=n_threads)

    def take(self, clf: Any, X: Any) -> Frame:
        frame = take_frame(X)
        clf._codes(frame.select(np.arange(1)))  # which says what is wrong with the columns
        return frame

    def rows(self, model: NamedModel, X: Frame, n_threads: int) -> TableRows:
        return TableRows(model.model, X, n_threads)

    def n_columns(self, model: TableModel) -> int:
        return len(model.columns)

    def terms(self, model: TableModel) -> Any:
        from ..tables.terms import make_terms

        return make_terms(model)

    def limits(self, model: NamedModel) -> str:
        pairs = sum(term.kind == "pair" for term in model.terms)
        return (
            f"A sum of {len(model.terms):,} terms, {pairs:,} of them pairs of columns: nothing "
            "that takes three columns together. Numbers beyond those of the fit score as the "
            "outermost bin; categories that it has not seen score as all others."
        )


KIND = TableKind()


def open_training_table(
    path: Path, label: str | None, drop: Sequence[str] = (), as_text: Sequence[str] = ()
) -> Data:
    """Read a table whose labels are needed, without the columns to drop."""
    if label is None:
        names = read_table(path)[0].names
        raise ValueError(
            f"{name_of(path)} is a table: say by --label which column holds the labels, one of "
            f"{listed(names)}"
        )
    table, y = read_table(path, label, as_text=as_text)
    names = table.names
    for name in drop:
        if name not in names:
            raise ValueError(f"--drop: {unknown('column', name, names)}")
    if set(drop) >= set(names):
        raise ValueError("--drop leaves no column")
    return Data(table.only([name for name in names if name not in drop]), y)


def open_table(
    path: Path,
    label: str | None = None,
    as_text: Sequence[str] = (),
    only: Sequence[str] | None = None,
) -> Data:
    """Read a table; with a label, that column is apart; ``only`` some columns, if it has them."""
    table, y = read_table(path, label, as_text=as_text)
    if only is not None and set(only) <= set(table.names):
        table = table.only(only)
    return Data(table, y)


def _with_labels_like(
    classes: NDArray[Any],
    path: Path,
    label: str | None,
    as_text: list[str],
    only: Sequence[str] | None = None,
) -> Data:
    """Read a table whose labels are compared with these; they are read as numbers if these are."""
    if label is not None and classes.dtype.kind not in "biuf":
        as_text = [*as_text, label]
    data = open_table(path, label, as_text, only)
    return data if data.y is None else Data(data.X, labels_like(data.y.tolist(), classes))


def _open_as_model(
    path: Path, model: TableModel, label: str | None, *, is_bare: bool = False
) -> Data:
    """Read a table; what the model takes for names is not read as numbers.

    A bare one has no columns but those of the model.
    """
    as_text = [column.name for column in model.columns if not column.is_ordered]
    names = [column.name for column in model.columns] if is_bare else None
    return _with_labels_like(model.classes, path, label, as_text, names)


def _refuse_others(path: Path) -> None:
    if not is_table(path):
        raise ValueError(
            f"the model was fitted on a table: {name_of(path)} must be one, as in new.csv"
        )


def _parameters(options: Mapping[str, Any], categorical: list[str]) -> dict[str, Any]:
    """Return the parameters that the options of tables stand for."""
    found: dict[str, Any] = {"categorical_features": categorical} if categorical else {}
    if options["max_bins"] is not None:
        found["max_bins"] = options["max_bins"]
    if options["monotone"] is not None:
        found["monotonic_cst"] = dict(_sign(text) for text in _names(options["monotone"]))
    if options["interactions"] is not None:
        found["interactions"] = _pairs(options["interactions"])
    return found


def _names(text: str | None) -> list[str]:
    return [] if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _sign(text: str) -> tuple[str, int]:
    name, _, sign = text.rpartition("=")
    if not name or sign.strip() not in SIGNS:
        raise ValueError(f"--monotone must be as in age=1,debt=-1, got {shown(text)}")
    return name.strip(), SIGNS[sign.strip()]


def _pairs(text: str) -> Any:
    if text == "auto":
        return text
    if text.strip().lstrip("-").isdecimal():
        return int(text)
    pairs = [tuple(name.strip() for name in pair.split(":")) for pair in _names(text)]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"--interactions must be a number, auto or pairs as in age:hours, got {shown(text)}"
        )
    return pairs


def _kinds(frame: Frame, categorical: list[str]) -> dict[str, str]:
    """Return for each column whether it holds numbers or categories; one row is enough."""
    found = {}
    for k, name in enumerate(frame.names):
        is_words = name in categorical or isinstance(frame.column(k, np.zeros(1, np.int64)), Words)
        found[name] = "categories" if is_words else "numbers"
    return found


def _term_facts(model: TableModel) -> list[dict[str, Any]]:
    """Return name, columns, kind, bins and importance of each term, the most important first."""
    facts = []
    for term in model.terms:
        columns = [model.columns[k] for k in term.columns]
        kind = columns[0].plural
        facts.append(
            {
                "name": model.term_name(term),
                "columns": [column.name for column in columns],
                "kind": kind if len(columns) == 1 else "pair",
                "cells": int(np.count_nonzero(term.weights)),
                "least": float(term.scores.min()),
                "most": float(term.scores.max()),
                "importance": float(term.importance().mean()),
            }
        )
    return sorted(facts, key=lambda fact: -fact["importance"])


def terms_used(terms: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return for people how many terms are used, and the most important ones."""
    from ..tables.model import are_used

    used = list(compress(terms, are_used([term["importance"] for term in terms])))
    n_pairs = sum(len(term["columns"]) == 2 for term in used)
    most = ", ".join(f"{term['name']} {term['importance']:.3g}" for term in used[:MOST_IN_A_LINE])
    found = [("terms", f"{len(used) - n_pairs:,} columns, {n_pairs:,} pairs of columns")]
    return [*found, ("importance", most)] if used else found


def _column_facts(frame: Frame, k: int) -> dict[str, Any]:
    """Return what a column is; one that cannot be used says why, and stops nobody."""
    facts: dict[str, Any] = {"name": frame.names[k]}
    try:
        column, codes = bin_column(frame, k)
    except (TypeError, ValueError) as error:
        return facts | {"kind": "refused", "why": str(error)}
    facts["kind"] = column.plural
    facts["missing"] = float(np.mean(codes == column.missing))
    return facts | column.facts(frame, k, codes)


def _content_text(fact: dict[str, Any]) -> str:
    if fact["kind"] == "refused":
        # The column stands beside it.
        return str(fact["why"]).removeprefix(f"column {fact['name']!r} ")
    if fact["kind"] == "numbers":
        return "nothing" if fact["least"] is None else f"{fact['least']:g} to {fact['most']:g}"
    most = [name if len(name) <= WIDEST else f"{name[:WIDEST]}…" for name in fact["most_frequent"]]
    n_more = fact["n_bins"] - len(most)
    more = f" and {n_more:,} more" if n_more > 0 else ""
    rest = f", {fact['other']:,} rows of rare ones" if fact["other"] else ""
    return f"{', '.join(most)}{more}{rest}" or "nothing"
