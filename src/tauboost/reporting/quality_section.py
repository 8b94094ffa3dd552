"""How good the model is on the data that were given: numbers, curves, thresholds, classes."""

from __future__ import annotations

import numpy as np

from .bands import Estimate, share
from .curve_pictures import draw_calibration, draw_precision, draw_roc
from .elements import Cell, Section, banded, figure, note, paragraph, percent, table
from .markup import Markup, given, join, tag
from .quality import ClassQuality, Quality
from .rows import Data
from .subject import Subject
from .thresholds import FIXED, thresholds
from .trained_rows import are_trained_on, how_many

__all__ = ["quality_section"]

TITLE = "How good it is"
MOST_IN_A_MATRIX = 12  # classes of a confusion matrix; of more, the pairs that are mixed up most
MOST_PAIRS = 20
BANDS = (
    "Bands are of 95 %: Wilson's for shares, and made of them for their mean, DeLong's for AUC, "
    "standard errors for means, a Poisson bootstrap of fixed seed for curves."
)


def quality_section(subject: Subject, data: Data | None, found: Quality | None) -> Section:
    """Return what was measured, or how to have it measured."""
    if data is None:
        text = paragraph(
            "No data were given. ",
            tag("code", "tb.report(model, X, y)"),
            " or ",
            tag("code", "tauboost report MODEL DATA"),
            " measures the model on rows with labels, better others than those of the fit.",
        )
        return Section("quality", TITLE, text)
    if found is None:
        text = paragraph(
            f"{data.rows.n:,} {subject.row_word}s were given without labels: with labels they "
            "would tell how good the model is."
        )
        return Section("quality", TITLE, text)
    parts = _binary(subject, found) if found.is_binary else _several(subject, found)
    seen = Markup()
    if data.trained is not None and are_trained_on(data.trained):
        words = f" The model was trained on {how_many(data.trained)}these {subject.row_word}s: "
        seen = tag("strong", f"{words}figures of training {subject.row_word}s.")
    head = paragraph(
        f"Measured on {found.n:,} {subject.row_word}s of ", given(data.name), ".", seen, f" {BANDS}"
    )
    return Section("quality", TITLE, join([head, *parts]))


def _numbers(found: Quality, auc: Estimate | None) -> Markup:
    rows = [
        ("accuracy", banded(found.accuracy, is_percent=True), percent(found.guess_accuracy)),
        ("log-loss", banded(found.log_loss), f"{found.guess_loss:.3f}"),
        ("Brier score", banded(found.brier), f"{found.guess_brier:.3f}"),
    ]
    if not found.is_binary:
        alone = percent(1 / np.count_nonzero(found.counts))
        rows.insert(1, ("balanced accuracy", banded(found.balanced, is_percent=True), alone))
    if auc is not None:
        rows.insert(0, ("AUC", banded(auc), "0.500"))
        precision = found.classes[0].curves
        if precision is not None:
            base = f"{found.classes[0].n / found.n:.3f}"
            rows.insert(1, ("average precision", banded(precision.average_precision), base))
    heads = ["measure", "value and band", "without any feature"]
    return table("Measures of quality", heads, rows, aligns="<>>")


def _binary(subject: Subject, found: Quality) -> list[Markup]:
    one, name = found.classes[0], subject.labels[subject.positive]
    parts = [_numbers(found, one.auc)]
    parts.append(_pictures(one, name, found.n))
    parts += [tag("h3", "Threshold"), thresholds(subject, found)]
    parts += [tag("h3", "By class"), _class_table(subject, found)]
    return parts


def _pictures(one: ClassQuality, name: str, n: int) -> Markup:
    """Return the three pictures of a class."""
    if one.curves is None:
        return note("Only one of the classes is among these rows: there is no curve to draw.")
    shown = given(name)
    return tag(
        "div",
        figure(draw_roc(one.curves, name), "ROC of ", shown, ", AUC ", banded(one.auc)),
        figure(
            draw_precision(one.curves, name, one.n / n),
            "Precision and recall of ",
            shown,
            "; dashed: its share of the rows",
        ),
        figure(
            draw_calibration(one.bins, name),
            "Calibration of ",
            shown,
            f": {len(one.bins)} bins of about {n // max(len(one.bins), 1):,} rows; on the dashed "
            "line, what is said comes true as often",
        ),
        class_="pictures",
    )


