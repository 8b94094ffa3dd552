"""``tauboost fit``: from data to a model, with a word on how good it is and how long it took."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import typer

from ..base.threads import resolve_threads
from ..io.checkpoint import SECONDS_BETWEEN, Checkpoint, NoCheckpoint
from ..tuning.fitting import fit as fit_model
from ..tuning.metrics import metrics
from ..tuning.options import Parameters
from ..validation import as_csr
from .data import AsJson, Data, DataPath, Threads, ZeroBased, is_table, name_of, naming, open_data
from .fit_options import (
    Alpha,
    Categorical,
    CheckpointFolder,
    Drop,
    Every,
    Interactions,
    L1Ratio,
    Label,
    Loss,
    LossName,
    MaxBins,
    MaxIter,
    Monotone,
    Out,
    Plot,
    Seed,
    TestData,
    TimeLimit,
    Tol,
    Trace,
    number_or_auto,
)
from .fit_stages import Outputs, Stages
from .fit_summary import document_of, show
from .held_out import check_test, fraction_of, split

__all__ = ["EXAMPLES", "fit"]

EXAMPLES = """Examples:

tauboost fit train.svm.xz --test test.svm.xz --out spam.tauboost

tauboost fit adult.csv --label income --test 0.2 --out adult.tauboost

tauboost fit url.store --test 0.1 --out url.tauboost --checkpoint url.checkpoint

zcat day*.svm.gz | tauboost fit - --alpha 1e-4 --l1-ratio 1 --out days.tauboost"""


def fit(
    data: DataPath,
    *,
    label: Label = None,
    out: Out = None,
    alpha: Alpha = "auto",
    l1_ratio: L1Ratio = None,
    loss: LossName = Loss.logistic,
    max_iter: MaxIter = 100,
    tol: Tol = None,
    test: TestData = None,
    threads: Threads = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    trace: Trace = None,
    plot: Plot = None,
    drop: Drop = None,
    categorical: Categorical = None,
    monotone: Monotone = None,
    interactions: Interactions = None,
    max_bins: MaxBins = None,
    checkpoint: CheckpointFolder = None,
    checkpoint_every: Every = SECONDS_BETWEEN,
    zero_based: ZeroBased = None,
    as_json: AsJson = False,
) -> None:
    """Fit a classifier to a data set, and write it to a model file.

    Without --alpha, the strength of the penalty and the number of sweeps are chosen on a held-out
    part of the data, and the model is then fitted on all of them.

    Of a table (CSV, TSV, Parquet, Arrow), --label names the column with the labels. The model is
    then a sum of step functions, one for each column, and of small tables for pairs of columns:
    numbers need no scaling, strings no encoding, and cells may be missing.
    """
    outputs = Outputs(out, trace, plot)
    outputs.check()
    resolve_threads(threads)  # a wrong option shall not wait for the data
    given: dict[str, Any] = {
        "loss": loss.value,
        "alpha": number_or_auto(alpha, "--alpha"),
        "max_iter": max_iter,
        "time_limit": time_limit,
        "n_jobs": -1 if threads is None else threads,
        "random_state": seed,
    }
    given |= {} if tol is None else {"tol": tol}
    given |= {} if l1_ratio is None else {"l1_ratio": number_or_auto(l1_ratio, "--l1-ratio")}
    of_tables = {
        "--label": label, "--drop": drop, "--categorical": categorical, "--monotone": monotone,
        "--interactions": interactions, "--max-bins": max_bins,
    }  # fmt: skip
    of_rows = {"--checkpoint": checkpoint, "--zero-based": zero_based}
    refused, kind = (of_rows, "a table") if is_table(data) else (of_tables, "no table")
    for option, value in refused.items():
        if value is not None:
            raise ValueError(f"{option}: {name_of(data)} is {kind}, and has no use for it")
    if is_table(data):
        from .fit_table import fit_table  # noqa: PLC0415

        fit_table(data, of_tables, given, test, outputs, as_json=as_json)
        return
    state = _open_checkpoint(checkpoint, checkpoint_every, time_limit)
    document = _fit_rows(data, Parameters(**given), test, zero_based, state, outputs)
    typer.echo(json.dumps(document, indent=2, allow_nan=False)) if as_json else show(document)


def _fit_rows(
    data: Path,
    parameters: Parameters,
    test: str | None,
    zero_based: bool | None,
    state: NoCheckpoint,
    outputs: Outputs,
) -> dict[str, Any]:
    """Fit a linear model to samples, write it, and return what there is to tell."""
    parameters.options()
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
    }
    document["files"] = outputs.write(model.to_data(vars(parameters)), stages.events, name)
    time_limit = parameters.time_limit
    is_out_of_time = time_limit is not None and stages.events[-1].seconds >= time_limit
    if isinstance(state, Checkpoint):
        if is_out_of_time:
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
    folder: Path | None, every: float, time_limit: float | None
) -> NoCheckpoint | Checkpoint:
    if folder is None:
        return NoCheckpoint()
    # A short run has something to show as well.
    return Checkpoint(folder, every if time_limit is None else min(every, time_limit / 4))
