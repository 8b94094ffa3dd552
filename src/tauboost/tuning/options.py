"""The parameters of a classifier, and what a fit makes of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

from ..base.messages import shown
from ..io.checkpoint import Checkpoint
from ..search.watch import Report
from ..validation import check_choice, check_count, check_flag, check_real, check_verbose
from .samples import Samples

__all__ = ["Options", "Parameters"]

LOSS_CHOICES = ("logistic", "exponential", "auto")

# The options that tell a fit from another.
IDENTITY = (
    *("loss", "alpha", "l1_ratio", "max_iter", "tol"),
    *("early_stopping", "validation_fraction", "calibrate"),
)


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    loss: str
    alpha: float | str
    l1_ratio: float | str
    max_iter: int
    tol: float
    early_stopping: bool = False
    validation_fraction: float = 0.2
    calibrate: bool = False
    time_limit: float | None = None
    report: Report | None = None  # None: nobody listens
    checkpoint: Checkpoint | None = None

    def identity(self, samples: Samples) -> dict[str, Any]:
        """Return what tells this fit from others; limits of time and threads do not."""
        return {name: getattr(self, name) for name in IDENTITY} | samples.identity()


@dataclass(frozen=True)
class Parameters:
    """The parameters of ``TauBoostClassifier`` with their defaults, unchecked, by name in order."""

    alpha: float | str = "auto"
    calibration: str | None = None
    class_weight: Any = None
    early_stopping: bool = False
    fit_intercept: bool = True
    l1_ratio: float | str = 0.0
    loss: str = "logistic"
    max_iter: int = 1000
    n_jobs: int | None = -1
    penalty_factors: Any = "auto"
    random_state: Any = None
    time_limit: float | None = None
    tol: float = 1e-3
    validation_fraction: float = 0.2
    verbose: int = 0
    warm_start: bool = False

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return those of an estimator."""
        return cls(**{known.name: getattr(estimator, known.name) for known in fields(cls)})

    def options(
        self, report: Report | None = None, checkpoint: Checkpoint | None = None
    ) -> Options:
        """Check them, all of them, before any work."""
        check_choice(self.loss, "loss", LOSS_CHOICES)
        if self.calibration not in (None, "sigmoid"):
            raise ValueError(
                f"calibration must be None or 'sigmoid', got {shown(self.calibration)}"
            )
        check_flag(self.fit_intercept, "fit_intercept")
        check_flag(self.warm_start, "warm_start")
        check_verbose(self.verbose)
        max_iter = check_count(self.max_iter, "max_iter")
        limit = self.time_limit
        if limit is not None:
            limit = check_real(limit, "time_limit", least=0.0, above=True)
        fraction = check_real(self.validation_fraction, "validation_fraction", least=0.0, most=0.9)
        if fraction == 0.0:
            raise ValueError("validation_fraction must be above 0, got 0")
        alpha = number_or_auto(self.alpha, "alpha", most=1e300)
        ratio = number_or_auto(self.l1_ratio, "l1_ratio", most=1.0)
        for name, value in (("loss", self.loss), ("l1_ratio", ratio)):
            if value == "auto" and alpha != "auto":
                raise ValueError(
                    f"{name}='auto' is chosen on held-out samples: it needs alpha='auto'"
                )
        return Options(
            loss=self.loss,
            alpha=alpha,
            l1_ratio=ratio,
            max_iter=max_iter,
            tol=check_real(self.tol, "tol", least=0.0),
            early_stopping=check_flag(self.early_stopping, "early_stopping"),
            validation_fraction=fraction,
            calibrate=self.calibration is not None,
            time_limit=limit,
            report=report,
            checkpoint=checkpoint,
        )


def number_or_auto(value: Any, name: str, most: float) -> float | str:
    """Check a parameter that is a number or chosen by itself."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name} must be 'auto' or a number, got {shown(value)}")
        return value
    return check_real(value, name, least=0.0, most=most)
