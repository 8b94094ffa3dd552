"""Terms of a table model: step functions, bars of categories, most important terms.

Under every score stands the density of the data: where there are few, a score means little. The
missing value stands apart. ``figure.get_label()`` is the picture in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown_label
from .figure import AGAINST, FOR, NEUTRAL, Scale, clean, cut, new_figure, positions

if TYPE_CHECKING:
    from ..tables.terms import Axis, Term, Terms

__all__ = ["draw_pair", "plot_importances", "plot_term", "plot_terms"]


# A pair of columns as a heatmap; dots show how much data a cell has.


MOST_NAMES = 16
LARGEST_DOT = 60.0  # square points


def draw_pair(figure: Any, term: Term, scores: Vector, label: str, compact: bool) -> None:
    """Draw a table of scores with its second column to the right and its first upwards."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    axes = figure.subplots()
    keep = [_with_data(term, k) for k in (0, 1)]
    rows, columns = (_place(term, k, keep[k]) for k in (0, 1))
    shown = scores[np.ix_(*keep)]
    table = np.full((len(rows.bounds) - 1, len(columns.bounds) - 1), np.nan)
    table[np.ix_(rows.slots, columns.slots)] = shown
    size = np.abs(shown).max(initial=0.0) or 1.0
    colours = LinearSegmentedColormap.from_list("against-for", [AGAINST, "#ffffff", FOR])
    mesh = axes.pcolormesh(
        columns.bounds, rows.bounds, table, cmap=colours, vmin=-size, vmax=size,
        edgecolors="#dddddd", linewidth=0.3,
    )  # fmt: skip
    weights = term.weights[np.ix_(*keep)]
    x, y = np.meshgrid(columns.middles, rows.middles)
    areas = LARGEST_DOT * weights / (weights.max(initial=0.0) or 1.0)
    axes.scatter(x, y, s=areas, color="#333333", alpha=0.55, linewidths=0)
    for place, axis, is_x in ((columns, term.axes[1], True), (rows, term.axes[0], False)):
        _name_axis(axes, place, axis, is_x)
    bar = figure.colorbar(mesh, ax=axes)
    text = "score; dots: data" if compact else f"score for {label}; dots: share of data"
    bar.set_label(text.replace("$", r"\$"))


def _with_data(term: Term, k: int) -> NDArray[np.intp]:
    """Return the cells along an axis that have any data."""
    found = np.flatnonzero(term.weights.sum(axis=1 - k) > 0)
    axis = term.axes[k]
    # Ranges stay whole, so that every one stands beside its neighbours.
    return np.union1d(np.arange(axis.n_ordered), found).astype(np.intp)


class _Placed(NamedTuple):
    """Cells on an axis: where stretches begin and end, which of them are cells, and the ticks."""

    bounds: Vector
    slots: NDArray[np.intp]
    ticks: list[float]
    texts: list[str]
    note: str

    @property
    def middles(self) -> Vector:
        return np.asarray((self.bounds[self.slots] + self.bounds[self.slots + 1]) / 2)


