"""What a fit makes of the parameters of a linear classifier: checked, and with who watches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, Self

from ..base.messages import shown
from ..io.checkpoint import Checkpoint
from ..parameters import LinearParameters, Parameters
from ..sparse.training import Samples
from ..validation import check_choice, check_count, check_flag, check_real, check_verbose
from .search import Report

__all__ = ["Options", "check_shared"]


LOSS_CHOICES = ("logistic", "exponential", "auto")

# The options that tell a fit from another.
IDENTITY = (
    *("loss", "alpha", "l1_ratio", "max_iter", "tol"),
    *("early_stopping", "validation_fraction", "calibrate"),
)


@dataclass(kw_only=True, eq=False, repr=False)
class Options(LinearParameters):
    """Parameters that have been checked, each of the type that is written there, and a watcher."""

    report: Report | None = None  # None: nobody listens
    checkpoint: Checkpoint | None = None

    @classmethod
    def of(
        cls,
        parameters: LinearParameters,
        report: Report | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Self:
        """Check them, all of them, before any work."""
        given = parameters
        if given.calibration not in (None, "sigmoid"):
            raise ValueError(
                f"calibration must be None or 'sigmoid', got {shown(given.calibration)}"
            )
        fraction = check_real(given.validation_fraction, "validation_fraction", least=0.0, most=0.9)
        if fraction == 0.0:
            raise ValueError("validation_fraction must be above 0, got 0")
        return cls(
            **check_shared(given, LOSS_CHOICES),
            fit_intercept=check_flag(given.fit_intercept, "fit_intercept"),
            early_stopping=check_flag(given.early_stopping, "early_stopping"),
            validation_fraction=fraction,
            calibration=given.calibration,
            warm_start=check_flag(given.warm_start, "warm_start"),
            report=report,
            checkpoint=checkpoint,
        )

    @property
    def calibrate(self) -> bool:
        """Whether decision values are scaled."""
        return self.calibration is not None

    def identity(self, samples: Samples) -> dict[str, Any]:
        """Return what tells this fit from others; limits of time and threads do not."""
        return {name: getattr(self, name) for name in IDENTITY} | samples.identity()


def check_shared(given: Any, losses: Collection[str]) -> dict[str, Any]:
    """Check what all classifiers that choose alpha have, and return it by name.

    What depends on the data, such as class_weight, is checked with them.
    """
    check_choice(given.loss, "loss", losses)
    check_verbose(given.verbose)
    limit = given.time_limit
    if limit is not None:
        limit = check_real(limit, "time_limit", least=0.0, above=True)
    alpha = number_or_auto(given.alpha, "alpha", most=1e300)
    ratio = number_or_auto(given.l1_ratio, "l1_ratio", most=1.0)
    for name, value in (("loss", given.loss), ("l1_ratio", ratio)):
        if value == "auto" and alpha != "auto":
            raise ValueError(f"{name}='auto' is chosen by validation loss: it needs alpha='auto'")
    return {
        **{known.name: getattr(given, known.name) for known in fields(Parameters)},
        "alpha": alpha,
        "l1_ratio": ratio,
        "max_iter": check_count(given.max_iter, "max_iter"),
        "tol": check_real(given.tol, "tol", least=0.0),
        "time_limit": limit,
    }


def number_or_auto(value: Any, name: str, most: float) -> float | str:
    """Check a parameter that is a number or chosen by itself."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name} must be 'auto' or a number, got {shown(value)}")
        return value
    return check_real(value, name, least=0.0, most=most)
