"""The building blocks of a page: sections, tables that scroll and sort, facts, figures, bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .bands import Estimate
from .markup import Markup, join, tag

__all__ = [
    "Cell",
    "Section",
    "banded",
    "bar",
    "decimals",
    "facts",
    "figure",
    "note",
    "paragraph",
    "percent",
    "scrolled",
    "signed",
    "table",
]


class Section(NamedTuple):
    """A part of the page, with its place in the list of contents."""

    id: str
    title: str
    content: Markup

    def html(self) -> Markup:
        """Return it as an element."""
        head = tag("h2", self.title, id=f"{self.id}-title")
        return tag("section", head, self.content, id=self.id, aria_labelledby=f"{self.id}-title")


class Cell(NamedTuple):
    """A cell of a table that is sorted by another value than what it shows."""

    content: Any
    value: float


def percent(share: float, digits: int = 1) -> str:
    """Write a share."""
    return "none" if math.isnan(share) else f"{share:.{digits}%}"


def banded(found: Estimate | None, *, is_percent: bool = False, digits: int = 3) -> Markup:
    """Write a number with its band."""
    if found is None or math.isnan(found.value):
        return Markup("none")

    def text(value: float) -> str:
        return percent(value) if is_percent else f"{value:.{digits}f}".replace("-", "−")

    band = tag("span", f"{text(found.low)} to {text(found.high)}", class_="within")
    return join([text(found.value), " ", band])


def paragraph(*children: Any, class_: str | None = None) -> Markup:
    """Return a paragraph."""
    return tag("p", *children, class_=class_)


def note(*children: Any) -> Markup:
    """Return a sentence that stands back."""
    return paragraph(*children, class_="note")


def facts(rows: Iterable[tuple[Any, Any]]) -> Markup:
    """Return pairs of a word and what there is to say of it."""
    items = [tag("div", tag("dt", word), tag("dd", said)) for word, said in rows]
    return tag("dl", *items, class_="facts")


def figure(picture: Markup, *caption: Any, is_below: bool = True) -> Markup:
    """Return a picture with words below or above it."""
    words = tag("figcaption", *caption)
    return tag("figure", *((picture, words) if is_below else (words, picture)))


def table(
    label: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    aligns: str,
    id_: str | None = None,
    is_sorted: bool = False,
    filter_label: str | None = None,
) -> Markup:
    """Return a table that scrolls within itself; ``aligns`` has < or > for each column.

    With ``is_sorted`` the script lets people sort it, with ``filter_label`` filter it, too.
    """
    kinds = [None if align == "<" else "n" for align in aligns]
    head = tag(
        "tr", *[tag("th", h, scope="col", class_=k) for h, k in zip(heads, kinds, strict=True)]
    )
    body = [_row(row, kinds) for row in rows]
    inner = tag(
        "table",
        tag("caption", label, class_="hidden"),
        tag("thead", head),
        tag("tbody", *body),
        data_sort=is_sorted or None,
        id=id_,
    )
    box = scrolled(inner, label)
    if filter_label is None:
        return box
    search = tag("input", type="search", data_filter=id_, autocomplete="off", spellcheck="false")
    asked = tag("label", f"{filter_label} ", search, class_="filter", hidden=True)
    count = tag("output", "", class_="filter-count", data_count=id_)
    return join([tag("div", asked, count, class_="controls"), box])


def scrolled(inner: Markup, label: str) -> Markup:
    """Return a table in a box that it scrolls within, by keys as well."""
    return tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label=label)


def _row(row: Sequence[Any], kinds: Sequence[str | None]) -> Markup:
    cells = []
    for cell, kind in zip(row, kinds, strict=True):
        if isinstance(cell, Cell):
            value = f"{cell.value:.6g}"
            cells.append(tag("td", cell.content, class_=kind, data_v=value))
        else:
            cells.append(tag("td", cell, class_=kind))
    return tag("tr", *cells)


def bar(value: float, largest: float) -> Markup:
    """Return a small bar from the middle: to the right above 0, else to the left."""
    length = 50.0 * min(abs(value) / largest, 1.0) if largest > 0 else 0.0
    begin = 50.0 if value > 0 else 50.0 - length
    shape = tag(
        "rect",
        x=f"{begin:.1f}",
        y="1",
        width=f"{length:.1f}",
        height="8",
        class_="for" if value > 0 else "against",
    )
    middle = tag("path", d="M50 0V10", class_="axis")
    return tag("svg", shape, middle, viewBox="0 0 100 10", class_="bar", aria_hidden="true")


def decimals(largest: float) -> int:
    """Return how many digits behind the point give the largest of some numbers three in all."""
    if not 0 < largest < math.inf:
        return 3
    return min(max(2 - math.floor(math.log10(largest)), 0), 12)


def signed(value: float, digits: int = 3) -> str:
    """Write a number with its sign, and always as many digits, so that columns line up."""
    return f"{value:+.{digits}f}".replace("-", "−")
