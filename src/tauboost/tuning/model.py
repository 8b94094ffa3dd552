"""A fitted linear classifier: what it predicts, and how it becomes a file and comes back.

Training makes one, the command line uses it as it is, and estimators are thin over it: each field
is an attribute of theirs, with an underscore behind its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.kinds import is_sparse
from ..io.model import ModelData, ModelFileError
from ..losses import LOSSES, likeliest
from ..validation import CsrArrays, check_real, check_vector
from .linear import decision_values, sparse_decision_values
from .race_table import LINEAR, pack_race, unpack_race
from .record import Record, read_record
from .saved_params import check_params

__all__ = ["Answers", "Model", "check_fitted", "fitted_facts", "loading", "unknown_kind"]

# The estimators whose files these are: all of them predict alike.
KINDS = ("TauBoostClassifier", "TauBoostClassifierCV")


class Answers:
    """What a model's decision values, (samples, tasks), mean: classes and probabilities."""

    classes: NDArray[Any]
    loss: str

    def labels(self, decisions: Vector) -> NDArray[Any]:
        """Return the likeliest class of each sample."""
        return np.asarray(self.classes[likeliest(decisions)])

    def probabilities(self, decisions: Vector) -> Vector:
        """Return the probability of each class, (samples, classes)."""
        return LOSSES[self.loss].probabilities(decisions)


@dataclass(frozen=True, eq=False)
class Model(Answers):
    """Coefficients and classes, and how they were found."""

    classes: NDArray[Any]
    coef: Any  # array or CSR, (tasks, features): one task for two classes, else one for each
    intercept: Vector  # (tasks,)
    loss: str
    alpha: float
    l1_ratio: float
    n_iter: int  # sweeps
    objective: Vector  # F + psi, (tasks,)
    held_out_loss: float  # NaN where no samples were held out
    message: str
    selection: list[dict[str, float | str]] = field(default_factory=list)
    record: Record | None = None  # what it was fitted on, where that is known

    def decisions(self, rows: CsrArrays | Vector, n_threads: int) -> Vector:
        """Return X coef + intercept, (samples, tasks); features beyond the model's count for 0."""
        if not isinstance(rows, CsrArrays):
            return np.asarray(rows @ self.coef.T + self.intercept)
        with rows.reading():
            if is_sparse(self.coef):
                return sparse_decision_values(rows, self.coef, self.intercept, n_threads)
            coef, n_unknown = self.coef, rows.shape[1] - self.coef.shape[1]
            if n_unknown > 0:
                coef = np.pad(coef, ((0, 0), (0, n_unknown)))
            return decision_values(rows, coef, self.intercept, n_threads)

    def to_data(
        self, params: dict[str, Any], feature_names: Any = None, kind: str = KINDS[0]
    ) -> ModelData:
        """Return everything a file needs."""
        fitted = fitted_facts(self, LINEAR)
        n_features = self.coef.shape[1]
        return ModelData(
            self.coef, self.intercept, self.classes, feature_names, n_features, params, fitted, kind
        )

    @classmethod
    def from_data(cls, data: ModelData) -> Model:
        """Make a model from checked data; anything that does not fit is an error."""
        n_features = data.n_features if data.kind in KINDS else None
        check_params(data.kind, data.params, data.classes, n_features)
        objective = check_vector(data.fitted["objective"], data.coef.shape[0], "objective")
        fitted = check_fitted(data.fitted)
        return cls(
            data.classes,
            data.coef,
            data.intercept,
            **fitted,
            objective=objective,
            selection=unpack_race(data.fitted, LINEAR),
            record=read_record(data.fitted, len(data.classes)),
        )


def fitted_facts(model: Any, race: tuple[str, ...]) -> dict[str, Any]:
    """Return what files of all models say of the fit; ``race``: what is known of a candidate."""
    facts = {
        "loss": model.loss,
        "alpha": model.alpha,
        "l1_ratio": model.l1_ratio,
        "n_iter": model.n_iter,
        "message": model.message,
        "held_out_loss": np.array([model.held_out_loss]),
        "objective": model.objective,
        "slope": LOSSES[model.loss].link_slope,
        "offset": 0.0,
        **pack_race(model.selection, race),
    }
    record = model.record
    if record is not None:
        facts["record"] = record.to_data()
        facts |= {} if record.sketch is None else record.sketch.to_data()
    return facts


def check_fitted(fitted: dict[str, Any]) -> dict[str, Any]:
    """Return what files of all models say of the fit, checked."""
    loss = str(fitted["loss"])
    if loss not in LOSSES:
        raise ValueError(f"its loss is {loss!r}")
    held_out_loss = np.asarray(fitted["held_out_loss"], dtype=np.float64)  # may be NaN
    if held_out_loss.shape != (1,):
        raise ValueError(f"held_out_loss must have shape (1,), got {held_out_loss.shape}")
    return {
        "loss": loss,
        "alpha": check_real(fitted["alpha"], "alpha", least=0.0),
        "l1_ratio": check_real(fitted["l1_ratio"], "l1_ratio", least=0.0, most=1.0),
        "n_iter": int(check_real(fitted["n_iter"], "n_iter", least=0.0, most=2.0**53)),
        "held_out_loss": float(held_out_loss[0]),
        "message": str(fitted["message"]),
    }


def unknown_kind(kind: str) -> str:
    """Say that a file holds something else."""
    return f"it holds a {kind}, which this version of tauboost does not know"


@contextmanager
def loading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in whatever is wrong with what it holds."""
    try:
        yield
    except (ValueError, TypeError, KeyError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        reason = " ".join(reason.split())
        raise ModelFileError(f"{os.fspath(path)} cannot be loaded: {reason}") from error
