"""``tauboost fit``: from data to a model, with a word on how good it is and how long it took."""

import csv
import io
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape

from ..base.threads import resolve_threads
from ..io.atomic import new_file
from ..io.checkpoint import SECONDS_BETWEEN, Checkpoint, NoCheckpoint
from ..io.model import write_model
from ..plots.fit import plot_fit, require_matplotlib
from ..tuning.events import describe
from ..tuning.fitting import fit as fit_model
from ..tuning.metrics import metrics
from ..tuning.model import Model
from ..tuning.options import Event, Parameters
from ..validation import as_csr
from .data import AsJson, Data, DataPath, Threads, ZeroBased, name_of, naming, open_data
from .fit_summary import document_of, show
from .held_out import check_test, fraction_of, split

__all__ = ["EXAMPLES", "fit"]

EXAMPLES = """Examples:

tauboost fit train.svm.xz --test test.svm.xz --out spam.tauboost

tauboost fit url.store --test 0.1 --out url.tauboost --checkpoint url.checkpoint

zcat day*.svm.gz | tauboost fit - --alpha 1e-4 --l1-ratio 1 --out days.tauboost"""


class Loss(StrEnum):
    """The losses by name."""

    logistic = "logistic"
    exponential = "exponential"
    auto = "auto"


Out = Annotated[
    Path | None, typer.Option(metavar="MODEL", help="Where to write the model; replaced if there.")
]
Alpha = Annotated[
    str,
    typer.Option(
        metavar="NUMBER", help="Strength of the penalty; auto: chosen on held-out samples."
    ),
]
L1Ratio = Annotated[
    str,
    typer.Option(
        metavar="NUMBER", help="0 is ridge, 1 is lasso; auto: chosen on held-out samples."
    ),
]
LossName = Annotated[Loss, typer.Option(help="exponential is AdaBoost.")]
MaxIter = Annotated[
    int, typer.Option(metavar="N", help="Maximum number of sweeps over the features.")
]
Tol = Annotated[
    float,
    typer.Option(
        metavar="NUMBER",
        help="A fit to the optimum stops when no feature's excess edge is above this.",
    ),
]
TestData = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="DATA",
        help="A file or store to measure the model on; or a number below 1: this part of DATA is "
        "held out; equal samples stay together.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Stop after this time, with the best model so far."),
]
Seed = Annotated[
    int, typer.Option(metavar="N", min=0, help="Seed of what is held out and of the sweeps' order.")
]
Trace = Annotated[
    Path | None, typer.Option(metavar="CSV", help="Write the objective after each sweep.")
]
Plot = Annotated[
    Path | None, typer.Option(metavar="PNG", help="Draw the objective after each sweep.")
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep the state of the fit there until it is complete. If the fit is killed, the same "
        "command resumes it.",
    ),
]
Every = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.0, help="Time between two saved states.")
]


