"""The pictures of how good a model is: ROC, precision and recall, calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bands import POINTS, Curves
from .drawing import Picture
from .markup import Markup
from .quality import Bin

__all__ = ["draw_calibration", "draw_precision", "draw_roc"]

SHARES = [0.0, 0.25, 0.5, 0.75, 1.0]
MOST_POINTS = 160  # of a line: more would not be seen


def draw_roc(found: Curves, name: str) -> Markup:
    """Draw the true rate against the false rate, with its band."""
    picture = _square(f"ROC curve of {name}", "false positive rate", "true positive rate")
    picture.line([0, 1], [0, 1], "guess")
    picture.band(POINTS, found.roc_low, found.roc_high)
    picture.line(*_thinned(found.false_rate, found.true_rate))
    picture.dot(0, 0, "dot moved", data_dot="roc", visibility="hidden")
    return picture.svg()


def draw_precision(found: Curves, name: str, share: float) -> Markup:
    """Draw the precision against the recall, with its band."""
    picture = _square(f"Precision and recall of {name}", "recall", "precision")
    picture.line([0, 1], [share, share], "guess")
    picture.band(POINTS[1:], found.precision_low[1:], found.precision_high[1:])
    picture.line(*_thinned(found.true_rate, found.precision))
    picture.dot(0, 0, "dot moved", data_dot="precision", visibility="hidden")
    return picture.svg()


def draw_calibration(bins: Sequence[Bin], name: str) -> Markup:
    """Draw what came true against what was said, in bins of about as many rows."""
    title = f"Calibration of {name}: share that came true against probability said"
    picture = _square(title, "probability said", "share that came true")
    picture.line([0, 1], [0, 1], "guess")
    for one in bins:
        at, low, high = (
            float(v) for v in (picture.x(one.said), *picture.y([one.true.low, one.true.high]))
        )
        picture.add("line", x1=at, x2=at, y1=low, y2=high, class_="whisker")
    picture.line([one.said for one in bins], [one.true.value for one in bins])
    for one in bins:
        picture.dot(one.said, one.true.value)
    return picture.svg()


def _square(title: str, x_name: str, y_name: str) -> Picture:
    picture = Picture(title, (0.0, 1.0), (0.0, 1.0), size=(340, 310), left=52.0)
    picture.axes(x_name, y_name, x_ticks=SHARES, y_ticks=SHARES, is_percent=True)
    return picture


def _thinned(xs: np.ndarray, ys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a line, evenly along it."""
    steps = np.hypot(np.diff(xs), np.diff(ys))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = np.linspace(0.0, along[-1], MOST_POINTS)
    kept = np.unique(np.concatenate([np.searchsorted(along, wanted).clip(0, len(xs) - 1), [0]]))
    return xs[kept], ys[kept]
