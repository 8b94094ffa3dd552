"""``tauboost fit`` of texts: from files with strings to a model of their words."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from ..base.threads import resolve_threads
from ..io.model import TextData
from ..io.text_labels import LabelList
from ..io.text_wanted import TextBlock
from ..tuning.held_out import text_fingerprints
from ..tuning.metrics import metrics
from ..tuning.text_fitting import fit_stream, fit_texts
from ..tuning.text_model import TextModel
from ..tuning.text_options import TextParameters
from .data import naming
from .fit_stages import Outputs, Stages
from .fit_summary import facts_of, show_rows
from .held_out import check_test_labels, fraction_of, held_out
from .text_options import of_texts
from .text_terms import text_facts, top_rows
from .texts import TextSource

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
    parameters.linear().options()  # a wrong option shall not wait for the data
    parameters.features(None)
    run = _Run(source, parameters, test)
    with naming(source.paths[0]):
        (run.fit_whole if parameters.n_features is None else run.fit_streamed)()
    model = run.model
    document = {
        "name": source.name,
        "n_samples": run.n_texts,
        "text": source.text,
        "label": source.label,
        **facts_of(model.model),
        **text_facts(model),
        "nonzero_weights": int(np.count_nonzero(model.model.coef)),
        "weights": int(model.model.coef.size),
        "message": model.model.message,
        "seconds": run.stages.seconds,
        "test": run.scores,
    }
    data = _file(model, parameters, source)
    document["files"] = outputs.write(data, run.stages.events, source.name)
    typer.echo(json.dumps(document, indent=2, allow_nan=False)) if as_json else _show(document)


class _Run:
    """One fit, with what it finds out."""

    model: TextModel
    n_texts = 0
    scores: dict[str, Any] | None = None

    def __init__(self, source: TextSource, parameters: TextParameters, test: str | None) -> None:
        self.source, self.parameters, self.stages = source, parameters, Stages()
        self.fraction = None if test is None else fraction_of(test)
        is_file = test is not None and self.fraction is None
        self.test = replace(source, paths=(Path(str(test)),)) if is_file else None
        self.n_threads = resolve_threads(None if parameters.n_jobs == -1 else parameters.n_jobs)
        # Not the seed of the fit, which holds out a part of the rest.
        self.seed = parameters.random_state + 2**40

    def fit_whole(self) -> None:
        """Fit to texts that are all in memory."""
        tested = None
        with self.stages.timed("reading"):
            texts, y = self.source.read()
            if self.fraction is not None:
                held = held_out(text_fingerprints(texts, self.seed), y, self.fraction)
                tested = list(compress(texts, held)), y[held]
                texts, y = list(compress(texts, ~held)), y[~held]
            elif self.test is not None:
                tested = self.test.read(np.unique(y))
                check_test_labels(y, tested[1])
        self.n_texts = len(texts)
        with self.stages.fitting(self.source.name) as report:
            self.model = fit_texts(
                texts, y, self.parameters, n_threads=self.n_threads, report=report
            )
        if tested is not None:
            decisions = self.model.decisions(tested[0], self.n_threads)
            self.scores = metrics(self.model, decisions, tested[1])

    def fit_streamed(self) -> None:
        """Fit to texts that are read in parts and not kept."""
        held = None if self.fraction is None else self._held(self.fraction)
        labels = LabelList()

        def texts() -> Iterator[str]:
            blocks = self.source.blocks("reading")
            for block in blocks if held is None else _chosen(blocks, ~held):
                labels.add(block)
                yield from block.texts

        with self.stages.fitting(self.source.name) as report:
            self.model = fit_stream(
                texts(), labels.array, self.parameters, n_threads=self.n_threads, report=report
            )
        self.n_texts = len(labels.values)
        if held is not None:
            self._measure(_chosen(self.source.blocks("testing on"), held))
        elif self.test is not None:
            self._measure(self.test.blocks("testing on"))

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
                prints.append(text_fingerprints(block.texts, self.seed))
        return held_out(np.concatenate(prints), labels.array(), fraction)

    def _measure(self, blocks: Iterator[TextBlock]) -> None:
        labels, decisions = LabelList(), []
        for block in blocks:
            labels.add(block)
            decisions.append(self.model.decisions(block.texts, self.n_threads))
        y = labels.array(self.model.classes)
        self.scores = metrics(self.model, np.concatenate(decisions), y)


def _chosen(blocks: Iterator[TextBlock], is_chosen: NDArray[np.bool_]) -> Iterator[TextBlock]:
    """Yield the chosen texts of all blocks."""
    begin = 0
    for block in blocks:
        part = is_chosen[begin : begin + len(block.texts)]
        begin += len(block.texts)
        labels = list(compress(block.labels or [], part))
        yield replace(block, texts=list(compress(block.texts, part)), labels=labels)


def _file(model: TextModel, parameters: TextParameters, source: TextSource) -> TextData:
    """Return what a file holds, with the names of the fields: ``predict`` looks for the same."""
    data = model.to_data(vars(parameters))
    names = {"text": source.text, "label": source.label}
    data.fitted.update({word: name for word, name in names.items() if name is not None})
    return data


def _show(document: dict[str, Any]) -> None:
    data = f"{document['n_samples']:,} texts, {len(document['classes'])} classes"
    found = f"{document['nonzero_weights']:,} of {document['weights']:,}"
    Console().print(document["name"], markup=False, highlight=False)
    rows = [("counted", document["counted"]), ("nonzero weights", found)]
    show_rows(document, data, [*rows, *top_rows(document["terms"])])
