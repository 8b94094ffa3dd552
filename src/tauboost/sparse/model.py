"""A fitted linear classifier: what it predicts, and how it becomes a file and comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector, expit, is_sparse, softplus
from ..io.model_arrays import (
    ArrayKind,
    Csr,
    Numbers,
    Strings,
    check_numbers,
    check_strings,
    count_rows,
)
from ..io.model_file import Format, ModelFile, is_size
from ..io.tensors import excerpt
from ..losses import LOSSES, Loss
from ..models import Contributions, FittedModel
from ..search.record import LINEAR, Record, pack_candidates, read_record, unpack_candidates
from ..search.saved_params import check_params
from ..validation import CsrArrays, check_real, check_vector
from .decisions import decision_values, sparse_decision_values
from .design import coefficients_of

__all__ = ["Model", "check_fitted", "fit_link", "fitted_facts"]


MAX_FEATURES = 2**53  # every JSON reader can hold it


def _arrays(header: Mapping[str, Any]) -> dict[str, ArrayKind]:
    n_features, shape = (
        header["n_features"],
        (count_rows(header["n_classes"]), header["n_features"]),
    )
    is_dense = header["coef"] == "dense"
    coef: ArrayKind = Numbers(frozenset({"F64"}), shape) if is_dense else Csr(shape)
    names: dict[str, ArrayKind] = {"feature_names": Strings(n_features)}
    return {"coef": coef, **(names if header["feature_names"] else {})}


def _check(file: ModelFile) -> None:
    """Check coefficients and names; a CSR ``coef`` may claim far more columns than it stores."""
    n_features, names = file.header["n_features"], file.feature_names
    if type(n_features) is not int or not 0 < n_features <= MAX_FEATURES:
        raise ValueError(
            f"n_features must be an integer from 1 to {MAX_FEATURES}, got {excerpt(n_features)}"
        )
    check_numbers(file.arrays["coef"], (len(file.arrays["intercept"]), n_features), "coef")
    if names is not None:
        check_strings(names, "feature_names", n_features)


@dataclass(frozen=True, eq=False)
class Model(FittedModel):
    """Coefficients and classes, and how they were found."""

    format = Format(
        1,
        {
            "n_features": is_size,
            "coef": lambda value: value in ("dense", "sparse"),
            "feature_names": lambda value: isinstance(value, bool),
        },
        _arrays,
        _check,
    )
    kinds = ("TauBoostClassifier", "TauBoostClassifierCV")

    classes: NDArray[Any]
    coef: Any  # array or CSR, (tasks, features): one task for two classes, else one for each
    intercept: Vector  # (tasks,)
    loss: str
    alpha: float
    l1_ratio: float
    n_iter: int  # sweeps
    objective: Vector  # F + psi, (tasks,)
    held_out_loss: float  # NaN where there was no validation set
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

    def explain(
        self, rows: CsrArrays | Vector, class_: Any = None, n_threads: int = 1
    ) -> Contributions:
        """Return x_ji coef_i where X has entries; several classes: of the likeliest, or the given.

        Sums of rows and ``intercepts`` are the decision values.
        """
        import scipy.sparse as sp  # noqa: PLC0415

        decisions = self.decisions(rows, n_threads)
        places = self.places(decisions, class_)
        tasks, sign = self.tasks(places)
        values = rows.to_scipy().copy() if isinstance(rows, CsrArrays) else sp.csr_array(rows)
        task_of_entry = np.repeat(tasks, np.diff(values.indptr))
        for task in np.unique(tasks):
            here = task_of_entry == task
            weights = coefficients_of(self.coef[[task]], values.indices[here])[0]
            values.data[here] *= sign * weights
        own = np.arange(len(tasks))
        return Contributions(
            values,
            sign * self.intercept[tasks],
            sign * decisions[own, tasks],
            self.probabilities(decisions)[own, places],
            places,
            None,
        )

    def to_arrays(
        self, params: Mapping[str, Any], names: Any = None, kind: str = "TauBoostClassifier"
    ) -> ModelFile:
        """Return what a file holds."""
        arrays = {"classes": self.classes, "intercept": self.intercept, "coef": self.coef}
        header = {
            "version": self.format.version,
            "kind": kind,
            "n_features": self.coef.shape[1],
            "coef": "sparse" if is_sparse(self.coef) else "dense",
            "feature_names": names is not None,
            "params": dict(params),
            "fitted": fitted_facts(self, LINEAR),
        }
        return ModelFile(header, arrays | ({} if names is None else {"feature_names": names}))

    @classmethod
    def from_arrays(cls, file: ModelFile, *, trusted: bool = False) -> Self:  # noqa: ARG003
        """Make a model of what was read from a file; anything that does not fit is an error."""
        n_features = file.header["n_features"] if file.kind in Model.kinds else None
        check_params(file.kind, file.params, file.arrays["classes"], n_features)
        intercept = file.arrays["intercept"]
        return cls(
            file.arrays["classes"],
            file.arrays["coef"],
            intercept,
            **check_fitted(file),
            objective=check_vector(file.fitted["objective"], len(intercept), "objective"),
            selection=unpack_candidates(file.fitted, LINEAR),
        )


def fitted_facts(model: Any, columns: tuple[str, ...]) -> dict[str, Any]:
    """Return what all model files hold of the fit; ``columns``: those of the search's table."""
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
        **pack_candidates(model.selection, columns),
    }
    record = model.record
    if record is not None:
        facts["record"] = record.to_data()
        facts |= {} if record.sketch is None else record.sketch.to_data()
    return facts


