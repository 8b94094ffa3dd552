"""A fit with someone watching: every event told, the state kept in a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..io.checkpoint import NoCheckpoint
from ..tuning.options import Event, Report

if TYPE_CHECKING:
    from .classifier import TauBoostClassifier

__all__ = ["Watch", "fit_watched"]


@dataclass(frozen=True)
class Watch:
    """Who is told, and where the state is kept."""

    report: Report | None = None
    checkpoint: NoCheckpoint = field(default_factory=NoCheckpoint)

    def telling(self, other: Report | None) -> Report | None:
        """Return a report function that tells both; either may ask to stop."""
        listeners = [report for report in (self.report, other) if report is not None]
        if not listeners:
            return None

        def tell(event: Event) -> bool:
            stops = [report(event) for report in listeners]
            return any(stops)

        return tell


def fit_watched(clf: TauBoostClassifier, X: Any, y: Any = None, **watch: Any) -> None:
    """Fit ``clf`` with a `Watch` of these fields."""
    clf._watch = Watch(**watch)
    try:
        clf.fit(X, y)
    finally:
        del clf._watch
