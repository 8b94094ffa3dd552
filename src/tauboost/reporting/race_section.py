"""How the strength of the penalty was chosen: the candidates of the race as a picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .drawing import Picture
from .elements import Cell, Section, figure, note, paragraph, table
from .markup import Markup, join, tag
from .scales import number
from .subject import Subject

__all__ = ["race_section"]

SIZE = (400, 270)

Lines = dict[str, list[tuple[float, float]]]


def race_section(subject: Subject) -> Section:
    """Return how the strength of the penalty was chosen."""
    fit, title = subject.fit, "How the strength was chosen"
    if not fit.selection:
        how = (
            f"No candidates raced for alpha {number(fit.alpha)}: it was given, or too few rows "
            "were there to hold some out, or the model is from a file of an older version."
        )
        return Section("race", title, paragraph(how))
    strengths, pairs = _lines(fit.selection)
    chosen = min((loss for line in strengths.values() for _, loss in line), default=math.nan)
    words = (
        f"alpha {number(fit.alpha)} was chosen. Candidates of different strength were fitted to "
        "some rows and judged by their log-loss on others, which they had not seen; lower is "
        "better. The ring is the choice, which was then solved on all rows."
    )
    found = [_race(strengths, "alpha (logarithmic)", (fit.alpha, chosen))]
    if pairs:
        best = min(next(iter(pairs.values())), key=lambda point: point[1])
        is_kept = subject.terms is not None and any(t.kind == "pair" for t in subject.terms)
        found.append(_race(pairs, "smoothness of pairs", best if is_kept else None))
    parts = [paragraph(words), tag("div", *found, class_="pictures races")]
    if pairs and not is_kept:
        parts.append(note("Pairs of columns did not help by more than chance, and were left out."))
    parts.append(_table(strengths | pairs))
    return Section("race", title, join(parts))


def _lines(selection: list[dict[str, float | str]]) -> tuple[Lines, Lines]:
    """Return the least loss of each candidate by its alpha, and of pairs by their smoothness."""
    least: tuple[dict[str, dict[float, float]], dict[str, dict[float, float]]] = ({}, {})
    for row in selection:
        words = [f"l1 ratio {float(row['l1_ratio']):g}"]
        if "loss" in row:
            words.insert(0, f"{row['loss']} loss")
        smoothness = float(row.get("smoothness", math.inf))
        is_pair = math.isfinite(smoothness)  # all of them at the alpha that was chosen before
        key = "with pairs" if is_pair else ", ".join(words)
        at, loss = smoothness if is_pair else float(row["alpha"]), float(row["held_out_loss"])
        known = least[is_pair].setdefault(key, {})
        known[at] = min(loss, known.get(at, math.inf))
    strengths, pairs = (
        {key: sorted(found.items()) for key, found in some.items()} for some in least
    )
    return strengths, pairs


def _race(lines: Lines, x_name: str, chosen: tuple[float, float] | None) -> Markup:
    """Draw the losses of candidates, and ring the choice."""
    points = [point for line in lines.values() for point in line if math.isfinite(point[1])]
    losses = np.array([loss for _, loss in points] or [1.0])
    # What is far worse than the rest would press the rest together.
    worst = losses.min() + 4.0 * max(float(np.median(losses) - losses.min()), 1e-6)
    rings = [] if chosen is None or not (chosen[0] > 0 and math.isfinite(chosen[1])) else [chosen]
    x = Picture.across([at for at, _ in [*points, *rings]], width=SIZE[0], is_log=True)
    y = Picture.upwards(losses[losses <= worst], height=SIZE[1])
    picture = Picture(f"Held-out log-loss against {x_name}", x, y, size=SIZE)
    picture.axes(x_name, "held-out log-loss")
    for k, line in enumerate(lines.values()):
        inside = [(at, loss) for at, loss in line if at > 0 and math.isfinite(loss)]
        class_ = f"kind{min(k, 3)}"
        picture.line([at for at, _ in inside], [loss for _, loss in inside], f"line {class_}")
        for at, loss in inside:
            picture.dot(at, loss, f"dot {class_}", 2.5)
    for at, loss in rings:
        picture.dot(at, loss, "ring", 6.0)
    caption: list[Any] = []
    for k, key in enumerate(lines):
        caption += [tag("span", "● ", class_=f"kind{min(k, 3)}"), f"{key}  "]
    if (losses > worst).any():
        caption.append("Dots at the upper edge are worse still.")
    return figure(picture.svg(), *caption)


def _table(lines: Lines) -> Markup:
    rows = [
        (key, Cell(number(at), at), Cell(f"{loss:.5f}" if math.isfinite(loss) else "none", loss))
        for key, line in lines.items()
        for at, loss in line
    ]
    heads = ["candidates", "alpha or smoothness", "held-out log-loss"]
    inner = table("Candidates of the race", heads, rows, aligns="<>>", is_sorted=True)
    return tag("details", tag("summary", f"The {len(rows)} candidates as a table"), inner)
