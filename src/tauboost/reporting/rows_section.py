"""Single rows with their explanations: the most surprising ones, and the hardest to decide."""

from __future__ import annotations

from ..base.arrays import Vector
from .chosen_rows import hardest, most_surprising
from .elements import Section, bar, note, paragraph, scrolled, signed
from .marked_text import marked
from .markup import Markup, given, join, tag
from .rows import Data, Story
from .subject import Subject

__all__ = ["rows_section"]

MOST = 6  # of each kind


def rows_section(subject: Subject, data: Data | None, probabilities: Vector | None) -> Section:
    """Return the rows that tell most about the model."""
    word = subject.row_word
    title = f"{word.title()}s to look at"
    if data is None or probabilities is None:
        text = "With data, this part shows single rows, and what adds up to their decision."
        return Section("rows", title, paragraph(text))
    cards = _Cards(subject, data, probabilities)
    parts: list[Markup] = []
    if data.codes is not None:
        rows = most_surprising(probabilities, data.codes, data.rows.prints, MOST)
        parts += [
            tag("h3", "Most surprising: sure, and wrong"),
            paragraph(
                "Often a wrong label, or something that the columns do not show. The bars say what "
                "spoke for the answer of the model, and what against it."
            ),
            cards.of(rows) if rows else note(f"No {word} is wrong."),
        ]
    rows = hardest(probabilities, data.rows.prints, MOST)
    parts += [
        tag("h3", "Hardest: nearly even"),
        paragraph("Those of which the two likeliest classes have nearly the same probability."),
        cards.of(rows),
    ]
    parts.append(note(f"{word.title()}s are counted from {data.first}."))
    return Section("rows", title, join(parts))


class _Cards:
    """Rows as cards that can be opened, the first of them open."""

    def __init__(self, subject: Subject, data: Data, probabilities: Vector) -> None:
        self.subject, self.data, self.probabilities = subject, data, probabilities

    def of(self, rows: list[int]) -> Markup:
        """Return the cards of some rows."""
        return tag("div", *[self._card(row, k < 2) for k, row in enumerate(rows)], class_="cards")

    def _card(self, row: int, is_open: bool) -> Markup:
        labels, codes, word = self.subject.labels, self.data.codes, self.subject.row_word
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
        story = self.data.rows.story(row, said)
        text = marked(story) if story.text else None
        return tag("details", tag("summary", *head), text, _parts(story), open=is_open or None)


def _sure(probability: float) -> str:
    """Write a probability, never as 100 % where it is not."""
    return f"{probability:.1%}" if probability < 0.9995 else "over 99.9%"


def _parts(story: Story) -> Markup:
    """Return what adds up to the decision value, as a table."""
    lines = [(part.name, part.value, part.contribution) for part in story.parts]
    top = max((abs(c) for _, _, c in lines), default=1.0)
    rows = [
        _line(given(name), given(value, 40) if value else "", c, top) for name, value, c in lines
    ]
    if story.n_rest:
        rows.append(_line(f"{story.n_rest:,} more", "", story.rest, top))
    rows.append(_line("intercept", "", story.intercept, top))
    total = tag(
        "tr",
        tag("th", "decision value", scope="row", colspan="2"),
        tag("td", ""),
        tag("td", signed(story.decision), class_="n"),
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
