"""A picture as inline SVG: axes, lines, areas, bars, dots and cells, in the colours of the page.

No colour is written here: every shape has a class, which the page's style colours, light or dark.
Each picture has a label for those who do not see it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..base.messages import number
from .html import Markup, join, tag
from .intervals import POINTS, Curves
from .quality import Bin

__all__ = [
    "Picture",
    "Scale",
    "coordinates",
    "draw_calibration",
    "draw_precision",
    "draw_roc",
    "path_of",
]


# Numbers in a picture are moved into this range, in which differences and quotients are numbers.
SMALLEST, LARGEST = 1e-250, 1e250


@dataclass(frozen=True)
class Scale:
    """Numbers from ``low`` to ``high`` along ``begin`` to ``end``, which may run backwards."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    @classmethod
    def around(
        cls, values: Any, begin: float, end: float, *, is_log: bool = False, room: float = 0.06
    ) -> Scale:
        """Return a scale that holds these numbers, with some room beside them."""
        finite = np.asarray(values, dtype=np.float64)
        finite = finite[np.isfinite(finite) & ((finite > 0) | (not is_log))]
        finite = np.clip(finite, SMALLEST if is_log else -LARGEST, LARGEST)
        if not len(finite):
            finite = np.array([1.0])
        low, high = float(finite.min()), float(finite.max())
        if is_log:
            spread = max(math.log(high) - math.log(low), 0.5)
            factor = math.exp(room * spread)
            return cls(low / factor, high * factor, begin, end, is_log=True)
        spread = next(size for size in (high - low, abs(high), 1.0) if size >= SMALLEST)
        return cls(low - room * spread, high + room * spread, begin, end)

    def __call__(self, values: Any) -> Vector:
        """Return the places of numbers; those beyond the ends are at the ends."""
        numbers = np.clip(np.asarray(values, dtype=np.float64), self.low, self.high)
        low, high = self.low, self.high
        if self.is_log:
            numbers, low, high = np.log(numbers), math.log(low), math.log(high)
        share = (numbers - low) / (high - low) if high > low else np.full_like(numbers, 0.5)
        return np.asarray(self.begin + share * (self.end - self.begin))

    def ticks(self, most: int = 6) -> list[float]:
        """Return round numbers within the scale."""
        if self.is_log:
            return self._decades(most)
        raw = (self.high - self.low) / max(most - 1, 1)
        if raw < SMALLEST:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [float(f"{k * step:.12g}") for k in range(first, last + 1)]

    def _decades(self, most: int) -> list[float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        every = max(1, math.ceil((last - first + 1) / most))
        found = [10.0**k for k in range(first, last + 1, every)]
        return found or [float(f"{math.sqrt(self.low) * math.sqrt(self.high):.1g}")]


LEFT, RIGHT, TOP, BOTTOM = 46.0, 12.0, 12.0, 40.0


def coordinates(values: Any) -> list[str]:
    """Write places with one digit, and none where it is 0."""
    return [f"{v:.1f}".removesuffix(".0") for v in np.asarray(values, dtype=np.float64).tolist()]


def path_of(xs: Vector, ys: Vector, *, is_closed: bool = False) -> str:
    """Return the commands of a line through points."""
    points = [f"{x} {y}" for x, y in zip(coordinates(xs), coordinates(ys), strict=True)]
    return f"M{'L'.join(points)}{'Z' if is_closed else ''}"


class Picture:
    """One picture with two axes; shapes are drawn in the order in which they are added."""

    def __init__(
        self,
        title: str,
        x: tuple[float, float] | Scale,
        y: tuple[float, float] | Scale,
        *,
        size: tuple[int, int] = (360, 270),
        bottom: float = BOTTOM,
        left: float = LEFT,
    ) -> None:
        self.title, self.size = title, size
        self.box = (left, size[0] - RIGHT, TOP, size[1] - bottom)  # left, right, top, bottom
        self.x = x if isinstance(x, Scale) else Scale(*x, self.box[0], self.box[1])
        self.y = y if isinstance(y, Scale) else Scale(*y, self.box[3], self.box[2])
        self.parts: list[Markup] = []

    @staticmethod
    def across(values: Any, *, width: int = 360, left: float = LEFT, **options: Any) -> Scale:
        """Return a scale from left to right that holds these numbers."""
        return Scale.around(values, left, width - RIGHT, **options)

    @staticmethod
    def upwards(values: Any, *, height: int = 270, bottom: float = BOTTOM, **options: Any) -> Scale:
        """Return a scale from the bottom to the top that holds these numbers."""
        return Scale.around(values, height - bottom, TOP, **options)

    def axes(
        self,
        x_name: Any = None,
        y_name: Any = None,
        *,
        x_ticks: list[float] | None = None,
        y_ticks: list[float] | None = None,
        is_percent: bool = False,
    ) -> None:
        """Draw lines at round numbers, the numbers, and what they are of."""
        left, right, top, bottom = self.box

        def text(value: float) -> str:
            return f"{100 * value:g}%" if is_percent else number(value)

        for value in self.x.ticks() if x_ticks is None else x_ticks:
            at = float(self.x(value))
            self.add("line", x1=at, x2=at, y1=top, y2=bottom, class_="grid")
            self.write(at, bottom + 15, text(value), "middle")
        for value in self.y.ticks(5) if y_ticks is None else y_ticks:
            at = float(self.y(value))
            self.add("line", x1=left, x2=right, y1=at, y2=at, class_="grid")
            self.write(left - 5, at + 4, text(value), "end")
        if x_name is not None:
            self.write((left + right) / 2, self.size[1] - 6, x_name, "middle", "name")
        if y_name is not None:
            middle = (top + bottom) / 2
            turn = f"rotate(-90 11 {middle:g})"
            self.write(11, middle, y_name, "middle", "name", transform=turn)

    def add(self, name: str, *children: Any, **attributes: Any) -> None:
        """Add a shape; places are written short."""
        short = {
            key: coordinates([value])[0] if isinstance(value, float | np.floating) else value
            for key, value in attributes.items()
        }
        self.parts.append(tag(name, *children, **short))

    def write(
        self,
        x: float,
        y: float,
        text: Any,
        anchor: str = "start",
        class_: str = "tick",
        **more: Any,
    ) -> None:
        """Write a text at a place."""
        anchor_ = None if anchor == "start" else anchor
        self.add("text", text, x=float(x), y=float(y), text_anchor=anchor_, class_=class_, **more)

    def line(self, xs: Any, ys: Any, class_: str = "line") -> None:
        """Draw a line through points."""
        if len(xs):
            self.add("path", d=path_of(self.x(xs), self.y(ys)), class_=class_)

    def steps(self, edges: Any, values: Any, class_: str = "line") -> None:
        """Draw a step function: values[k] from edges[k] to edges[k + 1]."""
        xs = np.repeat(self.x(edges), 2)[1:-1]
        self.add("path", d=path_of(xs, np.repeat(self.y(values), 2)), class_=class_)

    def band(self, xs: Any, low: Any, high: Any, class_: str = "band") -> None:
        """Fill what is between two lines."""
        if len(xs):
            around = np.concatenate([self.x(xs), self.x(xs)[::-1]])
            edges = np.concatenate([self.y(low), self.y(high)[::-1]])
            self.add("path", d=path_of(around, edges, is_closed=True), class_=class_)

    def dot(
        self, x: float, y: float, class_: str = "dot", radius: float = 3.5, **more: Any
    ) -> None:
        """Draw a dot."""
        self.add(
            "circle", cx=float(self.x(x)), cy=float(self.y(y)), r=radius, class_=class_, **more
        )

    def svg(self, class_: str = "picture") -> Markup:
        """Return the picture."""
        width, height = self.size
        return tag(
            "svg",
            join(self.parts),
            viewBox=f"0 0 {width} {height}",
            role="img",
            aria_label=self.title,
            class_=class_,
        )


SHARES = [0.0, 0.25, 0.5, 0.75, 1.0]
MOST_POINTS = 160  # of a line: more would not be seen


def draw_roc(found: Curves, name: str) -> Markup:
    """Draw the true rate against the false rate, with its confidence interval."""
    picture = _square(f"ROC curve of {name}", "false positive rate", "true positive rate")
    picture.line([0, 1], [0, 1], "guess")
    picture.band(POINTS, found.roc_low, found.roc_high)
    picture.line(*_thinned(found.false_rate, found.true_rate))
    picture.dot(0, 0, "dot moved", data_dot="roc", visibility="hidden")
    return picture.svg()


def draw_precision(found: Curves, name: str, share: float) -> Markup:
    """Draw the precision against the recall, with its confidence interval."""
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
