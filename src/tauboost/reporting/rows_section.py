"""Single rows with their explanations: the most surprising, the hardest, those that contradict."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..kinds.rows import NamedModel, RowExplanation
from .html import Markup, Section, bar, given, join, note, paragraph, safe, scrolled, signed, tag
from .quality import ReportData

__all__ = ["contradictions", "hardest", "marked", "most_surprising", "rows_section"]


MOST_OF_A_KIND = 6  # of each kind


def rows_section(
    model: NamedModel, data: ReportData | None, probabilities: Vector | None
) -> Section:
    """Return the rows that show most about the model."""
    word = model.row_word
    title = f"{word.title()}s to look at"
    if data is None or probabilities is None:
        text = "With data, this part shows single rows, and what adds up to their decision."
        return Section("rows", title, paragraph(text))
    cards = _Cards(model, data, probabilities)
    parts: list[Markup] = []
    if data.codes is not None:
        rows = most_surprising(probabilities, data.codes, data.rows.prints, MOST_OF_A_KIND)
        parts += [
            tag("h3", "Most surprising: sure, and wrong"),
            paragraph(
                "Often a wrong label, or something that the columns do not show. The bars say what "
                "spoke for the answer of the model, and what against it."
            ),
            cards.of(rows) if rows else note(f"No {word} is wrong."),
        ]
    rows = hardest(probabilities, data.rows.prints, MOST_OF_A_KIND)
    parts += [
        tag("h3", "Hardest: nearly even"),
        paragraph("Those of which the two likeliest classes have nearly the same probability."),
        cards.of(rows),
    ]
    parts.append(note(f"{word.title()}s are counted from {data.first}."))
    return Section("rows", title, join(parts))


class _Cards:
    """Rows as cards that can be opened, the first of them open."""

    def __init__(self, model: NamedModel, data: ReportData, probabilities: Vector) -> None:
        self.model, self.data, self.probabilities = model, data, probabilities

    def of(self, rows: list[int]) -> Markup:
        """Return the cards of some rows."""
        return tag("div", *[self._card(row, k < 2) for k, row in enumerate(rows)], class_="cards")

    def _card(self, row: int, is_open: bool) -> Markup:
        labels, codes, word = self.model.labels, self.data.codes, self.model.row_word
        said = int(self.probabilities[row].argmax())
        sure = self.probabilities[row, said]
        head = [
            tag("span", f"{word} {row + self.data.first:,}", class_="row-name"),
            " said ",
            tag("strong", given(labels[said], 30)),
            f" ({_sure(sure)})",
        ]
        if codes is not None:
            is_right = codes[row] == said
            head += (
                [", rightly"]
                if is_right
                else [", is ", tag("strong", given(labels[codes[row]], 30))]
            )
        explained = self.data.rows.explain(row, said)
        text = marked(explained) if explained.text else None
        return tag("details", tag("summary", *head), text, _parts(explained), open=is_open or None)


def _sure(probability: float) -> str:
    """Write a probability, never as 100 % where it is not."""
    return f"{probability:.1%}" if probability < 0.9995 else "over 99.9%"


def _parts(explained: RowExplanation) -> Markup:
    """Return what adds up to the decision value, as a table."""
    lines = [(part.name, part.value, part.contribution) for part in explained.parts]
    top = max((abs(c) for _, _, c in lines), default=1.0)
    rows = [
        _line(given(name), given(value, 40) if value else "", c, top) for name, value, c in lines
    ]
    if explained.n_rest:
        rows.append(_line(f"{explained.n_rest:,} more", "", explained.rest, top))
    rows.append(_line("intercept", "", explained.intercept, top))
    total = tag(
        "tr",
        tag("th", "decision value", scope="row", colspan="2"),
        tag("td", ""),
        tag("td", signed(explained.decision), class_="n"),
        class_="total",
    )
    label = "What adds up to the decision value"
    caption = tag("caption", label, class_="hidden")
    return scrolled(tag("table", caption, tag("tbody", *rows, total), class_="parts"), label)


def _line(name: Markup | str, value: Markup | str, contribution: float, top: float) -> Markup:
    return tag(
        "tr",
        tag("td", name),
        tag("td", value, class_="value"),
        tag("td", bar(contribution, top)),
        tag("td", signed(contribution), class_="n"),
    )


LONGEST = 700  # characters that are shown
WINDOW_STEP = 50  # where the part that is shown may begin
LEVELS = 5  # of shading


def marked(explained: RowExplanation) -> Markup:
    """Return the text of a explained, or its most telling part, with marks."""
    text = explained.text
    begin = _begin(explained)
    end = min(begin + LONGEST, len(text))
    pieces = _pieces(explained, begin, end)
    strongest = max((abs(score) for *_, score in pieces), default=0.0) or 1.0
    parts = [_piece(text[a:b], score / strongest) for a, b, score in pieces]
    before = "… " if begin > 0 else None
    after = f" … ({len(text):,} characters)" if end < len(text) else None
    return tag("p", before, tag("bdi", *parts, dir="auto"), after, class_="marked")


def _begin(explained: RowExplanation) -> int:
    """Return where the most telling part begins; the first of equal ones."""
    length = len(explained.text)
    if length <= LONGEST:
        return 0
    weights = np.zeros(length + 1)
    for added, spans in explained.spans:
        for first, _ in spans:
            weights[first] += abs(added) / len(spans)
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    begins = np.arange(0, length - LONGEST + WINDOW_STEP, WINDOW_STEP)
    begins = np.minimum(begins, length - LONGEST)
    inside = sums[begins + LONGEST] - sums[begins]
    return int(begins[np.argmax(np.round(inside, 9))])


def _pieces(explained: RowExplanation, begin: int, end: int) -> list[tuple[int, int, float]]:
    """Split a part of a text where terms begin and end; return what they add at each place."""
    edges: dict[int, Counter[int]] = {begin: Counter(), end: Counter()}
    for k, (_, spans) in enumerate(explained.spans):
        for first, last in spans:
            if last > begin and first < end:
                edges.setdefault(max(first, begin), Counter())[k] += 1
                edges.setdefault(min(last, end), Counter())[k] -= 1
    shares = [added / max(len(spans), 1) for added, spans in explained.spans]
    active: Counter[int] = Counter()
    found = []
    for a, b in pairwise(sorted(edges)):
        active.update(edges[a])
        found.append((a, b, sum(shares[k] * n for k, n in active.items() if n > 0)))
    return found


def _piece(text: str, share: float) -> Markup:
    level = round(LEVELS * abs(share))
    if level == 0:
        return safe(text)
    side = "for" if share > 0 else "against"
    return tag("mark", text, class_=f"{side}{level}")


def most_surprising(
    probabilities: Vector, codes: NDArray[np.intp], prints: NDArray[np.uint64], most: int
) -> list[int]:
    """Return rows that are said to be of another class, those of the least probability first."""
    own = probabilities[np.arange(len(codes)), codes]
    wrong = np.flatnonzero(probabilities.argmax(axis=1) != codes)
    return _different(wrong[np.argsort(own[wrong], kind="stable")], prints, most)


def hardest(probabilities: Vector, prints: NDArray[np.uint64], most: int) -> list[int]:
    """Return the rows of which the two likeliest classes are closest."""
    best = np.partition(probabilities, -2, axis=1)[:, -2:]
    return _different(np.argsort(best[:, 1] - best[:, 0], kind="stable"), prints, most)


def _different(rows: NDArray[np.intp], prints: NDArray[np.uint64], most: int) -> list[int]:
    """Return the first rows, of equal ones one."""
    found: dict[int, int] = {}
    for row in rows.tolist():
        if len(found) == most:
            break
        found.setdefault(int(prints[row]), row)
    return list(found.values())


class Contradictions(NamedTuple):
    """Rows that are the same to the model and have different labels."""

    n_rows: int  # that have such a twin
    n_errors: int  # that any model of these columns must make
    groups: list[list[int]]  # some of them, the largest first


def contradictions(
    prints: NDArray[np.uint64], codes: NDArray[np.intp], most: int = 5
) -> Contradictions:
    """Find rows that no model which sees no more of them can all get right."""
    _, kind, sizes = np.unique(prints, return_inverse=True, return_counts=True)
    kind = kind.ravel()
    n_classes = int(codes.max()) + 1
    cells, counts = np.unique(kind * n_classes + codes, return_counts=True)
    largest = np.zeros(len(sizes), dtype=np.intp)
    np.maximum.at(largest, cells // n_classes, counts)
    mixed = np.flatnonzero(largest < sizes)
    order = mixed[np.argsort(-sizes[mixed], kind="stable")][:most]
    groups = [np.flatnonzero(kind == k).tolist() for k in order]
    return Contradictions(int(sizes[mixed].sum()), int((sizes - largest)[mixed].sum()), groups)
