"""HTML and SVG as text that cannot be forgotten to be escaped.

Everything in a report is put together by `tag`. A child or an attribute that is a plain string goes
through `safe`, the one function that makes text of anything; what is HTML already is a `Markup`,
and only this folder makes those. Names, labels, categories and texts may come from anyone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any

__all__ = ["Markup", "given", "join", "safe", "tag"]

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