def _several(subject: Subject, found: Quality) -> list[Markup]:
    parts = [_numbers(found, None), tag("h3", "By class"), _class_table(subject, found)]
    parts += [tag("h3", "Confusion"), _confusion(subject, found)]
    parts += [tag("h3", "If it may stay silent"), _silence(subject, found)]
    parts.append(tag("h3", "Curves"))
    drawn = [one for one in found.classes if one.curves is not None]
    for one in drawn:
        name = subject.labels[one.code]
        inner = [tag("summary", given(name), " against the rest"), _pictures(one, name, found.n)]
        parts.append(tag("details", *inner, open=one is drawn[0] or None))
    if len(drawn) < len(found.classes):
        parts.append(note(f"Those of the {len(drawn)} classes with the most rows are drawn."))
    return parts


def _class_table(subject: Subject, found: Quality) -> Markup:
    rows = []
    said = found.confusion.sum(axis=0)
    aucs = {one.code: one.auc for one in found.classes}
    for k, label in enumerate(subject.labels):
        right, n = int(found.confusion[k, k]), int(found.counts[k])
        auc = aucs.get(k, found.classes[0].auc if found.is_binary else None)
        rows.append(
            (
                given(label),
                Cell(f"{n:,}", n),
                Cell(f"{int(said[k]):,}", int(said[k])),
                _sorted(share(right, int(said[k])), is_percent=True),
                _sorted(share(right, n), is_percent=True),
                _sorted(auc, is_percent=False),
            )
        )
    heads = ["class", f"{subject.row_word}s", "said", "precision", "recall", "AUC"]
    return table("Quality by class", heads, rows, aligns="<>>>>>", is_sorted=True)


def _sorted(found: Estimate | None, *, is_percent: bool) -> Cell:
    value = -1.0 if found is None or np.isnan(found.value) else found.value
    return Cell(banded(found, is_percent=is_percent), value)


def _confusion(subject: Subject, found: Quality) -> Markup:
    labels = subject.labels
    if len(labels) <= MOST_IN_A_MATRIX:
        rows = [
            (given(label), *[f"{n:,}" for n in row])
            for label, row in zip(labels, found.confusion.tolist(), strict=True)
        ]
        heads = ["is, said →", *[safe_head(label) for label in labels]]
        return table("Confusion of the classes", heads, rows, aligns="<" + ">" * len(labels))
    wrong = found.confusion.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_PAIRS]
    pairs = [divmod(int(k), len(labels)) for k in order if wrong.flat[k] > 0]
    rows = [
        (
            given(labels[a]),
            given(labels[b]),
            f"{wrong[a, b]:,}",
            percent(wrong[a, b] / found.counts[a]),
        )
        for a, b in pairs
    ]
    heads = ["is", "said", "rows", "of the class"]
    return table("Classes that are mixed up most", heads, rows, aligns="<<>>")


def safe_head(label: str) -> Markup:
    """Return a label as the head of a column."""
    return given(label, 24)


def _silence(subject: Subject, found: Quality) -> Markup:
    words = paragraph(
        "If the model answers only where its likeliest class has a probability above a threshold, "
        f"it answers fewer {subject.row_word}s, and more of the answers are right."
    )
    rows = []
    for at in (0.0, *FIXED, 0.95, 0.99):
        one = found.thresholds[round(100 * at)]
        n = one.true_positive + one.false_positive
        rows.append(
            (
                f"{at:.0%}",
                f"{n:,}",
                percent(n / found.n),
                banded(share(one.true_positive, n), is_percent=True),
            )
        )
    heads = ["threshold", "answered", "of all", "right"]
    return join([words, table("Answers above a threshold", heads, rows, aligns=">>>>")])
