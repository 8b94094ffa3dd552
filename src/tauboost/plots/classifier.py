"""Pictures of a classifier: its top features, its margins, and one explanation.

Every function returns a matplotlib Figure: ``figure.savefig("file.png")``, or show it in a
notebook. Blue speaks for a class and orange against it, in shades that colour-blind people tell
apart, and signs and sides say the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Vector, is_sparse
from ..base.messages import shown_label
from .figure import AGAINST, FOR, NEUTRAL, new_figure

if TYPE_CHECKING:
    from ..estimators import TauBoostClassifier

__all__ = ["plot_explanation", "plot_margins", "plot_top_features"]


LONGEST_NAME = 32
MOST_CLASSES = 6  # more histograms in one picture cannot be told apart
CLASS_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
CLASS_LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))


def plot_top_features(
    clf: TauBoostClassifier,
    k: int = 20,
    class_: Any = None,
    *,
    names: ArrayLike | None = None,
    each_side: bool = False,
) -> Any:
    """Draw the largest weights as bars; parameters as for ``clf.top_features``.

    Examples
    --------
    >>> import tauboost as tb
    >>> from tauboost.plots import plot_top_features
    >>> X, y = tb.make_w8a_like(1000, random_state=0)
    >>> clf = tb.TauBoostClassifier(alpha=1e-3, random_state=0).fit(X, y)
    >>> plot_top_features(clf, 5).savefig("features.png")
    """
    top = clf.top_features(k, class_, names=names, each_side=each_side)
    labels = [shortened(name) for name in top.names]
    of_all = class_ is None and len(clf.classes_) > 2
    if of_all:
        labels = [
            f"{shown_label(c)}: {label}" for label, c in zip(labels, top.classes, strict=True)
        ]
    figure = new_figure(7.0, 1.5 + 0.28 * max(len(top), 3))
    axes = figure.subplots()
    draw_bars(axes, labels, top.weights)
    title = "Largest weights" if of_all else f"Largest weights for class {speaks_for(clf, class_)}"
    axes.set_title(title, parse_math=False)
    axes.set_xlabel("weight (coefficient)")
    return figure


def plot_explanation(
    clf: TauBoostClassifier,
    x_row: Any,
    names: ArrayLike | None = None,
    *,
    class_: Any = None,
    k: int = 15,
) -> Any:
    """Draw what each feature of one sample contributes to its decision value.

    Parameters
    ----------
    x_row : one sample, as a row of X or as a vector
    names : array-like of shape (n_features,), optional
    class_ : the class to speak for; by default that of ``clf.explain``
    k : how many features are shown one by one; the others are added up

    Examples
    --------
    >>> import tauboost as tb
    >>> from tauboost.plots import plot_explanation
    >>> X, y = tb.make_w8a_like(1000, random_state=0)
    >>> clf = tb.TauBoostClassifier(alpha=1e-3, random_state=0).fit(X, y)
    >>> plot_explanation(clf, X[[0]]).savefig("sample.png")
    """
    X = as_one_row(x_row)
    if class_ is None and len(clf.classes_) > 2:
        class_ = clf.predict(X)[0]
    row = clf.explain(X, class_).contributions
    row.sum_duplicates()
    order = np.argsort(-np.abs(row.data), kind="stable")
    order = order[row.data[order] != 0]
    shown, rest = order[:k], order[k:]
    every = all_names(clf, names)
    labels = [
        f"{shortened(every(i))} = {value:.4g}"
        for i, value in zip(row.indices[shown], values_of(X, row.indices[shown]), strict=True)
    ]
    task, sign = clf._task(class_)
    intercept = sign * float(clf.intercept_[task])
    values = [*row.data[shown]]
    if len(rest):
        labels.append(f"{len(rest)} other features")
        values.append(row.data[rest].sum())
    labels.append("intercept")
    values.append(intercept)
    figure = new_figure(7.0, 1.7 + 0.28 * max(len(values), 3))
    axes = figure.subplots()
    draw_bars(axes, labels, np.array(values, dtype=float))
    total = float(row.data.sum()) + intercept
    axes.set_title(
        f"Decision value for class {speaks_for(clf, class_)}: {total:+.3g}", parse_math=False
    )
    axes.set_xlabel("contribution (value of the feature times its coefficient)")
    return figure


def plot_margins(clf: TauBoostClassifier, X: Any, y: ArrayLike, *, bins: int = 50) -> Any:
    """Draw how margins are distributed, class by class; what is below 0 is predicted wrongly.

    Examples
    --------
    >>> import tauboost as tb
    >>> from tauboost.plots import plot_margins
    >>> X, y = tb.make_w8a_like(1000, random_state=0)
    >>> clf = tb.TauBoostClassifier(alpha=1e-3, random_state=0).fit(X, y)
    >>> plot_margins(clf, X, y).savefig("margins.png")
    """
    margins, labels = clf.margins(X, y), np.asarray(y)
    edges = np.histogram_bin_edges(margins, bins)
    figure = new_figure(7.5, 4.5)
    axes = figure.subplots()
    if edges[0] < 0:
        axes.axvspan(edges[0], 0.0, color="#eeeeee", zorder=0)
    axes.axvline(0.0, color=NEUTRAL, linewidth=1.0)
    groups = [(f"class {shown_label(c)}", labels == c) for c in clf.classes_]
    if len(groups) > MOST_CLASSES:
        groups = [("all samples", np.ones(len(labels), dtype=bool))]
    for (name, chosen), colour, line in zip(groups, CLASS_COLOURS, CLASS_LINES, strict=False):
        if not chosen.any():
            continue
        part = margins[chosen]
        label = f"{name}: {len(part):,} samples, {np.mean(part <= 0):.1%} below 0"
        share = np.histogram(part, edges)[0] / len(part)
        axes.stairs(share, edges, color=colour, linestyle=line, linewidth=1.8, label=label)
        axes.stairs(share, edges, color=colour, alpha=0.15, fill=True)
    axes.set_xlabel("margin (below 0: predicted wrongly)")
    axes.set_ylabel("share of the class's samples" if len(groups) > 1 else "share of the samples")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(bottom=0.0)
    figure.suptitle("Margins")
    figure.legend(loc="outside lower center", ncols=min(len(groups), 2), frameon=False)
    return figure


def draw_bars(axes: Any, labels: list[str], values: Vector) -> None:
    """Draw one bar a row, the first on top, with its number beside it."""
    places = np.arange(len(values))
    bars = axes.barh(places, values, color=np.where(values >= 0, FOR, AGAINST), height=0.7)
    axes.bar_label(bars, [f"{v:+.3g}" for v in values], padding=3, fontsize="small")
    axes.set_yticks(places, labels, parse_math=False)
    axes.invert_yaxis()
    axes.axvline(0.0, color="#333333", linewidth=0.8)
    axes.margins(x=0.14)
    axes.grid(axis="x", color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def shortened(name: Any) -> str:
    """Cut names that would leave no room for the bars."""
    text = str(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def speaks_for(clf: TauBoostClassifier, class_: Any) -> str:
    """Return the class that weights speak for."""
    return str(clf.classes_[-1] if class_ is None else class_)


def all_names(clf: TauBoostClassifier, names: ArrayLike | None) -> Any:
    """Return the function from a feature to its name."""
    given = names if names is not None else getattr(clf, "feature_names_in_", None)
    if given is None:
        return "x{}".format
    found = np.asarray(given, dtype=object)
    if found.shape != (clf.n_features_in_,):
        raise ValueError(
            f"names must have shape ({clf.n_features_in_},), one for each feature, "
            f"got {found.shape}"
        )
    return found.__getitem__


def as_one_row(x_row: Any) -> Any:
    """Return one sample as a matrix or table of one row."""
    if is_sparse(x_row):
        row = (x_row if x_row.ndim == 2 else x_row.reshape(1, -1)).tocsr()
    elif hasattr(x_row, "columns"):
        row = x_row
    else:
        row = np.atleast_2d(np.asarray(x_row, dtype=np.float64))
    if row.shape[0] != 1:
        raise ValueError(f"x_row must be one sample, got {row.shape[0]}")
    return row


def values_of(X: Any, features: Any) -> Vector:
    """Return the values that one sample has for some features."""
    if is_sparse(X):
        return np.asarray(X[[0]].toarray()[0, features])
    return np.asarray(np.asarray(X, dtype=np.float64)[0, features])
