"""A picture as inline SVG: axes, lines, bands, bars, dots and cells, in the colours of the page.

No colour is written here: every shape has a class, which the page's style colours, light or dark.
Each picture has a label for those who do not see it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arrays import Vector
from .markup import Markup, join, tag
from .scales import Scale, number

__all__ = ["Picture", "coordinates", "path_of"]

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
