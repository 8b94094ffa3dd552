"""The paper's Figures 1 and 2 for any comparison: objective against seconds, and against epochs.

Lines are drawn as in the paper's captions where it has the method; every line also differs from the
others by dashes or marks, so that the figure survives colour-blindness and a grey printer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from ..base.messages import printable
from ..io.atomic import new_file
from ..plots.figure import new_figure
from .comparison import Comparison, Run, thinned

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["plot_comparison"]


Style = dict[str, Any]

STYLES: dict[str, Style] = {
    "fully-parallel": {"color": "#1a8f3c", "linestyle": ":", "linewidth": 2.6},
    "greedy": {"color": "#2bb8d9", "linestyle": "-"},
    "pcdm-async": {"color": "#d1221f", "linestyle": "-", "marker": "x"},
    "accelerated": {"color": "#1f4fd1", "linestyle": "-."},
    # Against epochs the two lie on each other: gaps and shifted marks let both be seen.
    "pcdm": {
        "color": "#ee8a12",
        "linestyle": (0, (3, 2)),
        "marker": "o",
        "markerfacecolor": "white",
        "markevery": (0.04, 0.08),
    },
    "lbfgs": {"color": "#333333", "linestyle": "--"},
    "exact": {"color": "#8a2be2", "linestyle": "-", "linewidth": 2.6},
    "exact-async": {"color": "#8a2be2", "linestyle": "-", "marker": "^"},
}
# For a method that appears again with other options, and for methods without a style.
SPARE: Sequence[Style] = (
    {"color": "#7f3c8d", "linestyle": "--", "marker": "s"},
    {"color": "#946100", "linestyle": "-.", "marker": "*"},
    {"color": "#00695c", "linestyle": (0, (5, 1, 1, 1, 1, 1)), "marker": "+"},
    {"color": "#c2187a", "linestyle": ":", "marker": "D"},
    {"color": "#5c6b73", "linestyle": "-", "marker": "v"},
    {"color": "#3949ab", "linestyle": "--", "marker": "P"},
)
POINTS = 2000
DEEPEST = -1e4  # on separable data a line search may go down to -1e25


def plot_comparison(comparison: Comparison, path: str | os.PathLike[str] | Path) -> None:
    """Draw a comparison into a PNG file.

    Examples
    --------
    >>> import tauboost as tb
    >>> from tauboost.paper import MethodSetting, compare, plot_comparison
    >>> problem = tb.Problem(*tb.make_w8a_like(1000, random_state=0))
    >>> settings = [MethodSetting(name, name) for name in ("exact", "greedy")]
    >>> plot_comparison(compare(problem, settings, max_epochs=20), "methods.png")
    """
    figure = new_figure(11, 5.2)
    by_time, by_epoch = figure.subplots(1, 2, sharey=True)
    for run, style in zip(comparison.runs, _styles(comparison.runs), strict=True):
        _draw(by_time, run, "seconds", style)
        _draw(by_epoch, run, "epoch", style)
    by_time.set(xlabel="time (seconds)", ylabel="objective F(λ), lower is better")
    by_epoch.set_xlabel("epochs (n coordinate updates, or one pass for full-gradient methods)")
    _frame(by_time, comparison)
    _frame(by_epoch, comparison)
    figure.suptitle(printable(_title(comparison)), parse_math=False)
    handles, labels = by_time.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    with new_file(path, overwrite=True) as file:
        figure.savefig(file, format="png", dpi=150)


def _styles(runs: Sequence[Run]) -> Iterator[Style]:
    unused, spare = dict(STYLES), cycle(SPARE)
    for run in runs:
        known = run.setting.method in unused
        yield unused.pop(run.setting.method) if known else next(spare)


def _draw(axes: Any, run: Run, against: str, style: Style) -> None:
    trace = run.result.trace
    keep = thinned(len(trace.epoch), POINTS)
    keep = keep[trace[against][keep] > 0]  # the axis is logarithmic
    label = run.setting.label + ("" if run.beta is None else f" (β = {run.beta:.3g})")
    line = {"linewidth": 1.7, "markersize": 6, "markevery": (0.0, 0.08)} | style
    axes.plot(trace[against][keep], trace.objective[keep], label=label, **line)


def _frame(axes: Any, comparison: Comparison) -> None:
    start, best = comparison.start, comparison.best
    if any(len(line.get_xdata()) for line in axes.lines):  # else nobody took a step
        axes.set_xscale("log")
    bottom = max(best, DEEPEST)
    if comparison.is_separable:  # one method may fall a thousand times as far as another
        axes.set_yscale("symlog", linthresh=1.0)
        axes.set_ylim(2.0 * bottom, start + 0.1)
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:,g}")
    else:
        margin = 0.04 * (start - bottom) or 1.0
        axes.set_ylim(bottom - 2 * margin, start + margin)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,g}")
    axes.grid(which="major", color="#dddddd")
    axes.set_axisbelow(True)
    if best == bottom:
        axes.axhline(best, color="#777777", linewidth=0.8, zorder=1)
    axes.annotate(
        f"best found {best:.5g}",
        (0.01, bottom),
        xycoords=("axes fraction", "data"),
        xytext=(0, -3),  # below: no line of a method gets there
        textcoords="offset points",
        verticalalignment="top",
        color="#777777",
        fontsize="small",
    )


def _title(comparison: Comparison) -> str:
    return (
        f"{comparison.name}: {comparison.n_samples:,} samples, {comparison.n_features:,} features, "
        f"{comparison.nnz:,} nonzeros, ω = {comparison.omega:,}"
        + (" (separable: F has no minimum)" if comparison.is_separable else "")
    )
