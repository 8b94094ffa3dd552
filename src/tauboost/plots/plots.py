"""A picture of one fit: the objective, and the validation loss, against seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..base.arrays import Vector, is_sparse
from ..base.messages import printable, shown_label
from .figure import AGAINST, FOR, NEUTRAL, clean, cut, new_figure

if TYPE_CHECKING:
    from ..certificates.hard_core import HardCore
    from ..estimators import PathResult
    from ..explanation import Explanation
    from ..search.search import Event

__all__ = [
    "plot_explanation",
    "plot_fit",
    "plot_hard_core",
    "plot_path",
    "plot_trace",
    "require_matplotlib",
]


def require_matplotlib() -> None:
    """Fail before the work where no picture can be drawn after it."""
    try:
        new_figure(1, 1)
    except ImportError as error:
        raise ValueError(str(error)) from None


def plot_fit(events: Sequence[Event], title: str, file: BinaryIO) -> None:
    """Draw the sweeps of a fit into a PNG file."""
    chosen = [event for event in events if event.phase == "select"]
    figure = new_figure(8, 4.6)
    axes = figure.subplots(1, 2 if chosen else 1, squeeze=False)[0]
    for phase, marker, label in (("select", "o", "choosing"), ("fit", "s", "fitting")):
        some = [event for event in events if event.phase == phase]
        if some:
            seconds, objective = [e.seconds for e in some], [e.objective for e in some]
            axes[0].plot(seconds, objective, marker=marker, markersize=4, label=label)
    axes[0].set(xlabel="time (seconds)", ylabel="objective, lower is better")
    axes[0].legend(frameon=False)
    if chosen:
        axes[1].plot(
            [e.seconds for e in chosen], [e.held_out_loss for e in chosen], "o-", markersize=4
        )
        axes[1].set(xlabel="time (seconds)", ylabel="validation log-loss, best candidate")
    for panel in axes:
        panel.grid(color="#dddddd")
        panel.set_axisbelow(True)
    figure.suptitle(printable(title), parse_math=False)
    figure.savefig(file, format="png", dpi=150)


# A picture of one solve: the objective against epochs and against seconds.


def plot_trace(trace: Mapping[str, Vector], title: str) -> Any:
    """Draw the way of the objective; returns a matplotlib Figure."""
    figure = new_figure(8, 3.8)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name, label in zip(
        panels, ("epoch", "seconds"), ("epochs", "time (seconds)"), strict=True
    ):
        axes.plot(trace[name], trace["objective"], "o-", color=FOR, markersize=3)
        axes.set_xlabel(label)
        axes.grid(color="#dddddd")
        axes.set_axisbelow(True)
    panels[0].set_ylabel("objective, lower is better")
    figure.suptitle(title, parse_math=False)
    return figure


# A regularisation path against alpha: scores, coefficients, and the alphas that were chosen.


MOST_LINES = 400  # coefficients drawn along a path; the rest would not be seen


def plot_path(path: PathResult) -> Any:
    """Draw score and coefficients of a regularisation path against alpha.

    Examples
    --------
    >>> import tauboost as tb
    >>> from tauboost.plots import plot_path
    >>> X, y = tb.make_w8a_like(500, random_state=0)
    >>> plot_path(tb.regularization_path(X, y, n_alphas=5, cv=2)).savefig("path.png")
    """
    figure = new_figure(11.0, 4.8)
    score, weights = figure.subplots(1, 2)
    score.plot(path.alphas, path.train_log_loss, "--", color=NEUTRAL, label="samples of the fit")
    if path.n_folds:
        mean, std = path.cv_mean, path.cv_std
        label = f"validation, mean of {path.n_folds} folds"
        score.plot(path.alphas, mean, "-o", color=FOR, markersize=4, label=label)
        band = "± one standard deviation of the folds"
        score.fill_between(path.alphas, mean - std, mean + std, color=FOR, alpha=0.15, label=band)
    score.set(ylabel="log-loss, lower is better", title="Score")
    weights.set(ylabel="coefficient", title="Coefficients")
    draw_coefficients(weights, path)
    for axes in (score, weights):
        axes.set_xscale("log")
        axes.invert_xaxis()
        axes.set_xlabel("alpha (strong to weak)")
        axes.grid(color="#e5e5e5")
        axes.set_axisbelow(True)
        mark_alphas(axes, path)
    handles, labels = score.get_legend_handles_labels()
    more, more_labels = weights.get_legend_handles_labels()
    unique = dict(zip([*labels, *more_labels], [*handles, *more], strict=True))
    figure.legend(
        unique.values(), unique.keys(), loc="outside lower center", ncols=3, frameon=False
    )
    return figure


def mark_alphas(axes: Any, path: PathResult) -> None:
    """Mark what the folds chose."""
    if not path.n_folds:
        return
    best, careful = path.best_alpha, path.one_se_alpha
    axes.axvline(best, color=AGAINST, label=f"best alpha, {best:.3g}")
    if careful != best:
        label = f"within one standard error, {careful:.3g}"
        axes.axvline(careful, color=AGAINST, linestyle=":", label=label)


def draw_coefficients(axes: Any, path: PathResult) -> None:
    """Draw the largest coefficients along the path, and how many features are in use."""
    lines = largest_coefficients(path)
    shades = np.linspace(0.25, 0.9, max(lines.shape[1], 1))
    for line, shade in zip(lines.T, shades, strict=True):
        axes.plot(path.alphas, line, color=str(0.8 - 0.6 * shade), linewidth=0.8, alpha=0.7)
    counts = axes.twinx()
    label = "features in use (right scale)"
    counts.step(path.alphas, path.n_nonzero, "-.", color="#009e73", linewidth=1.8, where="mid")
    axes.plot([], [], "-.", color="#009e73", linewidth=1.8, label=label)
    counts.set_ylabel("features in use")
    counts.set_ylim(bottom=0)
    counts.yaxis.set_major_formatter(lambda n, _: f"{n:,g}")


def largest_coefficients(path: PathResult) -> Vector:
    """Return the coefficients that are largest at the end, one a column, the largest last."""
    last = path.coefs[-1]
    last = last.toarray() if is_sparse(last) else last
    size = np.abs(last).ravel()
    chosen = np.argsort(size, kind="stable")[-MOST_LINES:]
    chosen = chosen[size[chosen] > 0]
    task, feature = np.unravel_index(chosen, last.shape)
    rows = [np.asarray(coef[task, feature]).ravel() for coef in path.coefs]
    return np.stack(rows)


# One row's explanation as a waterfall: from the intercept, term by term, to the decision value.


MOST_BARS = 14


def plot_explanation(explanation: Explanation) -> Any:
    """Draw an explanation of one row; the largest contributions stand at the top."""
    parts = explanation.row()
    names = [f"{cut(p.term, 30)} = {cut(p.value, 22)}" for p in parts[:MOST_BARS]]
    sizes = [p.contribution for p in parts[:MOST_BARS]]
    rest = parts[MOST_BARS:]
    if rest:
        names.append(f"{len(rest)} more terms")
        sizes.append(sum(p.contribution for p in rest))
    start, end = float(explanation.intercepts[0]), float(explanation.decisions[0])
    # From the bottom up: the intercept, then small ones first, so that the largest lead to the end.
    names, sizes = ["intercept", *names[::-1]], [start, *sizes[::-1]]
    ends = np.cumsum(sizes)
    begins = np.concatenate([[0.0], ends[:-1]])
    colours = [NEUTRAL, *(FOR if size >= 0 else AGAINST for size in sizes[1:])]
    places = np.arange(len(sizes))
    figure = new_figure(7.6, 1.5 + 0.32 * (len(sizes) + 1))
    axes = figure.subplots()
    axes.barh(places, sizes, 0.72, left=begins, color=colours)
    axes.barh(len(sizes), end, 0.72, color="#333333")
    axes.vlines(ends, places - 0.36, places + 1.36, color=NEUTRAL, lw=0.8)
    for place, (low, high, size) in enumerate(zip(begins, ends, sizes, strict=True)):
        _write_size(axes, place, max(low, high), size)
    _write_size(axes, len(sizes), max(end, 0.0), end)
    axes.set_yticks([*places, len(sizes)], [*names, "decision value"], parse_math=False)
    axes.axvline(0.0, color=NEUTRAL, lw=0.8, ls=":")
    label = cut(shown_label(explanation.classes[0]), 30).replace("$", r"\$")
    figure.supxlabel(
        f"decision value: blue speaks for {label}, orange against it", fontsize="medium"
    )
    axes.use_sticky_edges = False  # else the longest bar would touch the frame
    axes.margins(x=0.12)
    axes.set_ylim(-0.6, len(sizes) + 0.6)
    clean(axes, "x")
    figure.suptitle(cut(explanation.summary(), 90), parse_math=False)
    largest = "; ".join(f"{p.term} = {p.value}: {p.contribution:+.3g}" for p in parts[:MOST_BARS])
    figure.set_label(f"{explanation.summary()}. Intercept {start:+.3g}; {largest}")
    return figure


def _write_size(axes: Any, place: int, right: float, size: float) -> None:
    axes.annotate(
        f"{size:+.3f}", (right, place), (4, 0), textcoords="offset points",
        va="center", fontsize="small",
    )  # fmt: skip


# A picture of a certificate: the margins of the rows that are separated, the weights of the others.


N_BARS = 40
MOST_NAMED = 5  # rows whose numbers are written down
LIGHTEST = 1e-6  # beside the heaviest row: lighter ones would take most of the panel


def plot_hard_core(found: HardCore, count_from: int = 0) -> Any:
    """Draw both panels, or the one that has rows; the first row has the number ``count_from``."""
    has_core, has_others = found.core.any(), found.separated.any()
    n_panels = max(int(has_core) + int(has_others), 1)
    figure = new_figure(5.5 * n_panels, 4.4)
    panels = list(figure.subplots(1, n_panels, squeeze=False)[0])
    for axes in panels:
        axes.grid(color="#e5e5e5")
        axes.set_axisbelow(True)
    if has_others:
        _draw_margins(panels[0], found)
    if has_core:
        _draw_weights(panels[-1], found, count_from)
    return figure


def _sides(found: HardCore, rows: Any) -> list[tuple[Any, str, str]]:
    """Return the rows of each label that has any, their colour and what the legend says of them."""
    labels = [
        f"{x:g}" if isinstance(x, float) else shown_label(x) for x in found.problem.classes.tolist()
    ]
    sides = ((0, AGAINST), (1, FOR))
    all_sides = [(rows & (found.positive == bool(k)), c, f"label {labels[k]}") for k, c in sides]
    return [side for side in all_sides if side[0].any()]


def _draw_margins(axes: Any, found: HardCore) -> None:
    """Draw how far from 0 the separated rows are."""
    margins = found.margins()
    edges = np.linspace(0.0, float(margins[found.separated].max()), N_BARS + 1)
    for rows, colour, label in _sides(found, found.separated):
        style = {"histtype": "stepfilled", "alpha": 0.55, "color": colour}
        axes.hist(margins[rows], bins=edges, label=label, **style)
    axes.axvline(0.0, color=NEUTRAL, linewidth=1.0)
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.set(
        title=f"{np.count_nonzero(found.separated):,} rows can be separated",
        xlabel="margin of a row under lam",
        ylabel="rows",
    )
    axes.legend(frameon=False)


def _draw_weights(axes: Any, found: HardCore, count_from: int) -> None:
    """Draw the weights of the hard core, each label on its own, the heaviest first."""
    weights = found.w * np.count_nonzero(found.core)
    is_copy = np.zeros(len(weights), dtype=bool)
    is_copy[[number for group in found.duplicates for number in group]] = True
    for rows, colour, label in _sides(found, found.core):
        order = np.flatnonzero(rows)
        order = order[np.argsort(-weights[order], kind="stable")]
        rank, copies = np.arange(1, len(order) + 1), is_copy[order]
        axes.plot(rank, weights[order], ".-", color=colour, markersize=4, label=label)
        if copies.any():
            style = {"markersize": 6, "fillstyle": "none", "linewidth": 0}
            name = f"{label}, contrary copies"
            axes.plot(rank[copies], weights[order][copies], "o", color=colour, label=name, **style)
    heaviest = np.argsort(-weights, kind="stable")[: min(MOST_NAMED, np.count_nonzero(found.core))]
    names = ", ".join(str(number + count_from) for number in heaviest.tolist())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=max(LIGHTEST * weights.max(), 0.5 * weights[found.core].min()))
    axes.set(
        title=f"{np.count_nonzero(found.core):,} rows contradict each other",
        xlabel=f"rows of a label, the heaviest first\nheaviest of all: rows {names}",
        ylabel="weight w, beside the average",
    )
    axes.legend(frameon=False, loc="lower left")
