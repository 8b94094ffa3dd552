"""A regularisation path against alpha: scores, coefficients, and the alphas that were chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Vector
from ..base.kinds import is_sparse
from .figure import AGAINST, FOR, NEUTRAL, new_figure

if TYPE_CHECKING:
    from ..estimators import PathResult

__all__ = ["plot_path"]

MOST_LINES = 400  # coefficients drawn along a path; the rest would not be seen


def plot_path(path: PathResult) -> Any:
    """Draw score and coefficients of a regularisation path against alpha."""
    figure = new_figure(11.0, 4.8)
    score, weights = figure.subplots(1, 2)
    score.plot(path.alphas, path.train_log_loss, "--", color=NEUTRAL, label="samples of the fit")
    if path.n_folds:
        mean, std = path.cv_mean, path.cv_std
        label = f"held out, mean of {path.n_folds} folds"
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
