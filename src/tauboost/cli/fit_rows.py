"""``tauboost fit`` of rows of indices and values: a linear model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import typer

from ..base.threads import resolve_threads
from ..io.checkpoint import SECONDS_BETWEEN, Checkpoint, NoCheckpoint
from ..parameters import LinearParameters
from ..tuning.fitting import fit as fit_model
from ..tuning.metrics import metrics
from ..tuning.options import Options
from ..validation import as_csr
from .data import Data, name_of, naming, open_data
from .fit_stages import Outputs, Stages
from .fit_summary import document_of, show
from .held_out import check_test, fraction_of, split

__all__ = ["fit_rows"]


def fit_rows(
    data: Path,
    wishes: dict[str, Any],
    given: dict[str, Any],
    test: str | None,
    outputs: Outputs,
    *,
    as_json: bool,
) -> None:
    """Fit a model to rows, write it, and tell what there is to tell."""
    state = _open_checkpoint(
        wishes["--checkpoint"], wishes["--checkpoint-every"], given["time_limit"]
    )
    parameters = LinearParameters(**given)
    document = _fit_rows(data, parameters, test, wishes["--zero-based"], state, outputs)
    typer.echo(json.dumps(document, indent=2, allow_nan=False)) if as_json else show(document)


def _fit_rows(
    data: Path,
    parameters: LinearParameters,
    test: str | None,
    zero_based: bool | None,
    state: NoCheckpoint,
    outputs: Outputs,
) -> dict[str, Any]:
    """Fit a linear model to samples, write it, and return what there is to tell."""
    Options.of(parameters)
    threads = None if parameters.n_jobs == -1 else parameters.n_jobs
    stages, name, n_threads = Stages(), name_of(data), resolve_threads(threads)
    with stages.timed("reading"):
        train, tested = _open_both(data, test, threads, zero_based, parameters.random_state)
    with naming(data), stages.fitting(name) as report:
        model = fit_model(
            as_csr(train),
            np.array(train.y),
            parameters,
            n_threads=n_threads,
            report=report,
            checkpoint=state,
        )
    scores = None
    if tested is not None:
        scores = metrics(model, model.decisions(as_csr(tested), n_threads), tested.y)
    document = document_of(model, name, train, stages.seconds) | {
        "test": scores,
        "resumed": state.is_resumed,
        "warnings": stages.warnings,
    }
    document["files"] = outputs.write(model.to_data(vars(parameters)), stages.events, name)
    time_limit = parameters.time_limit
    is_out_of_time = time_limit is not None and stages.events[-1].seconds >= time_limit
    if isinstance(state, Checkpoint):
        if is_out_of_time and state.file.exists():
            document["files"]["checkpoint"] = str(state.folder)
        else:
            state.remove()
    return document


def _open_both(
    data: Path, test: str | None, threads: int | None, zero_based: bool | None, seed: int
) -> tuple[Data, Data | None]:
    """Return the data to learn from, and those to measure the model on."""
    fraction = None if test is None else fraction_of(test)
    train = open_data(data, threads, zero_based)
    if fraction is not None:
        with naming(data):
            return split(train, fraction, seed, threads)
    if test is None:
        return train, None
    tested = open_data(Path(test), threads, zero_based, train.shape[1])
    check_test(train, tested)
    return train, tested


def _open_checkpoint(
    folder: Path | None, every: float | None, time_limit: float | None
) -> NoCheckpoint | Checkpoint:
    if folder is None:
        if every is not None:
            raise ValueError("--checkpoint-every: give --checkpoint FOLDER too")
        return NoCheckpoint()
    every = SECONDS_BETWEEN if every is None else every
    # A short run has something to show as well.
    return Checkpoint(folder, every if time_limit is None else min(every, time_limit / 4))
