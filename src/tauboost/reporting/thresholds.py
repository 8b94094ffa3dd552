"""Two classes at other thresholds than one half: one that a script moves, and a table of some."""

from __future__ import annotations

from .bands import share
from .elements import banded, paragraph, scrolled, table
from .markup import Markup, given, join, tag
from .quality import Quality
from .subject import Subject

__all__ = ["FIXED", "thresholds"]

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


def thresholds(subject: Subject, found: Quality) -> Markup:
    """Return what becomes of the rows at thresholds of the probability of the positive class."""
    words = paragraph(
        "The model says ",
        given(subject.labels[subject.positive]),
        " where its probability is above 50%. Another one trades misses for false alarms.",
    )
    return join([words, _moved(subject, found), _table(found)])


def _moved(subject: Subject, found: Quality) -> Markup:
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
        tag("div", _matrix(subject), tag("dl", *rates, class_="facts"), class_="side"),
        class_="threshold",
        hidden=True,
        data_threshold=data,
        data_positive=str(found.classes[0].n),
        data_negative=str(found.n - found.classes[0].n),
    )


def _matrix(subject: Subject) -> Markup:
    """Return the confusion at the threshold, which the script fills in."""
    label = "Confusion at the threshold"
    positive, negative = (given(label, 30) for label in subject.sides)
    said = [tag("th", "said ", word, scope="col", class_="n") for word in (positive, negative)]
    rows = [
        tag("tr", tag("th", "is ", word, scope="row"), *[_number(out) for out in outs])
        for word, outs in ((positive, ("tp", "fn")), (negative, ("fp", "tn")))
    ]
    heads = tag("thead", tag("tr", tag("td", ""), *said))
    caption = tag("caption", label, class_="hidden")
    return scrolled(tag("table", caption, heads, tag("tbody", *rows)), label)


def _number(out: str) -> Markup:
    return tag("td", "", class_="n", data_out=out)


def _table(found: Quality) -> Markup:
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
