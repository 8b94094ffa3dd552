"""What an adapter does for its kind of data, and which adapter data or a model have."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector
from ..base.messages import shown
from ..io.store import is_store
from ..io.tensors import is_tensor_file
from ..validation import encode_labels
from .hold_out import check_test_labels, fraction_of, hold_out
from .source import Source, hold_texts, is_table, name_of, naming, used_columns

if TYPE_CHECKING:
    from ..io.model_file import ModelFile
    from ..problem import Problem
    from ..search.search import Event, Report
    from ..tables.problem import TableProblem
    from .rows import GivenRows, NamedModel

__all__ = [
    "Data",
    "Fitted",
    "Kind",
    "PlainTable",
    "Watch",
    "fact_rows",
    "facts_of",
    "kind_of",
    "kind_of_estimator",
    "label_of",
    "open_model",
]


# Options of ``tauboost fit`` that are for one or two kinds of data only.
OPTIONS = {
    "table": ("label", "drop", "categorical", "monotone", "interactions", "max_bins"),
    "text": ("label", "ngrams", "analyzer", "min_df", "hash", "max_bytes", "errors"),
    "sparse": ("checkpoint", "checkpoint_every", "zero_based"),
}
LACKS = {"table": "is no table", "text": "holds no texts"}
# The estimators, and the modules of their adapters.
MODULES = {
    "TauBoostClassifier": "sparse",
    "TauBoostClassifierCV": "sparse",
    "TableClassifier": "table",
    "TextClassifier": "text",
}


class Data(NamedTuple):
    """Rows of one kind, and their labels where they have any."""

    X: Any  # CsrArrays, a Frame or a list of texts
    y: Any


class PlainTable(NamedTuple):
    """A table for people: heads with "left", "right" or "fold", a line above and one below it."""

    heads: Sequence[tuple[str, str]]  # none: pairs of a word and its value
    rows: Sequence[Sequence[str]]
    title: str | None = None
    caption: str | None = None


class Watch(Protocol):
    """Who times the stages of a fit, shows where it is, and keeps its events and warnings."""

    seconds: dict[str, float]
    events: list[Event]
    warnings: list[str]

    def timed(self, stage: str) -> AbstractContextManager[None]:
        """Time a stage."""

    def fitting(self, name: str, *, reads: bool = False) -> AbstractContextManager[Report]:
        """Give what a fit reports to; one that ``reads`` shows itself where it is."""

    def announce(self, name: str, facts: Sequence[tuple[str, str]]) -> None:
        """Show what is known of the data before the fit."""


@dataclass(frozen=True)
class Fitted:
    """Outcome of a fit: what --json prints, but for the files, and what a model file holds."""

    document: dict[str, Any]
    saved: ModelFile
    checkpoint: Any = None  # where its state is kept until it is complete


class Kind(ABC):
    """The adapter of one kind of data."""

    name: ClassVar[str]
    holds: ClassVar[str | None] = None  # what is said of data of this kind
    can_plan: ClassVar[bool] = True  # what a fit costs
    has_names: ClassVar[bool] = False  # of columns, where people give them
    row_word: ClassVar[str] = "row"
    columns_word: ClassVar[str] = "columns"

    # What `tauboost fit` asks.

    def refuse_others(self, options: Mapping[str, Any], path: Path) -> None:
        """Refuse options of ``fit`` that are for other kinds of data."""
        for option, value in options.items():
            if value is not None and option not in OPTIONS[self.name]:
                owner = next(kind for kind, own in OPTIONS.items() if option in own)
                words = f"{name_of(path)} {self.holds or LACKS[owner]}, and has no use for it"
                raise ValueError(f"--{option.replace('_', '-')}: {words}")

    @abstractmethod
    def fit(
        self,
        source: Source,
        test: str | None,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        watch: Watch,
    ) -> Fitted:
        """Read, fit and test, given the parameters and the options of this kind alone."""

    @abstractmethod
    def summary(self, document: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
        """Return for people the size of the data of a fit, and what was found."""

    # The hold-out split, and how good a model is on it.

    @abstractmethod
    def prints(self, X: Any, seed: int, n_threads: int) -> NDArray[np.uint64]:
        """Return the fingerprints by which rows are split: duplicates share them."""

    @abstractmethod
    def select(self, X: Any, is_chosen: Mask) -> Any:
        """Return some of the rows."""

    @abstractmethod
    def decisions(self, model: Any, X: Any, n_threads: int) -> Vector:
        """Return the decision values of rows, (rows, tasks)."""

    def split(self, data: Data, fraction: float, seed: int, n_threads: int) -> tuple[Data, Data]:
        """Split into a part for training and one for testing, with this fraction of each class.

        Rows are dealt as in a fit (search/folds.py): their order does not matter.
        """
        codes = encode_labels(data.y)[1]  # first: what is no label needs no fingerprints
        held = hold_out(self.prints(data.X, seed, n_threads), codes, fraction)
        return (
            Data(self.select(data.X, ~held), data.y[~held]),
            Data(self.select(data.X, held), data.y[held]),
        )

    def split_off(
        self, train: Data, test: str | None, source: Source, seed: int, as_text: Sequence[str] = ()
    ) -> tuple[Data, Data | None]:
        """Return the rows to train on and those to test on: a fraction of these, or of a file."""
        fraction = None if test is None else fraction_of(test)
        if fraction is not None:
            with naming(source.paths[0]):
                return self.split(train, fraction, seed, source.n_threads)
        if test is None:
            return train, None
        tested = self.read_test(source.at(test), train, as_text)
        check_test_labels(train.y, tested.y)
        return train, tested

    @abstractmethod
    def read_test(self, source: Source, train: Data, as_text: Sequence[str]) -> Data:
        """Read other rows to test on; some columns of tables are never read as numbers."""

    def scores(self, model: Any, data: Data | None, n_threads: int) -> dict[str, Any] | None:
        """Return how good a model is on rows with labels, if there are any."""
        if data is None:
            return None
        from ..search.diagnosis import metrics

        return metrics(model, self.decisions(model, data.X, n_threads), data.y)

    # What `tauboost predict` asks.

    @abstractmethod
    def answers(
        self, saved: ModelFile, model: Any, source: Source, *, with_labels: bool
    ) -> Iterator[tuple[Vector, Any]]:
        """Yield decision values, and labels if they are asked for, as much as fits the memory."""

    def refuse_options_of_texts(self, options: Mapping[str, Any], name: str) -> None:
        """Refuse options that are for models of texts only, of a model that is none."""
        for option, value in options.items():
            if value is not None and self.name != "text":
                raise ValueError(f"{option}: for models of texts, and {name} is not one")

    # What `tauboost inspect` asks.

    @abstractmethod
    def facts(self, saved: ModelFile, model: Any) -> dict[str, Any]:
        """Return the facts that only a model of this kind has."""

    @abstractmethod
    def facts_table(self, facts: dict[str, Any]) -> PlainTable:
        """Return for people what matters most in a model."""

    def of_fit(self, model: Any) -> Any:
        """Return the part of a model that knows how it was chosen, and how it ended."""
        return model

    def inspect(
        self, source: Source, status: Callable[[str], AbstractContextManager[Any]], *, verify: bool
    ) -> dict[str, Any]:
        """Return the facts of data; ``status`` shows the progress."""
        raise NotImplementedError

    def inspection(self, document: dict[str, Any]) -> Iterator[str | PlainTable]:
        """Yield it for people."""
        raise NotImplementedError

    @abstractmethod
    def read(self, source: Source) -> Data:
        """Read rows with labels, without a model."""

    def problem(self, data: Data, n_threads: int | None) -> Problem | TableProblem:
        """Build the problem that a fit would have: with an intercept."""
        from ..problem import Problem

        return Problem(used_columns(data.X), data.y, fit_intercept=True, n_threads=n_threads)

    # What reports ask.

    @abstractmethod
    def read_for(self, saved: ModelFile, model: Any, source: Source, *, is_part: bool) -> Data:
        """Read rows that a model is measured on; of which a part is chosen as in its fit."""

    @abstractmethod
    def take(self, clf: Any, X: Any) -> Any:
        """Check the rows that an estimator is measured on."""

    @abstractmethod
    def rows(self, model: NamedModel, X: Any, n_threads: int) -> GivenRows:
        """Return rows with their decision values and explanations."""

    @abstractmethod
    def n_columns(self, model: Any) -> int:
        """Return how many columns, or terms of texts, a model knows."""

    def column_name(self, model: NamedModel, column: int) -> str:
        """Return what a column is called."""
        return f"x{column}" if model.names is None else str(model.names[column])

    def terms(self, model: Any) -> Any:
        """Return the terms of a model, if it is a sum of them."""
        return None

    @abstractmethod
    def limits(self, model: NamedModel) -> str:
        """Return what a model of this kind cannot see."""

    def part(self, saved: ModelFile, data: Data, fraction: float, source: Source) -> Data:
        """Return the rows that a fit with ``--test fraction`` kept from the model."""
        seed = saved.params.get("random_state")
        if type(seed) is not int:
            raise ValueError("--test: the model does not know the seed of its fit")
        with naming(source.paths[0]):
            return self.split(data, fraction, seed, source.n_threads)[1]


def facts_of(model: Any) -> dict[str, Any]:
    """Return the facts of a fit of any kind."""
    return {
        "classes": model.classes.tolist(),
        "loss": model.loss,
        "alpha": model.alpha,
        "l1_ratio": model.l1_ratio,
        "sweeps": model.n_iter,
        "objective": [_finite(value) for value in model.objective.tolist()],
        "held_out_loss": _finite(model.held_out_loss),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def fact_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return it for people."""
    sweeps = "1 sweep" if facts["sweeps"] == 1 else f"{facts['sweeps']} sweeps"
    model = (
        f"{facts['loss']} loss, alpha {facts['alpha']:.4g}, l1 ratio {facts['l1_ratio']:g}, "
        f"{sweeps}"
    )
    rows = [("model", model)]
    values = [value for value in facts["objective"] if value is not None]
    if values:
        rows.append(("objective", ", ".join(f"{value:.8g}" for value in values[:5])))
    if facts["held_out_loss"] is not None:
        loss = f"{facts['held_out_loss']:.5f}, by which the model was chosen"
        rows.append(("validation log-loss", loss))
    return rows


