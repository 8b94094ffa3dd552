"""A page of HTML: text that cannot be forgotten to be escaped, its building blocks, the page.

Everything in a report is put together by `tag`. A child or an attribute that is a plain string goes
through `safe`, the one function that makes text of anything; what is HTML already is a `Markup`,
and only this folder makes those. Names, labels, categories and texts may come from anyone.

The page has style and script within. Its policy names them by their hashes: were a string of the
data ever taken for a script, a style or a link to something outside, the browser would refuse it.
"""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, NamedTuple

from .intervals import Estimate

__all__ = [
    "Cell",
    "Markup",
    "Section",
    "banded",
    "bar",
    "decimals",
    "facts",
    "figure",
    "given",
    "how_many",
    "join",
    "note",
    "page",
    "paragraph",
    "percent",
    "safe",
    "scrolled",
    "signed",
    "table",
    "tag",
]


LONGEST = 4000  # characters of any text
LONGEST_NAME = 60  # of a name or a label
# What must not reach a browser: control characters, halves of pairs of UTF-16, what is no
# character, and what turns the direction of writing for more than its own element.
NO_LETTER = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\u2028\u2029\ufeff\ufff9-\ufffb"
    "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
VOID = frozenset({"input", "meta", "br", "path", "rect", "line", "circle", "col"})


class Markup(str):
    """Text that is HTML or SVG already."""

    __slots__ = ()


def safe(text: Any, most: int = LONGEST) -> Markup:
    """Return any text as what a browser shows as that text: escaped, visible, and not too long."""
    words = str(text)
    if len(words) > most:
        words = f"{words[:most]}… ({len(words):,} characters)"
    return Markup(escape(NO_LETTER.sub(_picture, words), quote=True))


def _picture(found: re.Match[str]) -> str:
    """Return what stands for a character that cannot be shown: a picture of it, or of none."""
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def given(text: Any, most: int = LONGEST_NAME) -> Markup:
    """Return a name, a label or a value that people gave, apart from the words around it."""
    words = str(text)
    if not words.strip():
        words = f"'{words}'"  # nothing, or spaces alone, would not show
    return Markup(f"<bdi>{safe(words, most)}</bdi>")


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """Return an element; children that are no Markup, and all attributes, are made safe.

    In names of attributes ``_`` stands for ``-``, and one at the end for nothing. None and False
    leave an attribute out.
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        word = key.rstrip("_").replace("_", "-")
        parts.append(f" {word}" if value is True else f' {word}="{safe(value, 10**7)}"')
    if name in VOID:
        return Markup("".join([*parts, ">" if name in ("input", "meta", "br", "col") else "/>"]))
    return Markup("".join([*parts, ">", join(children), f"</{name}>"]))


def join(children: Iterable[Any]) -> Markup:
    """Return children one after another; None is nothing."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else safe(child)
            for child in children
            if child is not None
        )
    )


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
    """Write a number with its confidence interval."""
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


def how_many(found: Estimate) -> str:
    """Say how many of the rows, as in "about 80% (78% to 82%) of "; of all, nothing."""
    if found.low == 1.0:
        return ""
    value, low, high = (percent(share, 0) for share in found)
    return f"about {value} ({low} to {high}) of "


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _policy() -> str:
    style, script = _hash(_asset("page.css")), _hash(_asset("page.js"))
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'"
    )


def page(title: str, head: Markup, sections: list[Section], foot: Markup) -> str:
    """Return the whole file."""
    links = [tag("li", tag("a", one.title, href=f"#{one.id}")) for one in sections]
    contents = tag("nav", tag("ol", *links), aria_label="Contents")
    main = tag("main", head, *[one.html() for one in sections], id="top")
    skip = tag("a", "Skip to the report", href="#top", class_="skip")
    body = tag("body", skip, tag("div", contents, main, class_="page"), foot, _script())
    parts = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", safe(title, 120)),
        Markup(f"<style>{_asset('page.css')}</style>"),
    ]
    html = tag("html", tag("head", *parts), body, lang="en")
    return f"<!doctype html>\n{html}\n"


def _script() -> Markup:
    return Markup(f"<script>{_asset('page.js')}</script>")
