"""How good a model is on the data that were given: numbers, curves, thresholds, classes."""

from __future__ import annotations

import numpy as np

from ..kinds.rows import NamedModel
from .html import (
    Cell,
    Markup,
    Section,
    banded,
    figure,
    given,
    how_many,
    join,
    note,
    paragraph,
    percent,
    scrolled,
    table,
    tag,
)
from .intervals import Estimate, share
from .quality import ClassQuality, Quality, ReportData, are_trained_on
from .svg import draw_calibration, draw_precision, draw_roc

__all__ = ["quality_section"]


TITLE = "How good it is"
MOST_IN_A_MATRIX = 12  # classes of a confusion matrix; of more, the pairs that are mixed up most
MOST_PAIRS = 20
INTERVALS = (
    "Bands are of 95 %: Wilson's for shares, and made of them for their mean, DeLong's for AUC, "
    "standard errors for means, a Poisson bootstrap of fixed seed for curves."
)


def quality_section(model: NamedModel, data: ReportData | None, found: Quality | None) -> Section:
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
            f"{data.rows.n:,} {model.row_word}s were given without labels: with labels they "
            "would tell how good the model is."
        )
        return Section("quality", TITLE, text)
    parts = _binary(model, found) if found.is_binary else _several(model, found)
    seen = Markup()
    if data.trained is not None and are_trained_on(data.trained):
        words = f" The model was trained on {how_many(data.trained)}these {model.row_word}s: "
        seen = tag("strong", f"{words}figures of training {model.row_word}s.")
    start = f"Measured on {found.n:,} {model.row_word}s of "
    head = paragraph(start, given(data.name), ".", seen, f" {INTERVALS}")
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


def _binary(model: NamedModel, found: Quality) -> list[Markup]:
    one, name = found.classes[0], model.labels[model.positive]
    parts = [_numbers(found, one.auc)]
    parts.append(_pictures(one, name, found.n))
    parts += [tag("h3", "Threshold"), thresholds(model, found)]
    parts += [tag("h3", "By class"), _class_table(model, found)]
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


def _several(model: NamedModel, found: Quality) -> list[Markup]:
    parts = [_numbers(found, None), tag("h3", "By class"), _class_table(model, found)]
    parts += [tag("h3", "Confusion"), _confusion(model, found)]
    parts += [tag("h3", "If it may stay silent"), _silence(model, found)]
    parts.append(tag("h3", "Curves"))
    drawn = [one for one in found.classes if one.curves is not None]
    for one in drawn:
        name = model.labels[one.code]
        inner = [tag("summary", given(name), " against the rest"), _pictures(one, name, found.n)]
        parts.append(tag("details", *inner, open=one is drawn[0] or None))
    if len(drawn) < len(found.classes):
        parts.append(note(f"Those of the {len(drawn)} classes with the most rows are drawn."))
    return parts


def _class_table(model: NamedModel, found: Quality) -> Markup:
    rows = []
    said = found.confusion.sum(axis=0)
    aucs = {one.code: one.auc for one in found.classes}
    for k, label in enumerate(model.labels):
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
    heads = ["class", f"{model.row_word}s", "said", "precision", "recall", "AUC"]
    return table("Quality by class", heads, rows, aligns="<>>>>>", is_sorted=True)


def _sorted(found: Estimate | None, *, is_percent: bool) -> Cell:
    value = -1.0 if found is None or np.isnan(found.value) else found.value
    return Cell(banded(found, is_percent=is_percent), value)


def _confusion(model: NamedModel, found: Quality) -> Markup:
    labels = model.labels
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


def _silence(model: NamedModel, found: Quality) -> Markup:
    words = paragraph(
        "If the model answers only where its likeliest class has a probability above a threshold, "
        f"it answers fewer {model.row_word}s, and more of the answers are right."
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


FIXED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
HEADS = (
    "threshold",
    "right alarms",
    "false alarms",
    "missed",
    "rightly not",
    "precision",
    "recall",
)
RATES = {
    "precision": "precision",
    "recall": "recall",
    "rate": "false positive rate",
    "accuracy": "accuracy",
}


def thresholds(model: NamedModel, found: Quality) -> Markup:
    """Return what becomes of the rows at thresholds of the probability of the positive class."""
    words = paragraph(
        "The model says ",
        given(model.labels[model.positive]),
        " where its probability is above 50%. Another one trades misses for false alarms.",
    )
    return join([words, _moved(model, found), _threshold_table(found)])


def _moved(model: NamedModel, found: Quality) -> Markup:
    """Return the threshold that a script moves; without one it stays hidden."""
    data = ";".join(f"{t.true_positive},{t.false_positive}" for t in found.thresholds)
    slider = tag(
        "label",
        "Threshold ",
        tag("input", type="range", min="0", max="100", value="50", step="1", data_slider=True),
        " ",
        tag("output", "50%", data_out="at"),
    )
    rates = [tag("div", tag("dt", word), tag("dd", "", data_out=o)) for o, word in RATES.items()]
    return tag(
        "div",
        slider,
        tag("div", _threshold_matrix(model), tag("dl", *rates, class_="facts"), class_="side"),
        class_="threshold",
        hidden=True,
        data_threshold=data,
        data_positive=str(found.classes[0].n),
        data_negative=str(found.n - found.classes[0].n),
    )


def _threshold_matrix(model: NamedModel) -> Markup:
    """Return the confusion at the threshold, which the script fills in."""
    label = "Confusion at the threshold"
    positive, negative = (given(label, 30) for label in model.sides)
    said = [tag("th", "said ", word, scope="col", class_="n") for word in (positive, negative)]
    rows = [
        tag("tr", tag("th", "is ", word, scope="row"), *[_filled_in(out) for out in outs])
        for word, outs in ((positive, ("tp", "fn")), (negative, ("fp", "tn")))
    ]
    heads = tag("thead", tag("tr", tag("td", ""), *said))
    caption = tag("caption", label, class_="hidden")
    return scrolled(tag("table", caption, heads, tag("tbody", *rows)), label)


def _filled_in(out: str) -> Markup:
    return tag("td", "", class_="n", data_out=out)


def _threshold_table(found: Quality) -> Markup:
    positive, negative = found.classes[0].n, found.n - found.classes[0].n
    rows = []
    for at in FIXED:
        _, hits, alarms = found.thresholds[round(100 * at)]
        rows.append(
            (
                f"{at:.0%}",
                f"{hits:,}",
                f"{alarms:,}",
                f"{positive - hits:,}",
                f"{negative - alarms:,}",
                banded(share(hits, hits + alarms), is_percent=True),
                banded(share(hits, positive), is_percent=True),
            )
        )
    return table("Confusion at some thresholds", HEADS, rows, aligns=">" * len(HEADS))
