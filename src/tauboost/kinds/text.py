"""Texts with labels, whole or read in parts: a linear model of their words and n-grams."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector, is_sparse
from ..base.messages import printable
from ..base.progress import progress_bar
from ..io.text_lines import LabelList, TextBlock, labels_like
from ..io.texts import joined, text_blocks
from ..texts.options import TextOptions
from ..validation import encode_labels
from ..validation.texts import take_texts
from .hold_out import check_labels_in_lines, check_test_labels, fraction_of, hold_out
from .kind import Data, Fitted, Kind, PlainTable, Watch, facts_of
from .rows import MatrixRows, NamedModel, RowExplanation
from .source import Source, naming, opened

if TYPE_CHECKING:
    from ..io.model_file import ModelFile
    from ..parameters import TextParameters
    from ..texts.model import TextModel

__all__ = ["KIND", "explain_texts", "text_facts", "top_rows"]


MOST_TERMS = 20  # of a class, in a document
TERMS_IN_A_TABLE = 10
TERMS_IN_A_LINE = 6
MOST_CLASSES = 10
MOST_SIDE_BY_SIDE = 3  # classes: the columns of more are a letter wide
WIDEST = 60  # characters of a text above its explanation

Texts = Iterator[tuple[list[str], Any]]  # a part at a time, with their labels


class TextRows(MatrixRows):
    """Texts."""

    def __init__(self, model: NamedModel, texts: list[str], n_threads: int) -> None:
        self.features, self.texts = model.model.features, texts
        super().__init__(model, self.features.rows(texts, n_threads), n_threads)

    def explain(self, row: int, code: int) -> RowExplanation:
        from ..texts.explanation import find_features

        columns, _, added, intercept = self.added(row, code)
        text, found = find_features(self.texts[row], self.features, columns.tolist())
        places = [found.get(int(k), ("", [])) for k in columns]
        names = [
            name or self.model.column_name(int(k))
            for k, (name, _) in zip(columns, places, strict=True)
        ]
        times = [f"{len(spans)}×" if spans else "" for _, spans in places]
        spans = [(float(a), tuple(spans)) for a, (_, spans) in zip(added, places, strict=True)]
        return replace(self._explanation(names, times, added, intercept), text=text, spans=spans)


class TextKind(Kind):
    """The adapter of texts."""

    name = "text"
    holds = "holds texts"
    row_word = "text"
    columns_word = "terms"

    def fit(
        self,
        source: Source,
        test: str | None,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        watch: Watch,
    ) -> Fitted:
        """Fit a linear model of words, and make it as small as it must be."""
        from ..models import model_size
        from ..parameters import TextParameters
        from ..search.diagnosis import metrics
        from ..search.options import Options
        from ..texts.options import linear_part, text_options
        from ..texts.shrink import measured, shrink
        from ..texts.training import for_streams

        parameters = TextParameters(**given, **_parameters(options))
        is_stream = parameters.n_features is not None
        parameters = for_streams(parameters) if is_stream else parameters
        Options.of(linear_part(parameters))  # a wrong option shall not wait for the data
        text_options(parameters, None)
        saved_of = partial(_saved, parameters=parameters, source=source)
        read_and_fit = self._fit_streamed if is_stream else self._fit_whole
        with naming(source.paths[0]):
            whole, n_texts, tested = read_and_fit(source, test, parameters, watch)
            model, lost = whole, None
            if options["max_bytes"] is not None:
                model, lost = shrink(
                    whole, options["max_bytes"], lambda tried: model_size(saved_of(tried))
                )
            scores = None
            if tested is not None:
                models = [model] if lost is None else [model, whole]
                (after, *before), y = _decisions(models, tested, source.n_threads)
                scores = metrics(model, after, y)
                if lost is not None:
                    lost = measured(lost, whole.labels(before[0]), model.labels(after), y)
        document = {
            "name": source.name,
            "n_samples": n_texts,
            "text": source.text,
            "label": source.label,
            **facts_of(model.model),
            **text_facts(model),
            "nonzero_weights": int(np.count_nonzero(model.model.coef)),
            "weights": int(model.model.coef.size),
            "message": model.model.message,
            "seconds": watch.seconds,
            "shrinkage": None if lost is None else {**asdict(lost), "text": str(lost)},
            "test": scores,
            "warnings": watch.warnings,
        }
        return Fitted(document, saved_of(model))

    def _fit_whole(
        self, source: Source, test: str | None, parameters: TextParameters, watch: Watch
    ) -> tuple[TextModel, int, Texts | None]:
        """Fit to texts that are all in memory; return how many, and those to test on."""
        from ..texts.training import fit_texts

        with watch.timed("reading"):
            train = self.read(source)
            check_labels_in_lines(train.y)
            train, tested = self.split_off(train, test, source, parameters.random_state)
        with watch.fitting(source.name) as report:
            model = fit_texts(
                train.X, train.y, parameters, n_threads=source.n_threads, report=report
            )
        return model, len(train.X), None if tested is None else iter([tuple(tested)])

    def _fit_streamed(
        self, source: Source, test: str | None, parameters: TextParameters, watch: Watch
    ) -> tuple[TextModel, int, Texts | None]:
        """Fit to texts that are read in parts and not kept."""
        from ..texts.training import fit_stream

        fraction = None if test is None else fraction_of(test)
        held = None
        if fraction is not None:
            with watch.timed("reading"):
                held = _held(source, fraction, parameters.random_state)
        other = None if test is None or held is not None else source.at(test)
        labels = LabelList()

        def texts() -> Iterator[list[str]]:
            blocks = _blocks(source, "reading")
            for block in blocks if held is None else _chosen(blocks, ~held):
                labels.add(block)
                yield block.texts

        def all_labels() -> NDArray[Any]:
            y = labels.array()
            check_labels_in_lines(y)
            if other is not None and not other.is_pipe:  # before an hour of work
                check_test_labels(y, _labels(other, np.unique(y)))
            return y

        with watch.fitting(source.name, reads=True) as report:
            model = fit_stream(
                texts(), all_labels, parameters, n_threads=source.n_threads, report=report
            )
        blocks = None
        if held is not None:
            blocks = _chosen(_blocks(source, "testing on"), held)
        elif other is not None:
            blocks = _blocks(other, "testing on")
        tested = None if blocks is None else (joined([b], model.classes) for b in blocks)
        return model, len(labels.values), tested

    def summary(self, document: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
        data = f"{document['n_samples']:,} texts, {len(document['classes'])} classes"
        found = f"{document['nonzero_weights']:,} of {document['weights']:,}"
        rows = [("counted", document["counted"]), ("nonzero weights", found)]
        if document["shrinkage"] is not None:
            rows.append(("made smaller", document["shrinkage"]["text"]))
        return data, [*rows, *top_rows(document["terms"])]

    def prints(self, X: list[str], seed: int, n_threads: int) -> NDArray[np.uint64]:
        from ..search.duplicates import text_fingerprints

        return text_fingerprints(X, seed + 2**40)

    def select(self, X: list[str], is_chosen: Mask) -> list[str]:
        return list(compress(X, is_chosen))

    def decisions(self, model: TextModel, X: list[str], n_threads: int) -> Vector:
        return model.decisions(X, n_threads)

    def read(self, source: Source, classes: NDArray[Any] | None = None) -> Data:
        texts, labels = joined(_blocks(source, "reading"), classes)
        return Data(texts, labels)

    def read_test(self, source: Source, train: Data, as_text: Sequence[str]) -> Data:
        return self.read(source, np.unique(train.y))

    def read_for(
        self, saved: ModelFile, model: TextModel, source: Source, *, is_part: bool
    ) -> Data:
        return self.read(_as_in_fit(saved, source), model.classes)

    def answers(
        self, saved: ModelFile, model: TextModel, source: Source, *, with_labels: bool
    ) -> Iterator[tuple[Vector, NDArray[Any] | None]]:
        """Yield decision values, and labels where they are asked for, a part of the texts each."""
        source = _as_in_fit(saved, source)
        blocks = _blocks(source, "predicting", with_labels=with_labels, is_eager=source.is_pipe)
        for block in blocks:
            labels = None if block.labels is None else labels_like(block.labels, model.classes)
            yield model.decisions(block.texts, source.n_threads), labels

    def of_fit(self, model: TextModel) -> Any:
        return model.model

    def facts(self, saved: ModelFile, model: TextModel) -> dict[str, Any]:
        coef = model.model.coef
        n_nonzero = int(np.count_nonzero(coef.data if is_sparse(coef) else coef))
        facts = {"text": saved.fitted.get("text"), **text_facts(model)}
        return facts | {"nonzero_weights": n_nonzero}

    def facts_table(self, facts: dict[str, Any]) -> PlainTable:
        classes = facts["terms"]
        if len(classes) > MOST_SIDE_BY_SIDE:
            return PlainTable((), top_rows(classes))
        heads, rows = list[tuple[str, str]](), []
        for fact in classes:
            heads += [(f"for {fact['class']}", "fold"), ("weight", "right")]
        for k in range(TERMS_IN_A_TABLE):
            cells = []
            for fact in classes:
                term = fact["terms"][k] if k < len(fact["terms"]) else None
                cells += ["", ""] if term is None else [term["term"], f"{term['weight']:.3f}"]
            if any(cells):
                rows.append(cells)
        return PlainTable(heads, rows)

    def take(self, clf: Any, X: Any) -> list[str]:
        return take_texts(X)

    def rows(self, model: NamedModel, X: list[str], n_threads: int) -> TextRows:
        return TextRows(model, X, n_threads)

    def n_columns(self, model: TextModel) -> int:
        return int(model.model.coef.shape[1])

    def column_name(self, model: NamedModel, column: int) -> str:
        features = model.model.features
        if features.terms is not None:
            return str(features.terms[column])
        return f"hash {column if features.kept is None else features.kept[column]}"

    def limits(self, model: NamedModel) -> str:
        return (
            "It counts words and runs of words: not who says them, nor in which order beyond a "
            "run. Words that the fit has not seen count for nothing."
        )


KIND = TextKind()


def _saved(model: TextModel, *, parameters: TextParameters, source: Source) -> ModelFile:
    """Return what a file holds, with the names of the fields, which predictions need."""
    data = model.to_arrays(vars(parameters))
    names = {"text": source.text, "label": source.label}
    data.fitted.update({word: name for word, name in names.items() if name is not None})
    return data


def _as_in_fit(saved: ModelFile, source: Source) -> Source:
    """Return what to read: by the names that are given, or else by those of the fit."""
    known: dict[str, Any] = {
        word: name
        for word in ("text", "label")
        if getattr(source, word) is None and isinstance(name := saved.fitted.get(word), str)
    }
    return replace(source, if_named=source.text is None, **known)


def _blocks(
    source: Source, doing: str, *, with_labels: bool = True, is_eager: bool = False
) -> Iterator[TextBlock]:
    """Yield a few megabytes at a time, with a bar where that takes long."""
    total = None if source.is_pipe else sum(path.stat().st_size for path in source.paths)
    title = f"{doing} {source.name}"
    with progress_bar(title, total, "MB", visible=not is_eager, scale=1e6) as show:
        for block in text_blocks(
            map(opened, source.paths),
            source.text,
            source.label,
            kind=source.format,
            with_labels=with_labels,
            if_named=source.if_named,
            is_eager=is_eager,
            errors=source.errors or "strict",
        ):
            yield block
            show(block.bytes_read)


def _chosen(blocks: Iterator[TextBlock], is_chosen: Mask) -> Iterator[TextBlock]:
    """Yield the chosen texts of all blocks."""
    begin = 0
    for block in blocks:
        part = is_chosen[begin : begin + len(block.texts)]
        begin += len(block.texts)
        labels = list(compress(block.labels or [], part))
        yield replace(block, texts=list(compress(block.texts, part)), labels=labels)


def _labels(source: Source, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the labels alone, to be compared with ``classes``."""
    found = LabelList()
    for block in _blocks(source, "reading"):
        found.add(block)
    return found.array(classes)


