"""The terms of a table model as small pictures: step functions, bars of categories, heatmaps.

Below each step function is the density of the data, so that one sees where rows back a step. With
 more than two classes a term is a strip of cells for each class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import number
from ..tables.terms import Term
from .html import Markup
from .svg import Picture, Scale, coordinates

__all__ = ["LEVELS", "draw_term", "spoken"]


LEVELS = 6  # of colour on either side of 0
SIZE = (330, 190)
MOST_BARS = 14  # categories of a picture, those with the most data
MOST_ROWS = 12  # classes of a strip
NAME_WIDTH = 110.0


def draw_term(term: Term) -> Markup:
    """Draw a term of any kind."""
    if term.kind == "pair":
        return _pair(term)
    if len(term.classes) > 2:
        return _strips(term)
    return _steps(term) if term.kind == "numeric" else _bars(term)


def spoken(term: Term) -> int | None:
    """Return the class that the picture of a pair is about, where there are more than two."""
    if term.kind != "pair" or len(term.classes) == 2:
        return None
    return int(np.argmax(np.tensordot(term.weights, np.abs(term.scores), 2)))


def _bounds(edges: Vector, n: int) -> Vector:
    """Return where the cells of numbers begin and end; the outer ones are as wide as a share."""
    if not len(edges):
        return np.array([0.0, 1.0])
    spread = float(edges[-1] - edges[0]) or abs(float(edges[0])) or 1.0
    room = 0.08 * spread if n > 2 else 0.5 * spread
    return np.concatenate([[edges[0] - room], edges, [edges[-1] + room]])


def _is_skewed(edges: Vector) -> bool:
    """Tell whether most edges are in a corner of their range, so that they go in order instead."""
    if len(edges) < 4:
        return False
    spread = edges[-1] - edges[0]
    return bool(
        (np.median(edges) - edges[0]) < 0.04 * spread
        or (edges[-1] - np.median(edges)) < 0.04 * spread
    )


def _steps(term: Term) -> Markup:
    axis = term.axes[0]
    n, scores = axis.n_ordered, term.scores[: axis.n_ordered]
    in_order = _is_skewed(axis.edges)
    bounds = np.arange(n + 1.0) if in_order else _bounds(axis.edges, n)
    band = term.band
    tops = scores if band is None else np.concatenate([band.lower[:n], band.upper[:n]])
    values = [0.0, *np.ravel(tops), *_missing(term)]
    y = Picture.upwards(values, height=SIZE[1], bottom=24.0, room=0.12)
    x = Scale(
        float(bounds[0]), float(bounds[-1]), 46.0, SIZE[0] - 12.0 - 22.0 * bool(_missing(term))
    )
    picture = Picture(f"Score of {_name(term)}", x, y, size=SIZE, bottom=24.0)
    picture.axes(y_ticks=y.ticks(4), x_ticks=[] if in_order else x.ticks(5))
    if in_order:
        _write_edges(picture, axis.edges)
    _density(picture, x(bounds), term.weights[:n])
    if band is not None:
        picture.band(
            np.repeat(bounds, 2)[1:-1], np.repeat(band.lower[:n], 2), np.repeat(band.upper[:n], 2)
        )
    picture.line([bounds[0], bounds[-1]], [0, 0], "zero")
    picture.steps(bounds, scores)
    for score in _missing(term):
        at = SIZE[0] - 18.0
        picture.add("circle", cx=at, cy=float(y(score)), r=3.5, class_="dot")
        picture.write(at, SIZE[1] - 9, "none", "middle")
    return picture.svg("picture term")


def _write_edges(picture: Picture, edges: Vector) -> None:
    """Write some edges where the cells are as wide as each other."""
    places = np.unique(np.linspace(0, len(edges) - 1, 5).astype(int))
    for k in places.tolist():
        at = float(picture.x(k + 1.0))
        picture.add("line", x1=at, x2=at, y1=picture.box[2], y2=picture.box[3], class_="grid")
        picture.write(at, picture.box[3] + 15, number(float(edges[k])), "middle")


def _missing(term: Term) -> list[float]:
    """Return the score of missing values, if there were any and they have their own cell."""
    axis = term.axes[0]
    if axis.missing < axis.n_ordered or not term.weights[axis.missing] > 0:
        return []
    return [float(term.scores[axis.missing])]


def _density(picture: Picture, places: Vector, weights: Vector) -> None:
    """Fill the share of the data above each width, from the bottom up."""
    widths = np.maximum(np.diff(places), 0.3)
    heights = weights / widths
    top = float(heights.max(initial=0.0)) or 1.0
    base = picture.box[3]
    ys = base - 0.3 * (base - picture.box[2]) * np.sqrt(heights / top)
    xs = coordinates(places)
    parts = [f"M{xs[0]} {base:g}"]
    parts += [f"V{y}H{x}" for y, x in zip(coordinates(ys), xs[1:], strict=True)]
    picture.add("path", d=f"{''.join(parts)}V{base:g}Z", class_="density")


def _bars(term: Term) -> Markup:
    axis = term.axes[0]
    order = np.argsort(-term.weights, kind="stable")
    shown = order[term.weights[order] > 0][:MOST_BARS]
    shown = shown[np.argsort(-term.scores[shown], kind="stable")]
    height = max(70, 24 + 18 * len(shown) + 20)
    x = Scale.around([0.0, *term.scores[shown]], NAME_WIDTH, SIZE[0] - 36.0, room=0.08)
    picture = Picture(f"Score of {_name(term)}", x, (0.0, 1.0), size=(SIZE[0], height), bottom=24.0)
    picture.axes(x_ticks=x.ticks(4), y_ticks=[])
    zero, top = float(x(0.0)), float(term.weights.max())
    for k, cell in enumerate(shown.tolist()):
        at, score = 18.0 + 18 * k, float(term.scores[cell])
        begin, end = sorted((zero, float(x(score))))
        side = "for" if score > 0 else "against"
        picture.add(
            "rect", x=begin, y=at - 5, width=max(end - begin, 0.8), height=10.0, class_=side
        )
        width = 26.0 * float(np.sqrt(term.weights[cell] / top))
        picture.add("rect", x=SIZE[0] - 28.0, y=at - 5, width=width, height=10.0, class_="density")
        picture.write(NAME_WIDTH - 6, at + 3, _short(axis.names[cell]), "end")
    picture.add("line", x1=zero, x2=zero, y1=8.0, y2=height - 24.0, class_="zero")
    return picture.svg("picture term")


def _strips(term: Term) -> Markup:
    """Draw a row of cells for each class."""
    axis = term.axes[0]
    order = np.arange(len(axis.names))
    if term.kind == "category":
        order = np.argsort(-term.weights, kind="stable")[:MOST_BARS]
    cells = [int(k) for k in order if term.weights[k] > 0]
    importance = (term.weights[:, None] * np.abs(term.scores)).sum(axis=0)
    classes = np.sort(np.argsort(-importance, kind="stable")[:MOST_ROWS])
    height = 20 + 18 * len(classes) + 40
    picture = Picture(
        f"Scores of {_name(term)} for each class", (0.0, 1.0), (0.0, 1.0), size=(SIZE[0], height)
    )
    edges = np.linspace(NAME_WIDTH, SIZE[0] - 12.0, len(cells) + 1)
    values = np.array([[term.scores[c, k] for c in cells] for k in classes]).reshape(
        len(classes), -1
    )
    rows = 10.0 + 18.0 * np.arange(len(classes) + 1)
    _cells(picture, edges, rows, values)
    for k, label in enumerate(classes.tolist()):
        picture.write(NAME_WIDTH - 6, 23.0 + 18 * k, _short(str(term.classes[label])), "end")
    for at in sorted({0, len(cells) // 2, len(cells) - 1} if cells else set()):
        middle = (edges[at] + edges[at + 1]) / 2
        anchor = "start" if at == 0 else "end" if at == len(cells) - 1 and at else "middle"
        place = edges[0] if anchor == "start" else edges[-1] if anchor == "end" else middle
        picture.write(place, height - 18, _short(axis.names[cells[at]], 14), anchor)
    return picture.svg("picture term")


def _pair(term: Term) -> Markup:
    code = spoken(term)
    scores = term.scores if code is None else term.scores[..., code]
    keep = [np.flatnonzero(term.weights.sum(axis=1 - k) > 0) for k in (0, 1)]
    scores, weights = scores[np.ix_(*keep)], term.weights[np.ix_(*keep)]
    size = (SIZE[0], 250)
    picture = Picture(f"Scores of {_name(term)}", (0.0, 1.0), (0.0, 1.0), size=size)
    xs = np.linspace(NAME_WIDTH, size[0] - 12.0, scores.shape[0] + 1)
    ys = np.linspace(size[1] - 40.0, 12.0, scores.shape[1] + 1)
    _cells(picture, xs, ys, np.where(weights > 0, scores, np.nan).T)
    names = [[axis.names[k] for k in some] for axis, some in zip(term.axes, keep, strict=True)]
    for at in sorted({0, scores.shape[1] - 1}):
        picture.write(NAME_WIDTH - 6, (ys[at] + ys[at + 1]) / 2 + 4, _short(names[1][at]), "end")
    picture.write(NAME_WIDTH, size[1] - 24, _short(names[0][0], 15))
    if scores.shape[0] > 1:
        picture.write(size[0] - 12, size[1] - 24, _short(names[0][-1], 15), "end")
    middle = (NAME_WIDTH + size[0] - 12) / 2
    picture.write(middle, size[1] - 8, _short(term.axes[0].feature, 30), "middle", "name")
    turn = f"rotate(-90 11 {size[1] / 2:g})"
    picture.write(
        11, size[1] / 2, _short(term.axes[1].feature, 26), "middle", "name", transform=turn
    )
    return picture.svg("picture term")


def _cells(picture: Picture, xs: Vector, ys: NDArray[Any], values: NDArray[Any]) -> None:
    """Draw a table of numbers, (rows, columns), as cells; one path for each level of colour."""
    top = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    levels = np.nan_to_num(np.rint(LEVELS * values / top), nan=99.0).astype(int)
    columns, rows = coordinates(xs), coordinates(ys)
    for level in sorted(set(levels.ravel().tolist())):
        runs = []
        for j, row in enumerate(levels == level):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(int), [0]])))
            runs += [
                f"M{columns[a]} {rows[j]}H{columns[b]}V{rows[j + 1]}H{columns[a]}Z"
                for a, b in edges.reshape(-1, 2).tolist()
            ]
        side = "none" if level == 99 else f"up{level}" if level > 0 else f"down{-level}"
        picture.add("path", d="".join(runs), class_=f"cell {side}")


def _name(term: Term) -> str:
    return _short(term.name, 60)


def _short(text: str, most: int = 17) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