def check_fitted(file: ModelFile) -> dict[str, Any]:
    """Return what all model files hold of the fit, checked."""
    fitted = file.fitted
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
        "record": read_record(fitted, len(file.arrays["classes"])),
    }


# From decision values to probabilities: a link fitted on the validation set.
#
# Two classes, a sigmoid (Platt 1999):
#
#     p = 1 / (1 + exp(-(slope H + offset)))
#
# Minimised by Newton's method on the log-loss of the validation set, whose targets are pulled a
# little towards one half, as Platt does, so that separable samples have an optimum too.
#
# Several classes, one slope for all and no offset (a temperature). A sigmoid for each, which
# sees one class against the rest, knows nothing of the scaling to sum 1 that comes after it,
# and has two numbers to learn from the few samples of one class: both made small sets worse than
# they were. The logarithm of the slope has a normal prior around that of the natural link, worth
# a few samples.


# Of the logarithm of the slope of several classes.
PRIOR_DEVIATION, WIDEST = 0.25, 3.0
GOLDEN = (5**0.5 - 1) / 2


def fit_link(
    decisions: Vector, codes: NDArray[np.intp], copies: Vector, loss: Loss
) -> tuple[float, float]:
    """Return the slope and the offset of all columns of decisions.

    ``copies`` is how many samples each of these stands for.
    """
    if decisions.shape[1] == 1:
        return fit_sigmoid(decisions[:, 0], codes == 1, copies, loss.link_slope)
    return loss.link_slope * fit_scale(decisions, codes, copies, loss), 0.0


def fit_scale(decisions: Vector, codes: NDArray[np.intp], copies: Vector, loss: Loss) -> float:
    """Return what several classes' decision values are to be multiplied by."""

    def cost(t: float) -> float:
        prior = 0.5 * (t / PRIOR_DEVIATION) ** 2
        return loss.log_loss(np.exp(t) * decisions, codes, copies) + prior

    # Golden section, to four digits.
    low, high = -WIDEST, WIDEST
    while high - low > 1e-4:
        step = GOLDEN * (high - low)
        low, high = (
            (low, low + step) if cost(high - step) < cost(low + step) else (high - step, high)
        )
    return float(np.exp(0.5 * (low + high)))


def fit_sigmoid(
    H: Vector, is_positive: NDArray[np.bool_], copies: Vector, natural: float
) -> tuple[float, float]:
    """Return slope and offset; the natural link where nothing better is found."""
    n_pos, n_neg = float(copies[is_positive].sum()), float(copies[~is_positive].sum())
    target = np.where(is_positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    c = copies / copies.sum()
    point = np.array([natural, 0.0])

    def loss(at: Vector) -> float:
        z = at[0] * H + at[1]
        return float(c @ (softplus(z) - target * z))

    value = loss(point)
    for _ in range(100):
        p = expit(point[0] * H + point[1])
        g = c * (p - target)
        gradient = np.array([g @ H, g.sum()])
        h = c * p * (1.0 - p)
        cross = h @ H
        hessian = np.array([[h @ (H * H), cross], [cross, h.sum()]])
        hessian += 1e-12 * np.trace(hessian) * np.eye(2) + 1e-300 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while length > 1e-6 and not loss(point - length * step) <= value:
            length /= 2
        if length <= 1e-6:
            break
        point = point - length * step
        before, value = value, loss(point)
        if before - value < 1e-10:
            break
    slope, offset = float(point[0]), float(point[1])
    # A falling link would turn predictions around: better the plain one.
    return (slope, offset) if slope > 0 else (natural, 0.0)
