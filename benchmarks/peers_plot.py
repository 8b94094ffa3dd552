"""A picture of a comparison: the time of a fit, on a log axis, against how good the model is.

Families of classifiers differ by colour and by mark, so that the picture survives colour-blindness
and a grey printer. Labels are moved away from points and from each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

__all__ = ["draw", "draw_all"]

Row = Mapping[str, Any]
# Colours of Okabe and Ito, which colour-blind people can tell apart.
STYLES: dict[str, tuple[str, str]] = {
    "tauboost": ("#d55e00", "*"),
    "LIBLINEAR": ("#0072b2", "o"),
    "LIBLINEAR multi-core": ("#56b4e9", "s"),
    "lbfgs": ("#009e73", "^"),
    "SGD": ("#cc79a7", "D"),
    "Snap ML": ("#000000", "v"),
    "XGBoost gblinear": ("#999999", "P"),
    "AdaBoost": ("#b8860b", "X"),
    "HistGradientBoosting": ("#0072b2", "o"),
    "LightGBM": ("#56b4e9", "s"),
    "EBM": ("#cc79a7", "D"),
    "fastText": ("#000000", "v"),
    "Vowpal Wabbit": ("#56b4e9", "s"),
}
TICKS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.997, 0.998, 0.999, 0.9999)
DIRECTIONS = np.deg2rad((0, 180, 30, -30, 150, -150, 60, -60, 120, -120, 90, -90))
# What is missing to 1, in units of the least of all: models that miss more stand at the lower edge.
WORST = 4.0
RADII = np.arange(12, 400, 10)  # pixels


@dataclass(frozen=True)
class Point:
    """A classifier in the picture."""

    name: str
    seconds: float
    height: float
    colour: str
    mark: str

    @property
    def is_ours(self) -> bool:
        """Whether this is tauboost."""
        return self.mark == "*"


def points(rows: Sequence[Row], measure: str, worst: float) -> list[Point]:
    """Return a point for each result; far below the others, at the lower edge with its value."""
    shown = [row for row in rows if math.isfinite(row["seconds"])]
    edge = 1.0 - worst * max(1.0 - max(row[measure] for row in shown), 1e-4)
    return [
        Point(
            row["model"] + (f" ({row[measure]:.3f}, below)" if row[measure] < edge else ""),
            row["seconds"],
            max(row[measure], edge),
            *STYLES[row["family"]],
        )
        for row in shown
    ]


def draw(rows: Sequence[Row], measure: str, title: str, path: Path) -> None:
    """Draw the rows that have a result into a PNG file."""
    draw_all({title: rows}, measure, path)


def draw_all(
    tables: Mapping[str, Sequence[Row]], measure: str, path: Path, worst: float = WORST
) -> None:
    """Draw several comparisons, by their titles, side by side into a PNG file."""
    width = min(len(tables), 2)
    height = -(-len(tables) // width)
    # Several are small, so that their letters can be read when all fit the width of a page.
    panel_size = (10, 6.2) if len(tables) == 1 else (6.4, 4.4)
    size = (panel_size[0] * width, panel_size[1] * height)
    figure = Figure(figsize=size, dpi=150, layout="constrained")
    panels = figure.subplots(height, width, squeeze=False).ravel()
    for axes in panels[len(tables) :]:
        axes.set_visible(False)
    shown = [points(rows, measure, worst) for rows in tables.values()]
    for axes, title, marks in zip(panels, tables, shown, strict=False):
        panel(axes, marks, measure, title)
    figure.draw_without_rendering()  # settles where the points lie
    figure.set_layout_engine("none")
    for axes, marks in zip(panels, shown, strict=False):
        label(axes, marks)
    figure.savefig(path)


def panel(axes: Axes, shown: Sequence[Point], measure: str, title: str) -> None:
    """Draw the points of one comparison, without their names."""
    scale(axes, [point.height for point in shown], [point.seconds for point in shown])
    for point in shown:
        size = 240 if point.is_ours else 60
        axes.scatter(
            point.seconds, point.height, size, point.colour, point.mark, linewidths=0, zorder=3
        )
    word = {"auc": "AUC", "accuracy": "accuracy"}[measure]
    axes.set(xlabel="time of the fit (seconds), less is better")
    axes.set_ylabel(f"{word} on the test part, more is better")
    axes.set_title(title, parse_math=False, loc="left")
    axes.grid(color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def scale(axes: Axes, values: Sequence[float], seconds: Sequence[float]) -> None:
    """Let the axes show what counts: ratios of times, and ratios of what is missing to 1."""
    lost = [max(1.0 - value, 1e-5) for value in values]
    axes.set_yscale("function", functions=(to_height, from_height))
    room = (max(lost) / min(lost)) ** 0.15 * 1.1
    axes.set_ylim(1.0 - min(max(lost) * room, 1.0), 1.0 - min(lost) / room)
    low, high = axes.get_ylim()
    ticks = [tick for tick in TICKS if low <= tick <= high]
    if len(ticks) < 4:
        rounded = MaxNLocator(8, steps=[1, 2, 5, 10]).tick_values(low, high)
        ticks = [tick for tick in rounded.tolist() if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_xscale("log")
    axes.set_xlim(min(seconds) / 1.6, max(seconds) * 2.5)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    if max(seconds) < 10 * min(seconds):  # too few powers of ten to read the axis by
        axes.xaxis.set_minor_formatter(lambda x, _: f"{x:g}")


def to_height(value: Any) -> Any:
    """Return the height of a value on the axis: the logarithm of what is missing to 1."""
    return -np.log10(np.maximum(1.0 - np.asarray(value), 1e-9))


def from_height(height: Any) -> Any:
    """Return the value at a height."""
    return 1.0 - 10.0 ** -np.asarray(height)


def label(axes: Axes, shown: Sequence[Point]) -> None:
    """Write each name at the nearest free place, with a line to its point where that is far."""
    centres = axes.transData.transform([(point.seconds, point.height) for point in shown])
    taken = []
    for point, (x, y) in zip(shown, centres, strict=True):
        half = 14 if point.is_ours else 8
        taken.append(Bbox.from_extents(x - half, y - half, x + half, y + half))
    inside = axes.get_window_extent()
    for point, centre in zip(shown, centres, strict=True):
        text = axes.text(*centre, point.name, transform=None, fontsize=9, zorder=4, va="bottom")
        text.set_fontweight("bold" if point.is_ours else "normal")
        size = text.get_window_extent()
        around = places(centre, size.width, size.height)
        box = next((box for box in around if is_free(box, taken, inside)), size)
        taken.append(box)
        text.set_position((box.x0, box.y0))
        near = np.clip(centre, (box.x0, box.y0), (box.x1, box.y1))
        if np.hypot(*(near - centre)) > (24 if point.is_ours else 18):
            ends = axes.transData.inverted().transform([centre, near])
            axes.plot(*ends.T, color=point.colour, linewidth=0.7, zorder=2)


def places(point: np.ndarray, width: float, height: float) -> Iterator[Bbox]:
    """Yield boxes around a point, the nearest first."""
    for radius in RADII:
        for angle in DIRECTIONS:
            x, y = point + radius * np.array([np.cos(angle), np.sin(angle)])
            left = x - width * (0.5 - 0.5 * np.sign(np.round(np.cos(angle), 6)))
            yield Bbox.from_bounds(left, y - height / 2, width, height)


def is_free(box: Bbox, taken: Sequence[Bbox], inside: Bbox) -> bool:
    """Whether a box lies within the axes and on nothing else."""
    is_within = box.x0 >= inside.x0 and box.x1 <= inside.x1
    is_within = is_within and box.y0 >= inside.y0 and box.y1 <= inside.y1
    return is_within and not any(box.padded(2).overlaps(other) for other in taken)