def _place(term: Term, k: int, cells: NDArray[np.intp]) -> _Placed:
    axis = term.axes[k]
    apart = int(axis.missing in cells and len(cells) > 1 and axis.missing >= axis.n_ordered)
    note = ""
    if axis.n_ordered == 0:
        inner = np.arange(len(cells) - apart + 1.0)
    else:
        inner, _, ticks, note = positions(axis, term.weights.sum(axis=1 - k))
    gap = (inner[-1] - inner[0]) / max(len(inner) - 1, 8)
    tail = [inner[-1] + gap / 2, inner[-1] + 1.5 * gap] if apart else []
    slots = np.arange(len(cells))
    slots[len(cells) - apart :] += apart  # past the gap
    placed = _Placed(np.concatenate([inner, tail]), slots, [], [], note)
    if axis.n_ordered == 0:
        every = max(1, -(-len(cells) // MOST_NAMES))
        named = range(0, len(cells), every)
        texts = [cut(axis.names[cells[i]], 22) for i in named]
        return placed._replace(ticks=[float(placed.middles[i]) for i in named], texts=texts)
    at, texts = _number_ticks(inner) if ticks is None else (ticks[0].tolist(), list(ticks[1]))
    if apart:
        at, texts = [*at, float(placed.middles[-1])], [*texts, axis.names[-1]]
    return placed._replace(ticks=at, texts=texts)


def _number_ticks(inner: Vector) -> tuple[list[float], list[str]]:
    """Return round numbers within the range of the numbers: what is missing has no number."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ticks = MaxNLocator(6).tick_values(inner[0], inner[-1])
    ticks = ticks[(ticks >= inner[0]) & (ticks <= inner[-1])].tolist()
    return ticks, [f"{tick:.6g}" for tick in ticks]


def _name_axis(axes: Any, place: _Placed, axis: Axis, is_x: bool) -> None:
    name = cut(axis.feature, 40) + place.note
    if is_x:
        turned: dict[str, Any] = {"rotation": 40, "ha": "right"} if axis.n_ordered == 0 else {}
        axes.set_xticks(place.ticks, place.texts, parse_math=False, **turned)
        axes.set_xlabel(name, parse_math=False)
    else:
        axes.set_yticks(place.ticks, place.texts, parse_math=False)
        axes.set_ylabel(name, parse_math=False)


DENSITY = "#bbbbbb"
# Okabe and Ito's colours, which colour-blind people tell apart.
COLOURS = (FOR, AGAINST, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
SCORE = "score"
MOST_CATEGORIES = 30
MOST_IN_A_PANEL = 9


def plot_term(term: Term, class_: Any = None) -> Any:
    """Draw one term; returns a matplotlib Figure."""
    task = _task(term, class_)
    height = 4.6
    if term.kind == "category":
        n_bars = 1 if task is not None else min(len(term.classes), len(COLOURS))
        per_bin = max(0.27, 0.12 * n_bars)
        height = 1.4 + per_bin * min(int((term.weights > 0).sum()), MOST_CATEGORIES + 1)
    elif term.kind == "pair":
        height = 5.6
    figure = new_figure(7.6, max(height, 2.6))
    title = f"{cut(term.name, 60)} (importance {term.importance:.3g})"
    figure.suptitle(title, parse_math=False)
    _draw(figure, term, task, compact=False)
    _add_legend(figure, figure)
    figure.set_label(describe(term))
    return figure


def plot_terms(terms: Terms, n_all: int) -> Any:
    """Draw some terms, each in a separate panel."""
    n = max(len(terms), 1)
    n_columns = min(n, 3)
    n_rows = -(-n // n_columns)
    figure = new_figure(4.4 * n_columns, 3.3 * n_rows + 0.5)
    panels = np.ravel(figure.subfigures(n_rows, n_columns))
    for panel, term in zip(panels, terms, strict=False):
        panel.suptitle(cut(term.name, 44), parse_math=False, fontsize="medium")
        _draw(panel, term, _task(term, None), compact=True)
        if term.kind != "pair":
            _add_legend(figure, panel)
    figure.suptitle(_title(len(terms), n_all, terms))
    figure.set_label("\n".join(describe(term) for term in terms))
    return figure


def plot_importances(terms: Terms, n_all: int) -> Any:
    """Draw the mean absolute score of some terms as bars."""
    figure = new_figure(7.6, 1.3 + 0.27 * max(len(terms), 1))
    axes = figure.subplots()
    places = np.arange(len(terms))[::-1]
    bars = axes.barh(places, terms.importances, color=FOR)
    axes.bar_label(bars, [f"{value:.3g}" for value in terms.importances], padding=3)
    axes.set_yticks(places, [cut(term.name, 44) for term in terms], parse_math=False)
    axes.set_xlabel("mean absolute score over the training data")
    axes.margins(x=0.1, y=0.01)
    clean(axes, "x")
    figure.suptitle(_title(len(terms), n_all, terms))
    figure.set_label(
        "; ".join(f"{term.name} {term.importance:.3g}" for term in terms) or "no terms"
    )
    return figure


def _add_legend(figure: Any, panel: Any) -> None:
    """Explain below a figure, once, what the colours in one of its panels mean."""
    handles, labels = panel.axes[0].get_legend_handles_labels()
    if labels and not figure.legends and labels != [SCORE]:
        columns = min(len(labels), 4)
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def _title(n: int, n_all: int, terms: Terms) -> str:
    head = f"All {n} terms" if n == n_all else f"The {n} most important of {n_all} terms"
    if n and len(terms[0].classes) == 2:
        head += f": scores for class {cut(shown_label(terms[0].classes[1]), 30)}".replace(
            "$", r"\$"
        )
    return head


def describe(term: Term) -> str:
    """Describe in a sentence what the picture of a term shows."""
    steps = sorted(
        (step for step in term.steps() if step.weight > 0), key=lambda s: np.ravel(s.score)[-1]
    )
    if not steps:
        return f"{term.name}: no data."
    ends = [f"{np.ravel(s.score)[-1]:+.3g} for {s.label}" for s in (steps[0], steps[-1])]
    whose = shown_label(term.classes[-1])
    return f"{term.name}, {term.kind}: scores of {whose} from {ends[0]} to {ends[1]}."


def _task(term: Term, class_: Any) -> int | None:
    """Return which scores to draw; None: those of all classes."""
    if class_ is None:
        return 0 if len(term.classes) == 2 else None
    where = np.flatnonzero(term.classes == class_)
    if len(where) != 1:
        raise ValueError(f"class_ must be one of {term.classes.tolist()}, got {class_!r}")
    if len(term.classes) == 2 and where[0] == 0:
        raise ValueError(f"scores speak for {term.classes[1]!r}; turn their sign for {class_!r}")
    return 0 if len(term.classes) == 2 else int(where[0])


def _draw(figure: Any, term: Term, task: int | None, *, compact: bool) -> None:
    n_tasks = 1 if len(term.classes) == 2 else len(term.classes)
    tasks = range(min(n_tasks, len(COLOURS))) if task is None else [task]
    scores = term.scores.reshape(*term.weights.shape, n_tasks)
    labels = [cut(shown_label(label), 24) for label in term.classes[-n_tasks:]]
    lines = [(scores[..., k], labels[k], k) for k in tasks]
    if term.kind == "pair":
        draw_pair(figure, term, *lines[-1][:2], compact)
    elif term.kind == "category":
        _draw_categories(figure, term, lines, compact)
    else:
        _draw_steps(figure, term, lines, compact)


Lines = Sequence[tuple[Vector, str, int]]


def _draw_steps(figure: Any, term: Term, lines: Lines, compact: bool) -> None:
    axis = term.axes[0]
    scale = positions(axis, term.weights, 4 if compact else 8)
    ordered = slice(0, axis.n_ordered)
    has_missing = len(axis.names) > axis.n_ordered and term.weights[axis.missing] > 0
    panels = figure.subplots(
        2,
        1 + has_missing,
        squeeze=False,
        sharex="col",
        sharey="row",
        height_ratios=(3.4, 1),
        width_ratios=(12, 1) if has_missing else None,
    )
    top, bottom = panels[:, 0]
    for values, label, k in lines:
        name = label if len(lines) > 1 else SCORE
        colour = COLOURS[k % len(COLOURS)]
        top.stairs(values[ordered], scale.bounds, baseline=None, color=colour, lw=1.8, label=name)
    _draw_band(top, term, ordered, scale.bounds)
    _draw_density(bottom, term.weights[ordered], scale)
    top.set_ylabel(_ylabel(lines, term, compact))
    top.set_xlim(scale.bounds[0], scale.bounds[-1])
    if has_missing:
        _draw_missing(panels[:, 1], term, lines)
    if scale.ticks:
        bottom.set_xticks(*scale.ticks)
    name = "" if compact else cut(axis.feature, 40)
    bottom.set_xlabel((name + scale.note).strip(), parse_math=False)
    for axes in panels[0]:
        axes.axhline(0.0, color=NEUTRAL, lw=0.8, ls=":")
        clean(axes, "both")
    for axes in panels[1]:
        clean(axes, None)


def _draw_density(axes: Any, weights: Vector, scale: Scale) -> None:
    density = scale.density(weights)
    axes.stairs(density, scale.bounds, fill=True, color=DENSITY, ec=DENSITY, lw=0.8)
    axes.set_ylabel("density\nof data" if scale.is_linear else "share\nof data")
    axes.set_yticks([])
    # A few values that half of the data have would make the rest a flat line: they are cut off.
    order = np.argsort(density)
    share = np.cumsum(weights[order])
    usual = density[order][np.searchsorted(share, 0.5 * share[-1])] if len(share) else 0.0
    axes.set_ylim(0.0, min(density.max(initial=0.0), 4 * usual) * 1.05 or 1.0)


def _draw_missing(panels: Any, term: Term, lines: Lines) -> None:
    top, bottom = panels
    missing = term.axes[0].missing
    for values, _, k in lines:
        top.plot([0, 1], [values[missing]] * 2, color=COLOURS[k % len(COLOURS)], lw=1.8)
    if term.band is not None and len(lines) == 1:
        low, high = (np.ravel(part)[missing] for part in (term.band.lower, term.band.upper))
        top.fill_between([0, 1], [low] * 2, [high] * 2, color=FOR, alpha=0.18, lw=0)
    share = term.weights[missing]
    # Its bar has the height that as many data in the densest bin would have.
    largest = max(term.weights[: term.axes[0].n_ordered].max(initial=0.0), share)
    bottom.bar(0.5, bottom.get_ylim()[1] * share / largest, 1.0, color=DENSITY)
    bottom.set_xticks([0.5], [f"missing\n{share:.1%}"], fontsize="small")
    bottom.set_xlim(-0.3, 1.3)


def _draw_band(axes: Any, term: Term, cells: Any, bounds: Vector) -> None:
    if term.band is None or len(term.classes) > 2:
        return
    lower, upper, level = term.band
    label = f"{level:.0%} band"
    axes.stairs(
        upper[cells], bounds, baseline=lower[cells], fill=True, color=FOR, alpha=0.18, label=label
    )


def _ylabel(lines: Lines, term: Term, compact: bool) -> str:
    if len(lines) > 1:
        n = len(term.classes)
        return "score" if n == len(lines) else f"score, {len(lines)} of {n} classes"
    if compact and len(term.classes) == 2:
        return "score"
    return f"score for {lines[0][1]}".replace("$", r"\$")


def _draw_categories(figure: Any, term: Term, lines: Lines, compact: bool) -> None:
    most = MOST_IN_A_PANEL if compact else MOST_CATEGORIES
    chosen, note = _chosen_categories(term, lines[-1][0], most)
    names = [cut(term.axes[0].names[k], 32) for k in chosen]
    places = np.arange(len(chosen), dtype=float)[::-1]
    is_missing = chosen == term.axes[0].missing
    places[is_missing] -= 0.6  # set apart, below the others
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3.2, 1))
    height = 0.8 / len(lines)
    for i, (values, label, k) in enumerate(lines):
        shift = (i - (len(lines) - 1) / 2) * height
        colour: Any = COLOURS[k % len(COLOURS)]
        if len(lines) == 1:
            colour = [FOR if value >= 0 else AGAINST for value in values[chosen]]
        name = label if len(lines) > 1 else None
        left.barh(places - shift, values[chosen], height, color=colour, label=name)
    if term.band is not None and len(lines) == 1:
        lower, upper, level = (np.asarray(part) for part in term.band)
        left.hlines(
            places, lower[chosen], upper[chosen], color="black", lw=1.2, label=f"{level:.0%} band"
        )
    left.axvline(0.0, color=NEUTRAL, lw=0.8)
    left.set_yticks(places, names, parse_math=False)
    left.set_xlabel(_ylabel(lines, term, compact))
    right.barh(places, term.weights[chosen], 0.8, color=DENSITY)
    right.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    right.xaxis.set_major_locator(_few_ticks())
    right.set_xlabel("data" if compact else "share of data")
    left.set_ylim(places.min(initial=0.0) - 0.7, places.max(initial=0.0) + 0.7)
    right.tick_params(left=False)
    clean(left, "x")
    clean(right, None)
    if note:
        left.set_title(note, fontsize="small", loc="left")


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    return MaxNLocator(2)


def _chosen_categories(term: Term, values: Vector, most: int) -> tuple[NDArray[np.intp], str]:
    """Return the bins with most data by falling score, the missing one last."""
    missing = term.axes[0].missing
    known = np.flatnonzero(term.weights > 0)
    with_data = known[np.argsort(-term.weights[known], kind="stable")]
    others = with_data[with_data != missing][:most]
    n_left_out = len(with_data) - len(others) - int(missing in with_data)
    others = others[np.argsort(-values[others], kind="stable")]
    note = f"{len(others)} bins with most data; {n_left_out} not shown" if n_left_out else ""
    return np.append(others, with_data[with_data == missing]), note