def label_of(saved: ModelFile) -> str | None:
    """Return the name of the column that held the labels, if the file has it."""
    label = saved.fitted.get("label")
    return label if isinstance(label, str) else None


def kind_of(source: Source, *, may_hold_texts: bool = True) -> Kind:
    """Return the adapter of data."""
    if may_hold_texts and hold_texts(source):
        return _adapter("text")
    return _adapter("table" if is_table(source.path) else "sparse")


def open_model(path: Path) -> tuple[Any, Any, Kind]:
    """Read a model file: what it holds, the model, its adapter. Refuse data given in its place."""
    if path.is_dir():
        what = "a store" if is_store(path) else "a folder"
        raise ValueError(f"MODEL: {path} is {what}, and a model is a file that fit wrote")
    if path.is_file() and not is_tensor_file(path):
        raise ValueError(f"MODEL: {path} is none: give a file that fit wrote, and DATA after it")
    from ..models import model_of, read_model

    saved = read_model(path)
    return saved, model_of(saved, path), _adapter(MODULES[saved.kind])


def kind_of_estimator(clf: Any) -> Kind:
    """Return the adapter of a classifier."""
    from .. import estimators

    for name, module in MODULES.items():
        if isinstance(clf, getattr(estimators, name)):
            return _adapter(module)
    raise TypeError(
        "model must be a fitted TauBoostClassifier, TableClassifier or TextClassifier, or the path "
        f"of a model file, got {shown(clf)}"
    )


def _adapter(module: str) -> Kind:
    found: Kind = import_module(f".{module}", __package__).KIND
    return found
