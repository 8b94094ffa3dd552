"""What a fitted model is, whatever it was fitted on: it predicts, explains, and is its own file.

One class for each kind of data, `Model` of sparse rows, `TableModel` and `TextModel`; estimators
hold one, the command line uses it as it is. A model does not change: what differs is another one.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .base.arrays import Vector
from .base.messages import shown
from .io.model_file import Format, ModelFile, ModelFileError, file_bytes, read_file, write_file
from .losses import LOSSES, likeliest

__all__ = [
    "Contributions",
    "FittedModel",
    "format_of",
    "load",
    "loading",
    "model_of",
    "model_size",
    "place_of",
    "read_model",
    "write_model",
]


class Contributions(NamedTuple):
    """What each feature or term adds to the decision value of each row, for the row's class."""

    values: Any  # (rows, features), CSR, or (rows, terms)
    intercepts: Vector  # with the values of its row they add up to
    decisions: Vector
    probabilities: Vector
    places: NDArray[np.intp]  # of the class of each row, among those of the model
    names: list[str] | None  # of the features or terms, where the model knows them


class FittedModel(ABC):
    """A fitted model of any kind; ``encode``d samples are what its methods take."""

    format: ClassVar[Format]  # of its files
    kinds: ClassVar[tuple[str, ...]]  # the estimators whose files hold such a model

    classes: NDArray[Any]
    intercept: Vector  # (tasks,): one task for two classes, else one for each
    loss: str

    @property
    def n_tasks(self) -> int:
        """One for two classes, else one for each."""
        return len(self.intercept)

    @property
    def fit(self) -> Any:
        """The part that says how it was found: of a model of texts, the linear one on terms."""
        return self

    @property
    def link_slope(self) -> float:
        """The probability of a class is 1 / (1 + exp(-slope H))."""
        return LOSSES[self.loss].link_slope

    def changed(self, **changes: Any) -> Self:
        """Return the model with other values in some fields."""
        return replace(self, **changes)  # type: ignore[type-var]

    def labels(self, decisions: Vector) -> NDArray[Any]:
        """Return the likeliest class of each sample by its decision values, (samples, tasks)."""
        return np.asarray(self.classes[likeliest(decisions)])

    def probabilities(self, decisions: Vector) -> Vector:
        """Return the probability of each class, (samples, classes)."""
        return LOSSES[self.loss].probabilities(decisions)

    def places(self, decisions: Vector, class_: Any = None) -> NDArray[np.intp]:
        """Return the class that an explanation of each sample is about, by its place.

        None: the second of two classes, as of decision values, and the likeliest of more.
        """
        if class_ is None and self.n_tasks > 1:
            return likeliest(decisions)
        place = 1 if class_ is None else place_of(class_, self.classes)
        return np.full(len(decisions), place)

    def tasks(self, places: NDArray[np.intp]) -> tuple[NDArray[np.intp], float]:
        """Return the tasks that decide about classes, and the sign with which they do."""
        if self.n_tasks > 1:
            return places, 1.0
        return np.zeros_like(places), -1.0 if np.any(places == 0) else 1.0

    @abstractmethod
    def explain(self, rows: Any, class_: Any = None, n_threads: int = 1) -> Contributions:
        """Return what the features of encoded samples add to their decision values."""

    @abstractmethod
    def to_arrays(self, params: Mapping[str, Any], names: Any = None, kind: str = "") -> ModelFile:
        """Return the arrays and the header of its file, checked.

        ``params``: of the fit; ``names``: of the features, where they were given; ``kind``: the
        name of the estimator.
        """

    @classmethod
    @abstractmethod
    def from_arrays(cls, file: ModelFile, *, trusted: bool = False) -> Self:
        """Make a model of what was read from a file; anything that does not fit is an error."""


def place_of(class_: Any, classes: NDArray[Any], name: str = "class_") -> int:
    """Return the place of a label among those of a model."""
    where = np.flatnonzero(classes == class_)
    if len(where) != 1:
        raise ValueError(f"{name} must be one of {shown(classes.tolist())}, got {shown(class_)}")
    return int(where[0])


# Model files, by the version of their format: each kind of model has one, imported when it is met.
MODELS = {
    1: ("sparse.model", "Model"),
    2: ("tables.model", "TableModel"),
    3: ("texts.model", "TextModel"),
}


def _class_of(version: int) -> type[FittedModel] | None:
    if version not in MODELS:
        return None
    module, name = MODELS[version]
    found: type[FittedModel] = getattr(import_module(f".{module}", __package__), name)
    return found


def format_of(version: int) -> Format | None:
    """Return what files of a version hold; None: no version that is known."""
    model = _class_of(version)
    return None if model is None else model.format


def write_model(file: ModelFile, path: str | os.PathLike[str]) -> None:
    """Write a model file; it appears at once and complete, or not at all.

    Raises
    ------
    TypeError, ValueError
        When it holds something that cannot be stored, or does not fit together; it is named.
    OSError
        When the file cannot be written.
    """
    write_file(file, path, format_of)


def model_size(file: ModelFile) -> int:
    """Return how many bytes a model file has."""
    return file_bytes(file, format_of)


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read and check a model file.

    Raises
    ------
    ModelFileError
        When the file is not a model file, is damaged, or was written by a newer tauboost.
    OSError
        When there is no such file, or it cannot be read.
    """
    return read_file(path, format_of)


def load(path: str | os.PathLike[str], trusted: bool = False) -> Any:
    """Load a model file; of texts, see `TextModel.from_arrays` for ``trusted``."""
    return model_of(read_model(path), path, trusted)


def model_of(file: ModelFile, path: str | os.PathLike[str], trusted: bool = False) -> Any:
    """Return the model that was read from a file."""
    with loading(path):
        model = _class_of(file.header["version"])
        if model is None or file.kind not in model.kinds:
            raise ValueError(
                f"it holds a {file.kind}, which this version of tauboost does not know"
            )
        return model.from_arrays(file, trusted=trusted)


@contextmanager
def loading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in whatever is wrong with what it holds."""
    try:
        yield
    except (ValueError, TypeError, KeyError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        reason = " ".join(reason.split())
        raise ModelFileError(f"{os.fspath(path)} cannot be loaded: {reason}") from error