@dataclass
class Stages:
    """Seconds of each stage, and the events of the fit."""

    seconds: dict[str, float] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Time a stage."""
        began = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - began


@dataclass(frozen=True)
class Outputs:
    """The files asked for."""

    model: Path | None
    trace: Path | None
    plot: Path | None

    def check(self) -> None:
        """Fail now: after an hour of work is too late to find that a file cannot be written."""
        for option, path in (("--out", self.model), ("--trace", self.trace), ("--plot", self.plot)):
            if path is None:
                continue
            if path.is_dir():
                raise ValueError(f"{option}: {path} is a folder")
            if not path.resolve().parent.is_dir():
                raise ValueError(f"{option}: there is no folder {path.parent}")
        if self.plot is not None:
            require_matplotlib()

    def write(
        self, model: Model, parameters: Parameters, events: list[Event], name: str
    ) -> dict[str, str]:
        """Write them, the model last; return what was written."""
        if self.trace is not None:
            with new_file(self.trace, overwrite=True) as file:
                file.write(_csv(events).encode())
        if self.plot is not None:
            with new_file(self.plot, overwrite=True) as file:
                plot_fit(events, name, file)
        if self.model is not None:
            write_model(model.to_data(vars(parameters)), self.model)
        return {kind: str(path) for kind, path in vars(self).items() if path is not None}


def _csv(events: list[Event]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(asdict(events[0])), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(event) for event in events if event.phase != "build")
    return text.getvalue()


def fit(
    data: DataPath,
    *,
    out: Out = None,
    alpha: Alpha = "auto",
    l1_ratio: L1Ratio = "0",
    loss: LossName = Loss.logistic,
    max_iter: MaxIter = 100,
    tol: Tol = 1e-3,
    test: TestData = None,
    threads: Threads = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    trace: Trace = None,
    plot: Plot = None,
    checkpoint: CheckpointFolder = None,
    checkpoint_every: Every = SECONDS_BETWEEN,
    zero_based: ZeroBased = None,
    as_json: AsJson = False,
) -> None:
    """Fit a classifier to a data set, and write it to a model file.

    Without --alpha, the strength of the penalty and the number of sweeps are chosen on a held-out
    part of the data, and the model is then fitted on all of them.
    """
    outputs = Outputs(out, trace, plot)
    outputs.check()
    fraction = None if test is None else fraction_of(test)
    n_threads = resolve_threads(threads)
    parameters = Parameters(
        loss=loss.value,
        alpha=_number(alpha, "--alpha"),
        l1_ratio=_number(l1_ratio, "--l1-ratio"),
        max_iter=max_iter,
        tol=tol,
        time_limit=time_limit,
        n_jobs=-1 if threads is None else threads,
        random_state=seed,
    )
    parameters.options()  # a wrong option shall not wait for the data
    state = _open_checkpoint(checkpoint, checkpoint_every, time_limit)
    stages, name = Stages(), name_of(data)
    tested: Data | None = None
    with stages.timed("reading"):
        train = open_data(data, threads, zero_based)
        if fraction is not None:
            with naming(data):
                train, tested = split(train, fraction, seed, threads)
        elif test is not None:
            tested = open_data(Path(test), threads, zero_based, train.shape[1])
            check_test(train, tested)
    with naming(data):
        model = _fit(parameters, train, n_threads, state, stages, name)
    scores = None
    if tested is not None:
        scores = metrics(model, model.decisions(as_csr(tested), n_threads), tested.y)
    document = document_of(model, name, train, stages.seconds) | {
        "test": scores,
        "resumed": state.is_resumed,
    }
    document["files"] = outputs.write(model, parameters, stages.events, name)
    is_out_of_time = time_limit is not None and stages.events[-1].seconds >= time_limit
    if isinstance(state, Checkpoint):
        if is_out_of_time:
            document["files"]["checkpoint"] = str(checkpoint)
        else:
            state.remove()
    if as_json:
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        show(document)


def _fit(
    parameters: Parameters,
    train: Data,
    n_threads: int,
    state: NoCheckpoint,
    stages: Stages,
    name: str,
) -> Model:
    console = Console(stderr=True)
    began = time.perf_counter()
    shown = console.status(f"building {escape(name)}") if console.is_terminal else nullcontext()
    with shown as status:

        def report(event: Event) -> bool:
            stages.events.append(event)
            if event.phase == "build":
                stages.seconds["building"] = time.perf_counter() - began
            if status is not None:
                status.update(describe(event))
            return False

        model = fit_model(
            as_csr(train),
            np.array(train.y),
            parameters,
            n_threads=n_threads,
            report=report,
            checkpoint=state,
        )
    stages.seconds["solving"] = time.perf_counter() - began - stages.seconds["building"]
    return model


def _number(text: str, option: str) -> float | str:
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option} must be 'auto' or a number, got {text!r}") from None


def _open_checkpoint(
    folder: Path | None, every: float, time_limit: float | None
) -> NoCheckpoint | Checkpoint:
    if folder is None:
        return NoCheckpoint()
    # A short run has something to show as well.
    return Checkpoint(folder, every if time_limit is None else min(every, time_limit / 4))
