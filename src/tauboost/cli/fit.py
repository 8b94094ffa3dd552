"""``tauboost fit``: from data to a model, with a word on how good it is and how long it took."""

from typing import Any

from ..parameters import LinearParameters
from .arguments import AsJson, DataPaths, Threads, ZeroBased
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
from .text_options import Analyzer, Errors, FormatName, Hash, MaxBytes, MinDf, Ngrams, Text

__all__ = ["EXAMPLES", "fit"]

DEFAULT_LOSS = Loss(LinearParameters.loss)

EXAMPLES = """Examples:

tauboost fit reviews.jsonl --text text --label label --test 0.2 --out reviews.tauboost

tauboost fit train.svm.xz --test test.svm.xz --out spam.tauboost

tauboost fit adult.csv --label income --test 0.2 --out adult.tauboost

tauboost fit url.store --test 0.1 --out url.tauboost --checkpoint url.checkpoint

zcat day*.svm.gz | tauboost fit - --alpha 1e-4 --l1-ratio 1 --out days.tauboost"""


def fit(
    data: DataPaths,
    *,
    text: Text = None,
    label: Label = None,
    out: Out = None,
    alpha: Alpha = str(LinearParameters.alpha),
    l1_ratio: L1Ratio = None,
    loss: LossName = DEFAULT_LOSS,
    max_iter: MaxIter = LinearParameters.max_iter,
    tol: Tol = None,
    test: TestData = None,
    threads: Threads = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    trace: Trace = None,
    plot: Plot = None,
    ngrams: Ngrams = None,
    analyzer: Analyzer = None,
    min_df: MinDf = None,
    n_hashes: Hash = None,
    max_bytes: MaxBytes = None,
    kind: FormatName = None,
    errors: Errors = None,
    drop: Drop = None,
    categorical: Categorical = None,
    monotone: Monotone = None,
    interactions: Interactions = None,
    max_bins: MaxBins = None,
    checkpoint: CheckpointFolder = None,
    checkpoint_every: Every = None,
    zero_based: ZeroBased = None,
    as_json: AsJson = False,
) -> None:
    """Fit a classifier to a data set, and write it to a model file.

    Without --alpha, the strength of the penalty is chosen on a held-out part of the data, and the
    model is then fitted on all of them. Either way it is the optimum, within --tol.

    Of texts (JSON lines, CSV, TSV, Parquet, Arrow), --text and --label name the fields with the
    texts and the labels. The model is then a weight for each word and each pair of words. Lines
    that begin with __label__, as fastText has them, need neither.

    Of a table (CSV, TSV, Parquet, Arrow), --label alone names the column with the labels. The model
    is then a sum of step functions, one for each column, and of small tables for pairs of columns:
    numbers need no scaling, strings no encoding, and cells may be missing.
    """
    given: dict[str, Any] = {
        "loss": loss.value,
        "alpha": number_or_auto(alpha, "--alpha"),
        "max_iter": max_iter,
        "time_limit": time_limit,
        "n_jobs": LinearParameters.n_jobs if threads is None else threads,
        "random_state": seed,
    }
    given |= {} if tol is None else {"tol": tol}
    given |= {} if l1_ratio is None else {"l1_ratio": number_or_auto(l1_ratio, "--l1-ratio")}
    wishes: dict[str, dict[str, Any]] = {
        "texts": {
            "--ngrams": ngrams, "--analyzer": analyzer, "--min-df": min_df, "--hash": n_hashes,
            "--max-bytes": max_bytes, "--errors": errors,
        },
        "tables": {
            "--drop": drop, "--categorical": categorical, "--monotone": monotone,
            "--interactions": interactions, "--max-bins": max_bins,
        },
        "rows": {
            "--checkpoint": checkpoint, "--checkpoint-every": checkpoint_every,
            "--zero-based": zero_based,
        },
    }  # fmt: skip
    from .fit_data import Task, fit_data  # noqa: PLC0415

    fit_data(Task(data, text, label, kind, test), given, wishes, (out, trace, plot), as_json)
