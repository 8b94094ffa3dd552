"""``tauboost fit``: from data to a model, with a word on how good it is and how long it took."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..base.messages import printable
from ..parameters import LinearParameters
from . import options

if TYPE_CHECKING:
    from ..kinds.kind import Fitted
    from ..search.search import Event

__all__ = ["EXAMPLES", "fit"]


DEFAULT_LOSS = options.Loss(LinearParameters.loss)

EXAMPLES = {
    "fit": """Examples:

tauboost fit reviews.jsonl --text text --label label --test 0.2 --out reviews.tauboost

tauboost fit train.svm.xz --test test.svm.xz --out spam.tauboost

tauboost fit adult.csv --label income --test 0.2 --out adult.tauboost

tauboost fit url.store --test 0.1 --out url.tauboost --checkpoint url.checkpoint

zcat day*.svm.gz | tauboost fit - --alpha 1e-4 --l1-ratio 1 --out days.tauboost"""
}


def fit(
    data: options.DataPaths,
    *,
    text: options.Text = None,
    label: options.Label = None,
    out: options.Out = None,
    alpha: options.Alpha = str(LinearParameters.alpha),
    l1_ratio: options.L1Ratio = None,
    loss: options.LossName = DEFAULT_LOSS,
    max_iter: options.MaxIter = LinearParameters.max_iter,
    tol: options.Tol = None,
    test: options.TestData = None,
    threads: options.Threads = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    trace: options.Trace = None,
    plot: options.Plot = None,
    ngrams: options.Ngrams = None,
    analyzer: options.Analyzer = None,
    min_df: options.MinDf = None,
    n_hashes: options.Hash = None,
    max_bytes: options.MaxBytes = None,
    kind: options.FormatName = None,
    errors: options.Errors = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    monotone: options.Monotone = None,
    interactions: options.Interactions = None,
    max_bins: options.MaxBins = None,
    checkpoint: options.CheckpointFolder = None,
    checkpoint_every: options.Every = None,
    zero_based: options.ZeroBased = None,
    as_json: options.AsJson = False,
) -> None:
    """Fit a classifier to a data set, and write it to a model file.

    Without --alpha, the weight of the penalty is chosen on a validation set, a part of the data,
    and the model is then fitted on all of them. Either way it is the optimum, within --tol.

    Of texts (JSON lines, CSV, TSV, Parquet, Arrow), --text and --label name the fields with the
    texts and the labels. The model is then a weight for each word and each pair of words. Lines
    that begin with __label__, as fastText has them, need neither.

    Of a table (CSV, TSV, Parquet, Arrow), --label alone names the column with the labels. The model
    is then a sum of step functions, one for each column, and of small tables for pairs of columns:
    numbers need no scaling, strings no encoding, and cells may be missing.
    """
    given: dict[str, Any] = {
        "loss": loss.value,
        "alpha": _number_or_auto(alpha, "--alpha"),
        "max_iter": max_iter,
        "time_limit": time_limit,
        "n_jobs": LinearParameters.n_jobs if threads is None else threads,
        "random_state": seed,
    }
    given |= {} if tol is None else {"tol": tol}
    given |= {} if l1_ratio is None else {"l1_ratio": _number_or_auto(l1_ratio, "--l1-ratio")}
    of_kinds = {
        "ngrams": ngrams, "analyzer": analyzer, "min_df": min_df, "hash": n_hashes,
        "max_bytes": max_bytes, "errors": errors, "label": label, "drop": drop,
        "categorical": categorical, "monotone": monotone, "interactions": interactions,
        "max_bins": max_bins, "checkpoint": checkpoint, "checkpoint_every": checkpoint_every,
        "zero_based": zero_based,
    }  # fmt: skip
    from ..base.threads import resolve_threads
    from ..kinds import Source, kind_of
    from ..kinds.hold_out import fraction_of
    from .fitting import Outputs, Stages, show_fit

    is_part = test is not None and fraction_of(test) is not None
    outputs = Outputs(out, trace, plot)
    # A wrong option shall not wait for the data.
    outputs.check([*data, None if test is None or is_part else Path(test)], checkpoint)
    source = Source(tuple(data), text, label, kind, errors, zero_based, threads)
    resolve_threads(threads)
    adapter, stages = kind_of(source), Stages(is_quiet=as_json)
    adapter.refuse_others(of_kinds, data[0])
    fitted = adapter.fit(source, test, given, of_kinds, stages)
    document = fitted.document
    document["files"] = outputs.write(fitted.saved, stages.events, source.name)
    document["files"] |= _kept(fitted, time_limit, stages.events)
    if as_json:
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        show_fit(adapter, document, stages)
        if out is not None and is_part and all(path.exists() for path in data):
            command = ["tauboost", "report", out, *data, "--test", test]
            command += [] if kind is None else ["--format", kind]
            words = printable(shlex.join(map(str, command)))
            typer.echo(f"a report on the test part alone: {words}")
    outputs.complain()


def _number_or_auto(text: str, option: str) -> float | str:
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option} must be 'auto' or a number, got {text!r}") from None


def _kept(fitted: Fitted, time_limit: float | None, events: list[Event]) -> dict[str, str]:
    """Remove the saved state of a fit that is complete; return where that of another is."""
    state = fitted.checkpoint
    if state is None:
        return {}
    if time_limit is not None and events[-1].seconds >= time_limit and state.file.exists():
        return {"checkpoint": str(state.folder)}
    state.remove()
    return {}
