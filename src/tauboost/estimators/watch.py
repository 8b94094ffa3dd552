"""A fit with someone watching: every event told, the state kept in a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .checkpoint import NoCheckpoint
from .progress import silent
from .training import Event, Report

if TYPE_CHECKING:
    from .classifier import TauBoostClassifier

__all__ = ["Watch", "fit_watched"]


@dataclass(frozen=True)
class Watch:
    """Who is told, and where the state is kept."""

    report: Report = silent
    checkpoint: NoCheckpoint = field(default_factory=NoCheckpoint)

    def telling(self, other: Report) -> Report:
        """Return a report function that tells both; either may ask to stop."""

        def tell(event: Event) -> bool:
            stops = [self.report(event), other(event)]
            return any(stops)

        return tell


def fit_watched(clf: TauBoostClassifier, X: Any, y: Any = None, **watch: Any) -> None:
    """Fit ``clf`` with a `Watch` of these fields."""
    clf._watch = Watch(**watch)
    try:
        clf.fit(X, y)
    finally:
        del clf._watch
