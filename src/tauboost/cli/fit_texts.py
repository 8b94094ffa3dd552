"""``tauboost fit`` of texts: from files with strings to a model of their words."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..base.threads import resolve_threads
from ..io.model import TextData, model_size
from ..io.text_files import joined
from ..io.text_labels import LabelList
from ..io.text_wanted import TextBlock
from ..parameters import TextParameters
from ..tuning.metrics import metrics
from ..tuning.options import Options
from ..tuning.text_fitting import fit_texts
from ..tuning.text_model import TextModel
from ..tuning.text_options import linear_part, text_options
from ..tuning.text_shrinking import Shrinkage, measured, shrink
from ..tuning.text_streaming import fit_stream, for_streams
from .answers import check_lines
from .data import naming
from .fit_stages import Outputs, Stages
from .fit_summary import facts_of, show_rows
from .held_out import check_test_labels, fraction_of, held_out
from .terminal import Console
from .text_options import of_texts
from .text_terms import text_facts, top_rows
from .texts import TextSource, test_prints

__all__ = ["fit_text_files"]


def fit_text_files(
    source: TextSource,
    wishes: dict[str, Any],
    given: dict[str, Any],
    test: str | None,
    outputs: Outputs,
    *,
    as_json: bool,
) -> None:
    """Fit a model to texts, write it, and tell what there is to tell."""
    parameters = TextParameters(**given, **of_texts(wishes))
    is_stream = parameters.n_features is not None
    parameters = for_streams(parameters) if is_stream else parameters
    Options.of(linear_part(parameters))  # a wrong option shall not wait for the data
    text_options(parameters, None)
    run = _Run(source, parameters, test, wishes["--max-bytes"])
    with naming(source.paths[0]):
        (run.fit_streamed if is_stream else run.fit_whole)()
    linear = run.model.model
    document = {
        "name": source.name,
        "n_samples": run.n_texts,
        "text": source.text,
        "label": source.label,
        **facts_of(linear),
        **text_facts(run.model),
        "nonzero_weights": int(np.count_nonzero(linear.coef)),
        "weights": int(linear.coef.size),
        "message": linear.message,
        "seconds": run.stages.seconds,
        "shrinkage": None if run.lost is None else {**asdict(run.lost), "text": str(run.lost)},
        "test": run.scores,
        "warnings": run.stages.warnings,
    }
    document["files"] = outputs.write(run.file(), run.stages.events, source.name)
    typer.echo(json.dumps(document, indent=2, allow_nan=False)) if as_json else _show(document)


class _Run:
    """One fit, with what it finds out."""

    model: TextModel
    n_texts = 0
    lost: Shrinkage | None = None
    scores: dict[str, Any] | None = None

    def __init__(
        self,
        source: TextSource,
        parameters: TextParameters,
        test: str | None,
        max_bytes: int | None,
    ) -> None:
        self.source, self.parameters, self.stages = source, parameters, Stages()
        self.max_bytes = max_bytes
        self.fraction = None if test is None else fraction_of(test)
        is_file = test is not None and self.fraction is None
        self.test = replace(source, paths=(Path(str(test)),)) if is_file else None
        self.n_threads = resolve_threads(None if parameters.n_jobs == -1 else parameters.n_jobs)
        self.seed = parameters.random_state

    def fit_whole(self) -> None:
        """Fit to texts that are all in memory."""
        tested = None
        with self.stages.timed("reading"):
            texts, y = self.source.read()
            check_lines(y)
            if self.fraction is not None:
                held = held_out(test_prints(texts, self.seed), y, self.fraction)
                tested = list(compress(texts, held)), y[held]
                texts, y = list(compress(texts, ~held)), y[~held]
            elif self.test is not None:
                tested = self.test.read(np.unique(y))
                check_test_labels(y, tested[1])
        self.n_texts = len(texts)
        with self.stages.fitting(self.source.name) as report:
            model = fit_texts(texts, y, self.parameters, n_threads=self.n_threads, report=report)
        self._finish(model, None if tested is None else iter([tested]))

    def fit_streamed(self) -> None:
        """Fit to texts that are read in parts and not kept."""
        held = None if self.fraction is None else self._held(self.fraction)
        labels = LabelList()

        def texts() -> Iterator[list[str]]:
            blocks = self.source.blocks("reading")
            for block in blocks if held is None else _chosen(blocks, ~held):
                labels.add(block)
                yield block.texts

        def all_labels() -> NDArray[Any]:
            y = labels.array()
            check_lines(y)
            if self.test is not None and not self.test.is_pipe:  # before an hour of work
                check_test_labels(y, self.test.labels(np.unique(y)))
            return y

        with self.stages.fitting(self.source.name, reads=True) as report:
            model = fit_stream(
                texts(), all_labels, self.parameters, n_threads=self.n_threads, report=report
            )
        self.n_texts = len(labels.values)
        blocks = None
        if held is not None:
            blocks = _chosen(self.source.blocks("testing on"), held)
        elif self.test is not None:
            blocks = self.test.blocks("testing on")
        labelled = None if blocks is None else (joined([b], model.classes) for b in blocks)
        self._finish(model, labelled)

    def _held(self, fraction: float) -> NDArray[np.bool_]:
        """Choose the texts to test on, reading all of them."""
        if self.source.is_pipe:
            raise ValueError(
                "--test: with --hash, a part of the data is held out by reading them twice, which "
                "a pipe does not allow: name a file"
            )
        labels, prints = LabelList(), []
        with self.stages.timed("reading"):
            for block in self.source.blocks("reading"):
                labels.add(block)
                prints.append(test_prints(block.texts, self.seed))
        return held_out(np.concatenate(prints), labels.array(), fraction)

    def _finish(self, model: TextModel, tested: Iterator[tuple[list[str], Any]] | None) -> None:
        """Make the model as small as it must be, and test it."""
        self.model = model
        if self.max_bytes is not None:
            self.model, self.lost = shrink(
                model, self.max_bytes, lambda tried: model_size(self.file(tried))
            )
        if tested is None:
            return
        found, before, labels = [], [], []
        for texts, y in tested:
            found.append(self.model.decisions(texts, self.n_threads))
            labels.append(y)
            if self.lost is not None:
                before.append(model.labels(model.decisions(texts, self.n_threads)))
        decisions, y = np.concatenate(found), np.concatenate(labels)
        self.scores = metrics(self.model, decisions, y)
        if self.lost is not None:
            after = self.model.labels(decisions)
            self.lost = measured(self.lost, np.concatenate(before), after, y)

    def file(self, model: TextModel | None = None) -> TextData:
        """Return what a file holds, with the names of the fields: predictions look for them."""
        data = (self.model if model is None else model).to_data(vars(self.parameters))
        names = {"text": self.source.text, "label": self.source.label}
        data.fitted.update({word: name for word, name in names.items() if name is not None})
        return data


def _chosen(blocks: Iterator[TextBlock], is_chosen: NDArray[np.bool_]) -> Iterator[TextBlock]:
    """Yield the chosen texts of all blocks."""
    begin = 0
    for block in blocks:
        part = is_chosen[begin : begin + len(block.texts)]
        begin += len(block.texts)
        labels = list(compress(block.labels or [], part))
        yield replace(block, texts=list(compress(block.texts, part)), labels=labels)


def _show(document: dict[str, Any]) -> None:
    data = f"{document['n_samples']:,} texts, {len(document['classes'])} classes"
    found = f"{document['nonzero_weights']:,} of {document['weights']:,}"
    Console().print(document["name"])
    rows = [("counted", document["counted"]), ("nonzero weights", found)]
    if document["shrinkage"] is not None:
        rows.append(("made smaller", document["shrinkage"]["text"]))
    show_rows(document, data, [*rows, *top_rows(document["terms"])])