def _held(source: Source, fraction: float, seed: int) -> Mask:
    """Choose the texts to test on, reading all of them."""
    if source.is_pipe:
        raise ValueError(
            "--test: with --hash, a part of the data is kept for testing by reading them twice, "
            "which a pipe does not allow: name a file"
        )
    labels, prints = LabelList(), []
    for block in _blocks(source, "reading"):
        labels.add(block)
        prints.append(KIND.prints(block.texts, seed, 1))
    return hold_out(np.concatenate(prints), encode_labels(labels.array())[1], fraction)


def _decisions(
    models: list[TextModel], parts: Texts, n_threads: int
) -> tuple[list[Vector], NDArray[Any]]:
    """Return the decision values of each model, and the labels."""
    found, labels = [list[Vector]() for _ in models], []
    for texts, y in parts:
        labels.append(y)
        for values, model in zip(found, models, strict=True):
            values.append(model.decisions(texts, n_threads))
    return [np.concatenate(values) for values in found], np.concatenate(labels)


def _parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that the options of texts stand for."""
    found: dict[str, Any] = {}
    if options["ngrams"] is not None:
        found["ngram_range"] = _range(options["ngrams"])
    if options["analyzer"] is not None:
        found["analyzer"] = str(options["analyzer"])
    if options["min_df"] is not None:
        found["min_df"] = _share(options["min_df"])
    if options["hash"] is not None:
        if options["min_df"] is not None:
            raise ValueError("--min-df: hashed words are not counted one by one: leave it out")
        found["n_features"] = options["hash"]
    return found


def _range(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d?)(?:-([1-9]\d?))?", text.strip(), re.ASCII)
    if found is None:
        raise ValueError(f"--ngrams must be as in 1-2, or 1, got {text!r}")
    return int(found[1]), int(found[2] or found[1])


def _share(text: str) -> float | str:
    if text == "auto":
        return text
    try:
        return int(text) if text.strip().isdecimal() else float(text)
    except ValueError:
        raise ValueError(f"--min-df must be a number or auto, got {text!r}") from None


def text_facts(model: TextModel) -> dict[str, Any]:
    """Return what is counted, and for each class the terms that speak most for it."""
    from ..texts.model import top_terms

    features, classes = model.features, model.classes.tolist()
    return {
        "n_features": features.n_features,
        "counted": _counted(features.options, features.n_features),
        "terms": [
            {"class": label, "terms": [term._asdict() for term in terms]}
            for label, terms in zip(classes, top_terms(model, MOST_TERMS), strict=True)
        ],
    }


def _counted(options: TextOptions, n_features: int) -> str:
    """Describe in a line what is counted."""
    least, most = options.ngram_range
    runs = f"{least} to {most}" if least < most else str(most)
    what = "words" if options.analyzer == "word" else "characters"
    what = f"runs of {runs} {what}" if most > 1 else what
    if options.n_features is not None:
        what = f"{what}, hashed to {options.n_features:,}"
    return f"{n_features:,} features: {what}"


def top_rows(facts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the terms for people, a line for each class."""
    rows = []
    for fact in facts[:MOST_CLASSES]:
        terms = [term["term"] for term in fact["terms"][:TERMS_IN_A_LINE]]
        rows.append((f"for {fact['class']}", ", ".join(terms) or "nothing"))
    more = len(facts) - len(rows)
    return [*rows, ("", f"and {more:,} more classes")] if more > 0 else rows


def explain_texts(
    saved: ModelFile, model: TextModel, source: Source, file: BinaryIO | None
) -> tuple[int, list[dict[str, Any]]]:
    """Explain every text by what its words add: in a file, or, without one, as data.

    Return the number of texts, and the data.
    """
    from ..texts.explanation import explain_text

    n_texts, found, source = 0, list[dict[str, Any]](), _as_in_fit(saved, source)
    for block in _blocks(source, "explaining", with_labels=False, is_eager=source.is_pipe):
        for text in block.texts:
            n_texts += 1
            explanation = explain_text(model, text, n_threads=source.n_threads)
            if file is None:
                found.append(_explanation_facts(explanation))
                continue
            start = printable(text if len(text) <= WIDEST else f"{text[:WIDEST]}…")
            file.write(f"{n_texts:,}: {start}\n{explanation!r}\n\n".encode())
            file.flush()
    return n_texts, found


def _explanation_facts(explanation: Any) -> dict[str, Any]:
    """Return what contributes to one class, the second of two or the likeliest."""
    place = explanation.classes.tolist().index(explanation.class_)
    return {
        "class": np.asarray(explanation.class_).item(),
        "probability": float(explanation.probabilities[place]),
        "decision": float(explanation.decisions[place]),
        "intercept": float(explanation.intercepts[place]),
        "terms": [
            {"term": term, "contribution": contribution, "spans": spans}
            for term, contribution, spans in explanation
        ],
    }
